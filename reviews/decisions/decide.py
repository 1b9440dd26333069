"""Reviewer, guard and policy decide; time and the agent may end the wait. Each is one compare-and-set."""

from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from reviews import access, audit
from reviews.decisions import edits
from reviews.decisions.outcomes import leave
from reviews.errors import not_open
from reviews.labels import operational
from reviews.models import (
    Action,
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
    if not leave(action, (Status.PENDING,), Status.DECIDED, only_before_expiry=True):
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
