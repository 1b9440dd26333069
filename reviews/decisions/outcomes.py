"""Calls decided without a reviewer, by the guard or a policy, and the one way in which an action leaves its status."""

from collections.abc import Callable, Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from reviews.decisions.audit_sampling import is_drawn
from reviews.errors import not_open
from reviews.messaging import events, metrics, signals
from reviews.models import (
    Action,
    DecidedBy,
    Decision,
    Outcome,
    Status,
    pipeline,
)
from reviews.models.sql import actions as sql_actions
from reviews.provenance.core.canonical import call_digest
from reviews.provenance.core.context import JsonValue
from reviews.scheduling import broker


# Without a savepoint of its own inside the transaction that finishes a check: both stand or fall together.
@transaction.atomic(savepoint=False)
def decide_without_a_person(
    action: Action,
    outcome: Outcome,
    decided_by: DecidedBy,
    why: str = "",
    *,
    audit_rate: float = 0,
    arguments: Mapping[str, JsonValue] | None = None,
) -> Decision:
    """The guard lets an established action pass, or the workspace's policy decides; `why` is kept with the decision.

    `arguments` are those of an edit.

    A share of what passes is drawn for audit: the one that the profile sets, or `audit_rate` if that is more.
    Raises `AlreadyDecidedError` and `NotOpenError`.
    """
    # Not from `pending`: what waits for a person is decided by a person.
    if not leave_status(action, (Status.CHECKING,), Status.DECIDED, only_before_expiry=True):
        raise not_open(action)
    metrics.count_on_commit(metrics.DECISIONS.labels(outcome, decided_by), is_test=action.is_test)
    rate = max(audit_rate, action.profile.audit_rate)
    drawn = outcome == Outcome.APPROVE and is_drawn(action.pk, rate)
    decision = Decision(
        action=action,
        outcome=outcome,
        decided_by=decided_by,
        message=why,
        tool=action.tool,
        arguments=action.arguments if arguments is None else dict(arguments),
        digest=action.digest if arguments is None else call_digest(action.tool, arguments),
        audit_probability=rate if drawn else None,
    )
    pipeline.insert_rows([decision])
    return decision


def leave_status(action: Action, before: Sequence[Status], status: Status, *, only_before_expiry: bool = False) -> bool:
    """Take the action out of one of these states, by compare-and-set. Returns whether this call did it.

    `only_before_expiry` refuses once the action's time is over, even if no sweep has expired it yet.
    """
    return begin_leaving(action, before, status, only_before_expiry=only_before_expiry)()


def begin_leaving(
    action: Action, before: Sequence[Status], status: Status, *, only_before_expiry: bool = False
) -> Callable[[], bool]:
    """As `leave_status`, to be sent with other statements: what is returned tells behind the batch what happened."""
    # The update locks the action, and only then is the review touched: the order of `locking`.
    # One time for the comparison and the stamp, so that nothing is settled after it expired.
    now = timezone.now()
    changes = (status, now, action.pk, list(before), now if only_before_expiry else None)
    changed = pipeline.execute(sql_actions.LEAVE_STATUS, changes)
    messages = events.begin_insert(action, status, settled_at=now)

    def confirm_leaving() -> bool:
        if not changed.rowcount:
            return False
        action.status, action.settled_at = status, now
        signals.settled_on_commit(action.pk)
        broker.deliver_on_commit(messages)
        metrics.count_on_commit(metrics.SETTLED.labels(status), is_test=action.is_test)
        return True

    return confirm_leaving
