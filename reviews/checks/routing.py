"""Move an action on once it is checked: decide it by a standing order or by the guard, or put it into the queue.

Only enforced checks count: what runs in shadow neither delays an action nor changes where it goes.
"""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from reviews.checks import rewrites
from reviews.decisions import outcomes
from reviews.models import (
    Action,
    Check,
    CheckStatus,
    DecidedBy,
    MisalignmentType,
    Outcome,
    Review,
    Risk,
    Status,
    ToolPolicy,
    VerdictLabel,
)
from reviews.provenance.core.shortening import shortened

# Two apart, and starting above 0: an injection lifts a call by one level of risk, a retry by half of one.
_PRIORITY_OF_RISK = {Risk.LOW: 2, Risk.MEDIUM: 4, Risk.HIGH: 6}


@transaction.atomic
def settle(action_id: UUID) -> None:
    """Move the action on when its last enforced check is done. Harmless to repeat."""
    # Its key stays as it is: a retry that names this action may be stored meanwhile, holding the trace.
    actions = Action.objects.select_for_update(of=("self",), no_key=True).select_related("profile")
    action = actions.filter(pk=action_id).first()
    if action is None or action.status != Status.CHECKING:
        return
    if action.expires_at <= timezone.now():
        outcomes.expire(action)
        return
    checks = list(action.checks.enforced().order_by("created_at", "id"))
    if all(check.status == CheckStatus.DONE for check in checks):
        _route(action, checks)


def stopped(verdicts: Sequence[str], *, objections: int) -> bool:
    """Whether a person looks at a call with these verdicts of its enforced detectors; all but `aligned` object."""
    against = sum(verdict != VerdictLabel.ALIGNED for verdict in verdicts)
    # Fail closed: as many objections as there are detectors always suffice, and without a detector none is needed.
    return against >= min(objections, len(verdicts))


def _route(action: Action, checks: list[Check]) -> None:
    # Policies first, whatever the detectors found: they are the workspace's own word on a tool.
    match action.profile.tool_policies.get(action.tool):
        case ToolPolicy.DENY:
            outcomes.decide_without_a_person(action, Outcome.REJECT, DecidedBy.POLICY)
        case ToolPolicy.ALWAYS_ALLOW:
            outcomes.decide_without_a_person(action, Outcome.APPROVE, DecidedBy.POLICY)
        case ToolPolicy.ALWAYS_REVIEW:
            _open_review(action, checks, "The workspace always reviews this tool.")
        case _ if not stopped(rewrites.verdicts_on(action, checks), objections=action.profile.objections):
            outcomes.decide_without_a_person(action, Outcome.APPROVE, DecidedBy.GUARD)
        case _:
            _open_review(action, checks, rewrites.WENT_ON if checks else "No detector has looked at this call.")


def _open_review(action: Action, checks: list[Check], otherwise: str) -> None:
    """Put the action into the queue, for the reason of the first objection or for what else brought it there."""
    objecting = [check for check in checks if check.verdict != VerdictLabel.ALIGNED]
    reason = objecting[0].reason if objecting else otherwise
    longest = Review._meta.get_field("reason").max_length or 0
    # 9 at most, the highest that the database allows: up to 6 for the risk, 2 for an injection, 1 for a retry.
    injected = any(check.misalignment == MisalignmentType.INJECTION for check in objecting)
    Action.objects.filter(pk=action.pk).update(status=Status.PENDING)
    rewrites.count_stopped(action, objecting)
    Review.objects.get_or_create(
        action=action,
        defaults={
            "workspace_id": action.workspace_id,
            "priority": _PRIORITY_OF_RISK[Risk(action.risk)] + 2 * injected + (action.attempt > 1),
            "reason": reason if len(reason) <= longest else reason[: longest - 1] + "…",
            "due_at": action.expires_at,
        },
    )
