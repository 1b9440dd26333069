"""The ends of a wait without a decision: the time is over, the agent takes the call back or proposes another."""

from django.db import transaction
from django.utils import timezone

from reviews import audit
from reviews.decisions.outcomes import leave_status
from reviews.errors import not_open
from reviews.models import OPEN, Action, AgentKey, Status, pipeline
from reviews.models.sql import decisions as sql_decisions
from reviews.queue import review_claims
from reviews.records.transactions import retry_on_conflict


@retry_on_conflict
@transaction.atomic
def expire_action(action: Action) -> bool:
    """Nobody decided in time. Returns whether this call ended the wait."""
    # No decision is stored: an agent, or a measure, would read it as a person's rejection.
    return _end_wait(action, Status.EXPIRED)


@retry_on_conflict
@transaction.atomic
def cancel_action(*, action: Action, agent_key: AgentKey) -> Action:
    """The agent withdraws its proposal. Returns the action; cancelling again changes nothing.

    Raises `AlreadyDecidedError` and `NotOpenError`.
    """
    if not _end_wait(action, Status.CANCELLED):
        action.refresh_from_db()
        if action.status != Status.CANCELLED:
            raise not_open(action)
        return action
    audit.record(workspace=agent_key.workspace, verb="action.cancelled", subject=str(action.pk), by=agent_key)
    return action


@transaction.atomic
def supersede_action(*, action: Action, by: Action) -> bool:
    """The agent proposes another call instead. Returns whether this call ended the wait; a decision stays one."""
    superseded = _end_wait(action, Status.SUPERSEDED)
    if superseded:
        audit.record(workspace=action.workspace, verb="action.superseded", subject=str(action.pk), by=by.agent_key)
    return superseded


def _end_wait(action: Action, status: Status) -> bool:
    """Settle an open action without a decision and take it out of the queue. Returns whether this call did it."""
    ended = leave_status(action, OPEN, status)
    if ended:
        # What a person had approved and the agent was not told of yet never goes out.
        pipeline.execute(sql_decisions.WITHDRAW_UNTOLD, (timezone.now(), action.pk))
        review_claims.close_review(action)
    return ended
