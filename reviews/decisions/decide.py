"""A reviewer decides a pending action, by one compare-and-set."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from reviews import access, audit
from reviews.decisions import holds, locking, rewrite_budget, two_person_rule
from reviews.decisions.edits import EditPreview
from reviews.decisions.outcomes import begin_leaving
from reviews.errors import ConflictError, FieldProblem, InvalidEditError, not_open
from reviews.labels import operational
from reviews.messaging import metrics
from reviews.models import (
    Action,
    CheckMode,
    DecidedBy,
    Decision,
    Interpretation,
    Membership,
    Outcome,
    Review,
    Status,
    ToolPolicy,
    pipeline,
)
from reviews.provenance.core.context import JsonValue
from reviews.queue import review_claims
from reviews.records.transactions import retry_on_conflict


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

OUTCOMES: dict[type, Outcome] = {
    Approve: Outcome.APPROVE,
    Edit: Outcome.EDIT,
    Reject: Outcome.REJECT,
    Respond: Outcome.RESPOND,
}


@retry_on_conflict
@transaction.atomic
def decide_action(
    *,
    action: Action,
    choice: Choice,
    membership: Membership,
    judgement: operational.Judgement | None = None,
    edited: EditPreview | None = None,
    shown_at: datetime | None = None,
) -> Decision:
    """A reviewer decides a pending action, once. `judgement` stands before the guard's word in the label.

    An approval, also of an edited call, is held for as long as the profile says before the agent is told (`holds`). Of
    a call that takes two people the first approval settles nothing, and the item waits for another (`two_person_rule`).
    `shown_at` is since when the reviewer has had this call before them. An `Edit` comes with its check, `edited`, which
    was made before: no lock is held while it runs.
    Raises `ForbiddenError`, `AlreadyDecidedError`, `NotOpenError`, `ClaimedError` (another reviewer holds the item),
    `ApprovedByYouError`, `InvalidEditError` (this very call was not checked, or not found valid) and `ConflictError`
    (a policy denies what would be approved).
    """
    access.require(membership, access.Permission.DECIDE)
    # Such a call only comes before a person when its agent is stuck, which asks for words and not for leave.
    if isinstance(choice, Approve) and action.profile.tool_policies.get(action.tool) == ToolPolicy.DENY:
        raise ConflictError("The workspace's policy denies this tool: answer the agent, or reject the call.")
    rewrite_budget.lock_counted(action)
    review, objection = _take_review(action, membership)
    decision = Decision(
        action=action,
        outcome=OUTCOMES[type(choice)],
        shown_at=shown_at,
        decided_by=DecidedBy.REVIEWER,
        reviewer=membership.user,
        message=choice.message,
        interpretation=_chosen_interpretation(action, choice),
        # Whoever decides without a claim has looked since the item was there, for all that is known.
        seconds_to_decide=(timezone.now() - (review.claimed_at or review.created_at)).total_seconds(),
        **_decided_call(action, choice, edited),
    )
    holds.hold_approval(decision)
    two_person_rule.apply_rule(decision)
    with pipeline.batch():
        settled = _store_decision(decision, objection, judgement)
        # Last: the audit chain stays locked until the transaction ends.
        _record_decision(decision, membership)
    if not settled():
        raise not_open(action)
    if decision.in_force:
        two_person_rule.conclude_first_approval(decision)
    if decision.in_force and decision.outcome == Outcome.APPROVE:
        rewrite_budget.give_back(action)
    return decision


def _store_decision(
    decision: Decision, objection: operational.Objection, judgement: operational.Judgement | None
) -> Callable[[], bool]:
    """Settle the action by the decision, or keep the decision for when it is released or another person approves too.

    What is returned tells behind the batch whether that has happened.
    """
    if decision.awaits_second:
        pipeline.insert_rows([decision])
        review_claims.free_review(decision.action)
        return lambda: True
    review_claims.close_review(decision.action)
    metrics.count_on_commit(metrics.DECISIONS.labels(decision.outcome, decision.decided_by))
    if decision.held_until is not None:
        pipeline.insert_rows([decision])
        holds.release_later(decision)
        return lambda: True
    settled = begin_leaving(decision.action, (Status.PENDING,), Status.DECIDED, only_before_expiry=True)
    label = operational.label_of(decision, objection, judgement)
    pipeline.insert_rows([decision, *([label] if label else [])])
    return settled


def _record_decision(decision: Decision, membership: Membership) -> None:
    """Audit the decision, or that it was the first of two approvals."""
    details = {"digest": decision.digest}
    if decision.held_until is not None:
        details["held_until"] = decision.held_until.isoformat()
    if decision.first_approval is not None and decision.first_approval.reviewer is not None:
        details["approved_first_by"] = decision.first_approval.reviewer.get_username()
    verb = "action.approved_first" if decision.awaits_second else f"action.{decision.outcome}"
    audit.record(
        workspace=membership.workspace, verb=verb, subject=str(decision.action_id), by=membership, details=details
    )


def _take_review(action: Action, membership: Membership) -> tuple[Review, operational.Objection]:
    """Lock the action, which is still to be decided. Returns its review, locked, and what stopped it.

    Raises `AlreadyDecidedError`, `NotOpenError` and `ClaimedError`.
    """
    # One round trip. Neither an end of the action nor a colleague's claim can come in between, because both are locked.
    with pipeline.batch():
        standing = locking.lock_standing(action.pk)
        locked = locking.lock_open_review(action.pk)
        objection = operational.objection_to(action.pk)
    status, expires_at = standing() or ("", timezone.now())
    review = locked()
    if review is None or status != Status.PENDING or expires_at <= timezone.now():
        raise not_open(action)
    review_claims.check_free(review, membership)
    return review, objection


def _decided_call(action: Action, choice: Choice, edited: EditPreview | None) -> dict[str, JsonValue]:
    """The columns of the call a decision is about. An edit is a new call and was checked as one.

    Raises `InvalidEditError`.
    """
    if not isinstance(choice, Edit):
        return {"tool": action.tool, "arguments": action.arguments, "digest": action.digest}
    if edited is None or not edited.is_of(action, choice.tool, choice.arguments):
        raise InvalidEditError(FieldProblem("/arguments", "This edit was not checked as it stands."))
    return {
        "tool": choice.tool,
        "arguments": choice.arguments,
        "digest": edited.digest,
        "provenance": edited.provenance_json(),
    }


def _chosen_interpretation(action: Action, choice: Choice) -> Interpretation | None:
    """The reading that the reviewer chose; None where none was chosen, or it is not one of this action's."""
    chosen = choice.interpretation if isinstance(choice, Edit | Reject) else None
    if chosen is None:
        return None
    # Of enforced checks only: before the decision nobody may have seen what ran in shadow.
    readings = Interpretation.objects.filter(check_run__action=action, check_run__mode=CheckMode.ENFORCED)
    return readings.filter(pk=chosen).first()
