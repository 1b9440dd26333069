"""An action leaves `checking`: by standing order, past the guard, or into the review queue.

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
    Outcome,
    Review,
    Risk,
    Status,
    ToolPolicy,
    VerdictLabel,
)
from reviews.provenance.core.shortening import shortened

_PRIORITY_OF_RISK = {Risk.LOW: 2, Risk.MEDIUM: 4, Risk.HIGH: 6}
_HIGHEST = 9


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
    """Whether a person looks at a call of which its enforced detectors say this.

    Every verdict but `aligned` is an objection. As many as there are detectors always suffice, and where there is none
    nobody has looked: fail closed.
    """
    against = sum(verdict != VerdictLabel.ALIGNED for verdict in verdicts)
    return against >= min(objections, len(verdicts))


def _route(action: Action, checks: list[Check]) -> None:
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
    objecting = [check for check in checks if check.verdict != VerdictLabel.ALIGNED]
    Action.objects.filter(pk=action.pk).update(status=Status.PENDING)
    rewrites.count_stopped(action, objecting)
    Review.objects.get_or_create(
        action=action,
        defaults={
            "workspace_id": action.workspace_id,
            "priority": _priority(action, objecting),
            "reason": _shortened(objecting[0].reason if objecting else otherwise),
            "due_at": action.expires_at,
        },
    )


def _priority(action: Action, objecting: list[Check]) -> int:
    injected = any(check.misalignment == "injection" for check in objecting)
    return min(_HIGHEST, _PRIORITY_OF_RISK[Risk(action.risk)] + 2 * injected + (action.attempt > 1))


def _shortened(reason: str) -> str:
    longest = Review._meta.get_field("reason").max_length or 0
    return shortened(reason, longest)
