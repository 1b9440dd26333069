"""An approval that is held: it is taken, and can be taken back until the agent is told.

To agents the action waits on: its status stays `pending`, and the decision is not in force. It goes out when its time
is over (`release_decision`), or never (`undo_decision`, or the end of the action itself). All of them lock the action
first, so that exactly one of them happens, and nothing runs before it went out (`executions.start_execution`).
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from reviews import access, audit
from reviews.decisions import locking, outcomes, rewrite_budget, two_person_rule
from reviews.errors import ToldError
from reviews.labels import operational
from reviews.messaging import metrics
from reviews.models import RUNNABLE, Action, Decision, Membership, Outcome, Review, Status, pipeline
from reviews.queue import review_claims
from reviews.records.transactions import retry_on_conflict
from reviews.scheduling import broker

RELEASE: Final = "reviews.tasks.release_decision"


def hold_approval(decision: Decision) -> None:
    """Have a decision that is taken now wait until it cannot be taken back any more, if it is one that is held."""
    action = decision.action
    if decision.outcome not in RUNNABLE or not action.profile.hold_seconds:
        return
    now = timezone.now()
    # At most half of what is left to the call: the agent needs the rest to run it.
    wait = min(timedelta(seconds=action.profile.hold_seconds), (action.expires_at - now) / 2)
    decision.in_force, decision.held_until = False, now + wait


def release_later(decision: Decision) -> None:
    """Once the transaction stands, ask a worker to release the decision when its time is over. The sweep would, too."""
    assert decision.held_until is not None  # noqa: S101 - only what is held comes here
    delay = max(0.0, (decision.held_until - timezone.now()).total_seconds())
    transaction.on_commit(lambda: broker.enqueue_task(RELEASE, decision.pk, delay=delay), robust=True)


@retry_on_conflict
@transaction.atomic
def release_decision(decision_id: UUID) -> bool:
    """Put a held decision in force and tell the agent. Returns whether this call did it; harmless to repeat."""
    decision = _lock_decision(decision_id)
    if decision is None or decision.held_until is None or decision.held_until > timezone.now():
        return False
    action = decision.action
    # One whose time is over the sweep expires, which withdraws the decision.
    if not outcomes.leave_status(action, (Status.PENDING,), Status.DECIDED, only_before_expiry=True):
        return False
    decision.in_force, decision.held_until = True, None
    with pipeline.batch():
        objection = operational.objection_to(action.pk)
        pipeline.begin_update(Decision, {"in_force": True, "held_until": None}, id=decision.pk)
    two_person_rule.conclude_first_approval(decision)
    label = operational.label_of(decision, objection)
    pipeline.insert_rows([label] if label else [])
    if decision.outcome == Outcome.APPROVE:
        rewrite_budget.give_back(action)
    return True


@retry_on_conflict
@transaction.atomic
def undo_decision(*, decision: Decision, membership: Membership) -> Review:
    """Take a decision of one's own back that is held or awaits a second person: its item waits again.

    Raises `ForbiddenError`, and `ToldError` once the agent was told, the call has ended or another person approved it.
    """
    access.require(membership, access.Permission.DECIDE)
    locked = _lock_decision(decision.pk)
    # However late, as long as it has not gone out: a worker that is behind gives the person more time.
    if locked is None or not _can_be_undone(locked) or locked.reviewer_id != membership.user_id:
        raise ToldError("It is too late to take this back.")
    changes = {"held_until": None, "awaits_second": False, "withdrawn_at": timezone.now()}
    pipeline.update_rows(Decision, changes, id=locked.pk)
    metrics.count_on_commit(metrics.DECISIONS_UNDONE)
    review = review_claims.reopen_review(locked.action, membership)
    audit.record(
        workspace=membership.workspace,
        verb="action.decision_undone",
        subject=str(locked.action_id),
        by=membership,
        details={"digest": locked.digest, "outcome": locked.outcome},
    )
    return review


def _can_be_undone(decision: Decision) -> bool:
    """Whether the locked decision is held, or awaits a second person who has not approved yet."""
    second = Decision.objects.filter(action=decision.action_id, held_until__isnull=False)
    return decision.held_until is not None or (decision.awaits_second and not second.exists())


def due_decisions() -> QuerySet[Decision]:
    """Held decisions whose time is over, the longest over first."""
    return Decision.objects.filter(held_until__lte=timezone.now()).order_by("held_until")


def _lock_decision(decision_id: UUID) -> Decision | None:
    """The decision as it is once its action is locked, with the action; None where there is none."""
    unlocked = Action.objects.select_related("trace").filter(decisions=decision_id).first()
    if unlocked is None:
        return None
    rewrite_budget.lock_counted(unlocked)
    action = locking.lock_action(unlocked.pk)
    if action is None:
        return None
    # Read behind the lock: whoever held it may have ended the hold.
    decision = Decision.objects.select_related("reviewer").get(pk=decision_id)
    decision.action = action
    return decision
