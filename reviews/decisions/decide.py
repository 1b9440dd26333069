"""Reviewer, guard and policy decide; time and the agent may end the wait. Each is one compare-and-set."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from reviews import access, audit
from reviews.decisions import edits
from reviews.errors import not_open
from reviews.labels import operational
from reviews.messaging import broker
from reviews.models import (
    OPEN,
    Action,
    AgentKey,
    CheckMode,
    DecidedBy,
    Decision,
    Interpretation,
    Membership,
    Outcome,
    Status,
)
from reviews.models.reviews import Review
from reviews.provenance.core.context import JsonValue
from reviews.queue import claims


@dataclass(frozen=True)
class Approve:
    """Run it as proposed."""

    message: str = ""


@dataclass(frozen=True)
class Edit:
    """Run this instead."""

    tool: str
    arguments: dict[str, JsonValue]
    interpretation: UUID | None = None
    """The reading the edit started from."""
    message: str = ""


@dataclass(frozen=True)
class Reject:
    """Do not run it, and why."""

    message: str = ""
    interpretation: UUID | None = None


@dataclass(frozen=True)
class Respond:
    """Do not run it; here is the answer to what you did not know."""

    message: str


Choice: TypeAlias = Approve | Edit | Reject | Respond

_OUTCOMES: dict[type, Outcome] = {
    Approve: Outcome.APPROVE,
    Edit: Outcome.EDIT,
    Reject: Outcome.REJECT,
    Respond: Outcome.RESPOND,
}


@transaction.atomic
def decide(*, action: Action, choice: Choice, membership: Membership, misalignment: str = "") -> Decision:
    """A reviewer decides a pending action, once. `misalignment` overrides the guard's type in the label.

    Raises `ForbiddenError`, `AlreadyDecidedError`, `NotOpenError`, `ClaimedError` (another reviewer holds the item)
    and `InvalidEditError`.
    """
    access.require(membership, access.Permission.DECIDE)
    review = claims.lock_for(action, membership)
    decision = Decision(
        action=action,
        outcome=_OUTCOMES[type(choice)],
        decided_by=DecidedBy.REVIEWER,
        reviewer=membership.user,
        message=choice.message,
        interpretation=_interpretation(action, choice),
        seconds_to_decide=_seconds_held(review),
        **_call(action, choice),
    )
    if not _leave(action, (Status.PENDING,), Status.DECIDED, only_before_expiry=True):
        raise not_open(action)
    decision.save(force_insert=True)
    claims.close(action)
    operational.label(decision, misalignment=misalignment)
    audit.record(
        workspace=membership.workspace,
        verb=f"action.{decision.outcome}",
        subject=str(action.pk),
        by=membership,
        details={"digest": decision.digest},
    )
    return decision


@transaction.atomic
def decide_without_a_person(action: Action, outcome: Outcome, decided_by: DecidedBy) -> Decision:
    """The guard lets an aligned action pass, or a standing order of the workspace decides. Raises `NotOpenError`."""
    if not _leave(action, (Status.CHECKING,), Status.DECIDED, only_before_expiry=True):
        raise not_open(action)
    return Decision.objects.create(
        action=action,
        outcome=outcome,
        decided_by=decided_by,
        message="" if outcome == Outcome.APPROVE else "The workspace's policy denies this tool.",
        **_call(action, Approve()),
    )


@transaction.atomic
def expire(action: Action) -> bool:
    """Nobody decided in time. Never reads as a person's rejection. Returns whether this call ended the wait."""
    return _end(action, Status.EXPIRED)


@transaction.atomic
def cancel(*, action: Action, agent_key: AgentKey) -> Action:
    """The agent no longer wants it. Cancelling again changes nothing.

    Raises `AlreadyDecidedError` and `NotOpenError`.
    """
    if not _end(action, Status.CANCELLED):
        action.refresh_from_db()
        if action.status != Status.CANCELLED:
            raise not_open(action)
        return action
    audit.record(workspace=agent_key.workspace, verb="action.cancelled", subject=str(action.pk), by=agent_key)
    return action


def model_message_of(decision: Decision, advice: str = "") -> str:
    """What to hand to the agent's model as the tool call's result; `advice` is what the guard asks of its planner."""
    advised = f" {advice.removesuffix('.')}." if advice else ""
    said = f" The reviewer says: {decision.message}" if decision.message else ""
    match Outcome(decision.outcome):
        case Outcome.APPROVE:
            return f"The call was approved. Execute it exactly as proposed.{said}"
        case Outcome.EDIT:
            return (
                "A reviewer edited the call. Execute the edited call exactly as given; "
                f"the original call must not be issued again.{said}"
            )
        case Outcome.REJECT:
            by = "the workspace's policy" if decision.decided_by == DecidedBy.POLICY else "a reviewer"
            return f"The call was rejected by {by} and must not be executed.{advised}{said}"
        case Outcome.RESPOND:
            return f"The call was not executed.{advised} A reviewer answers: {decision.message}"


def _call(action: Action, choice: Choice) -> dict[str, JsonValue]:
    """The call a decision speaks of, with its digest. An edit is a new call and is checked as one."""
    if not isinstance(choice, Edit):
        return {"tool": action.tool, "arguments": action.arguments, "digest": action.digest}
    edited = edits.check_edit(action=action, tool=choice.tool, arguments=choice.arguments)
    return {
        "tool": choice.tool,
        "arguments": choice.arguments,
        "digest": edited.digest,
        "provenance": edited.provenance_json(),
    }


def _interpretation(action: Action, choice: Choice) -> Interpretation | None:
    chosen = choice.interpretation if isinstance(choice, Edit | Reject) else None
    if chosen is None:
        return None
    return Interpretation.objects.filter(
        pk=chosen, check_run__action=action, check_run__mode=CheckMode.ENFORCED
    ).first()


def _seconds_held(review: Review) -> float:
    return (timezone.now() - (review.claimed_at or review.created_at)).total_seconds()


def _leave(action: Action, left: Sequence[Status], status: Status, *, only_before_expiry: bool = False) -> bool:
    now = timezone.now()
    open_actions = Action.objects.filter(pk=action.pk, status__in=left)
    if only_before_expiry:
        open_actions = open_actions.filter(expires_at__gt=now)
    if not open_actions.update(status=status, settled_at=now):
        return False
    action.status, action.settled_at = status, now
    broker.settled_on_commit(action.pk)
    return True


def _end(action: Action, status: Status) -> bool:
    ended = _leave(action, OPEN, status)
    if ended:
        claims.close(action)
    return ended
