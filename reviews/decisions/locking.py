"""The one order in which rows are locked, so that no two transactions wait for each other.

    plan or check -> texts, tool sets -> trace -> action -> review -> audit chain

A transaction takes what it needs of these from left to right. Texts come before the trace because a submission has to
store them before it can open a trace, and another submission waits for them; of several texts the lower digest comes
first (`records.store`). The trace comes before its actions because a submission holds it when it makes an action, or
replaces an earlier one. The action comes before its review because most ends of an action (a verdict, expiry,
cancellation) begin at the action and many have no review. The audit chain comes last because everybody in the
workspace waits for it (`audit.record`).

Whoever changes a workspace's members or its profile locks the workspace's row first, and then the audit chain only
(`workspaces.members`, `workspaces.invitations`, `profiles.versions`).

A decision is changed only by whoever holds the lock on its action (`holds`).

A claim changes one review and nothing else, so it needs no other lock (`queue.review_claims`). All locks leave the key
alone (`FOR NO KEY UPDATE`): rows that only refer to a locked one are stored meanwhile.
"""

from collections.abc import Callable
from datetime import datetime
from typing import cast
from uuid import UUID

from django.db.models import QuerySet

from reviews.models import Action, Review, Trace, pipeline
from reviews.models.sql import actions, reviews


def lock_revisions(trace: Trace) -> QuerySet[Trace]:
    """Every revision of the conversation's past, held until the transaction ends."""
    revisions = Trace.objects.filter(workspace=trace.workspace_id, agent=trace.agent_id, external_id=trace.external_id)
    in_order = revisions.select_for_update(no_key=True).order_by("revision").values_list("pk", flat=True)
    locked: list[UUID] = []
    # Until no other has come: whoever opens the next revision holds the newest, and may have done so while this waited.
    while (current := list(in_order.all())) != locked:
        locked = current
    return revisions


def lock_trace(trace_id: UUID) -> Trace | None:
    """One revision, held until the transaction ends; None when it was let go of."""
    return Trace.objects.select_for_update(no_key=True).filter(pk=trace_id).first()


def lock_action(action_id: UUID) -> Action | None:
    """The action with its profile, held until the transaction ends; None when there is none."""
    rows = Action.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("profile").filter(pk=action_id).first()


def lock_standing(action_id: UUID) -> Callable[[], tuple[str, datetime] | None]:
    """Lock the action by a statement that may travel with others: what is returned gives its status and expiry."""
    row = pipeline.execute(actions.LOCK_STATUS, (action_id,))
    return cast(Callable[[], tuple[str, datetime] | None], row.fetchone)


def lock_open_review(action_id: UUID) -> Callable[[], Review | None]:
    """The action's open review, held until the transaction ends; None when no person is waited for.

    Behind the statement that has locked the action, and with it in one batch: what is returned gives the review behind
    that.
    """
    # Only the review: the account of whoever claimed it belongs to other transactions too.
    row = pipeline.execute(reviews.lock_open(), (action_id,))

    def locked() -> Review | None:
        current = row.fetchone()
        return pipeline.read_row(iter(current), Review) if current else None

    return locked
