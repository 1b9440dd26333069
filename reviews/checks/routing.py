"""Move an action on once it is checked: decide it by a standing order or by the guard, or put it into the queue.

Only enforced checks count: what runs in shadow neither delays an action nor changes where it goes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from psycopg import Cursor

from reviews.checks import rewrites
from reviews.checks.equal_calls import has_equal_under_way
from reviews.decisions import expiry_and_cancellation, forced_outcomes, locking, outcomes, timed_orders
from reviews.messaging import events
from reviews.models import (
    Action,
    Check,
    CheckStatus,
    DecidedBy,
    GuardProfile,
    OnUnknown,
    Outcome,
    Review,
    Status,
    ToolPolicy,
    Trace,
    VerdictLabel,
    pipeline,
)
from reviews.models.reviews import ALWAYS_REVIEWED, EQUAL_UNDER_WAY, TWO_PEOPLE_APPROVE, WENT_ON
from reviews.models.sql import actions
from reviews.models.sql import checks as sql
from reviews.profiles.options import severity_under
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.detectors.intent_guard import detector as intent_guard
from reviews.provenance.detectors.severity import Severity
from reviews.queue import learned_order
from reviews.queue.filtering import strength_of
from reviews.queue.priority import priority_of
from reviews.records.transactions import retry_on_conflict
from reviews.scheduling import broker

STUCK: Final = "The agent says that it is stuck. This is what it tried last."
PASSED_UNKNOWN: Final = "Nothing speaks against it, and the workspace lets pass what cannot be told."
PASSED_NOT_GRAVE: Final = (
    "Nothing speaks against it, it is not grave, and the workspace lets pass what cannot be told and is not grave."
)


@dataclass(frozen=True)
class LockedAction:
    """An action that is locked until the transaction ends."""

    _action: Cursor[Any]
    _checks: Cursor[Any]

    def read_rows(self) -> tuple[Any, list[Check]]:
        """Its status and expiry, and its enforced checks; once, behind the batch."""
        return self._action.fetchone(), [pipeline.read_row(iter(row), Check) for row in self._checks.fetchall()]


def lock_with_checks(action_id: UUID) -> LockedAction:
    """Lock the action; belongs into a batch."""
    action = pipeline.execute(actions.LOCK_STATUS, (action_id,))
    # Behind the lock, so that whichever check ends last sees the ends of all others.
    return LockedAction(action, pipeline.execute(sql.select_enforced(), (action_id,)))


# Without a savepoint of its own inside the transaction that finishes a check: both stand or fall together.
@retry_on_conflict
@transaction.atomic(savepoint=False)
def settle_action(action_id: UUID, *, loaded: Action | None = None, locked: LockedAction | None = None) -> None:
    """Move the action on when its last enforced check is done. Harmless to repeat.

    `loaded`: the action with its profile and trace, if the caller has them; where it stands is read anew. `locked`: if
    this transaction has locked it already.
    """
    if locked is None and (loaded is None or locks_conversation(loaded.profile)):
        # The gate may count a stopped call on the trace, which is locked before the action. Without a gate nothing
        # waits for the conversation's next submission.
        gated = {"actions__status": Status.CHECKING, "actions__profile__detectors__contains": intent_guard.NAME}
        for trace in Trace.objects.filter(actions=action_id, **gated):
            locking.lock_revisions(trace)
    if locked is None:
        with pipeline.batch():
            locked = lock_with_checks(action_id)
    standing, checks = locked.read_rows()
    if standing is None or standing[0] != Status.CHECKING:
        return
    action = loaded or Action.objects.select_related("profile").get(pk=action_id)
    action.status, action.expires_at = standing
    if action.expires_at <= timezone.now():
        expiry_and_cancellation.expire_action(action)
    elif action.is_test:
        forced_outcomes.settle_as_forced(action)
    elif all(check.status == CheckStatus.DONE for check in checks):
        _route_action(action, checks)


def locks_conversation(profile: GuardProfile) -> bool:
    """Whether the trace has to be locked before an action of this profile is."""
    return intent_guard.NAME in profile.detectors


def is_stopped(verdicts: Sequence[str], *, objections: int) -> bool:
    """Whether a person looks at a call with these verdicts of its enforced detectors; all but `aligned` object."""
    against = sum(verdict != VerdictLabel.ALIGNED for verdict in verdicts)
    # Fail closed: as many objections as there are detectors always suffice, and without a detector none is needed.
    return against >= min(objections, len(verdicts))


def counted_strictly(verdicts: Sequence[str], established: Sequence[bool]) -> list[str]:
    """The verdicts, but that an aligned one which is not established counts as undetermined."""
    return [
        VerdictLabel.UNDETERMINED if verdict == VerdictLabel.ALIGNED and not sure else verdict
        for verdict, sure in zip(verdicts, established, strict=True)
    ]


def why_unknown_passes(on_unknown: str, severity: Severity | None) -> str:
    """Why a call passes that nothing speaks against, but that could not be established; empty where it must not."""
    match OnUnknown(on_unknown):
        case OnUnknown.PASS:
            return PASSED_UNKNOWN
        case OnUnknown.REVIEW_GRAVE:
            return "" if severity else PASSED_NOT_GRAVE
        case OnUnknown.REVIEW:
            return ""
        case _ as unreachable:
            assert_never(unreachable)


def _route_action(action: Action, checks: list[Check]) -> None:
    # An agent that is stuck waits for a person's words, not for leave to make the call.
    if action.is_stuck:
        _open_review(action, checks, STUCK)
        return
    # Policies first, whatever the detectors found: they are the workspace's own word on a tool.
    match action.profile.tool_policies.get(action.tool):
        case ToolPolicy.DENY:
            outcomes.decide_without_a_person(
                action, Outcome.REJECT, DecidedBy.POLICY, "The workspace's policy denies this tool."
            )
        case ToolPolicy.ALWAYS_ALLOW:
            outcomes.decide_without_a_person(
                action, Outcome.APPROVE, DecidedBy.POLICY, "The workspace's policy always allows this tool."
            )
        case ToolPolicy.ALWAYS_REVIEW:
            _open_review(action, checks, ALWAYS_REVIEWED)
        case ToolPolicy.TWO_PEOPLE:
            _open_review(action, checks, TWO_PEOPLE_APPROVE)
        case _:
            _route_by_verdicts(action, checks)


def _route_by_verdicts(action: Action, checks: list[Check]) -> None:
    """What is established passes by the guard; what is refuted goes to a person; the profile says what is between.

    An order for calls like it comes before a person, and never for a grave call.
    """
    profile, labels = action.profile, rewrites.verdicts_on(action, checks)
    strict = counted_strictly(labels, [check.established for check in checks])
    is_proven = not is_stopped(strict, objections=profile.objections)
    if is_proven and not has_equal_under_way(action):
        outcomes.decide_without_a_person(action, Outcome.APPROVE, DecidedBy.GUARD)
        return
    if timed_orders.decide_by_order(action, checks):
        return
    if is_stopped(labels, objections=profile.objections):
        if not (profile.sends_back and _is_sent_back(action, checks)):
            _open_review(action, checks, WENT_ON if checks else "No detector has looked at this call.")
        return
    severity = severity_under(profile, action)
    if why := why_unknown_passes(profile.on_unknown, severity):
        outcomes.decide_without_a_person(action, Outcome.APPROVE, DecidedBy.POLICY, why)
        return
    if is_proven:
        _open_review(action, checks, EQUAL_UNDER_WAY)
        return
    unknown = next(check.reason for check, label in zip(checks, strict, strict=True) if label != VerdictLabel.ALIGNED)
    _open_review(action, checks, f"{severity.sentence} {unknown}" if severity else unknown)


def _is_sent_back(action: Action, checks: list[Check]) -> bool:
    """Send the agent back to its plan without a person. False where that is for a person, or no rewrite is left."""
    objecting = [check for check in checks if check.verdict != VerdictLabel.ALIGNED]
    allowed = action.profile.rewrites
    # The rewrite that uses the budget up is no way back: a person is told, and counts it.
    if not rewrites.is_asked_by_gate_alone(objecting) or action.trace.rewrites >= allowed:
        return False
    rewrites.count_stopped(action, objecting)
    advice = rewrites.advice_of(action, objecting)
    outcomes.decide_without_a_person(action, Outcome.REJECT, DecidedBy.POLICY, advice)
    return True


def _open_review(action: Action, checks: list[Check], otherwise: str) -> None:
    """Put the action into the queue, for the reason of the strongest objection or for what else brought it there."""
    objecting = [check for check in checks if check.verdict != VerdictLabel.ALIGNED]
    by_strength = sorted(objecting, key=lambda check: strength_of(check.misalignment or check.verdict))
    reason = by_strength[0].reason if by_strength else otherwise
    longest = Review._meta.get_field("reason").max_length or 0
    action.status = Status.PENDING
    counted, severity = rewrites.count_stopped(action, objecting), severity_under(action.profile, action)
    review = Review(
        workspace_id=action.workspace_id,
        action=action,
        priority=priority_of(action, objecting, severity),
        effect=severity.code if severity else "",
        reason=shorten_text(reason, longest),
        due_at=action.expires_at,
        order_at=learned_order.order_moment(action.expires_at, action.profile, action.pk),
        sent_back_for=action.trace.requests if counted else None,
    )
    with pipeline.batch():
        pipeline.begin_update(Action, {"status": Status.PENDING}, id=action.pk)
        # An action has one review, however often it comes here.
        pipeline.insert_rows([review], unless_there=True)
        messages = events.begin_insert(action, Status.PENDING)
    broker.deliver_on_commit(messages)
