"""An action leaves `checking`: by standing order, past the guard, or into the review queue."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from reviews import decisions
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

_PRIORITY_OF_RISK = {Risk.LOW: 2, Risk.MEDIUM: 4, Risk.HIGH: 6}
_HIGHEST = 9


@transaction.atomic
def settle(action_id: UUID) -> None:
    """Move the action on when all its checks are done. Harmless to repeat."""
    action = Action.objects.select_for_update(of=("self",)).select_related("profile").filter(pk=action_id).first()
    if action is None or action.status != Status.CHECKING:
        return
    if action.expires_at <= timezone.now():
        decisions.expire(action)
        return
    checks = list(action.checks.all())
    if all(check.status == CheckStatus.DONE for check in checks):
        _route(action, checks)


def _route(action: Action, checks: list[Check]) -> None:
    match action.profile.tool_policies.get(action.tool):
        case ToolPolicy.DENY:
            decisions.decide_without_a_person(action, Outcome.REJECT, DecidedBy.POLICY)
        case ToolPolicy.ALWAYS_ALLOW:
            decisions.decide_without_a_person(action, Outcome.APPROVE, DecidedBy.POLICY)
        case ToolPolicy.ALWAYS_REVIEW:
            _open_review(action, checks, "The workspace always reviews this tool.")
        case _ if checks and all(check.verdict == VerdictLabel.ALIGNED for check in checks):
            decisions.decide_without_a_person(action, Outcome.APPROVE, DecidedBy.GUARD)
        case _:
            # Fail closed: anything that is not unanimously aligned, and anything nobody checked, waits for a person.
            _open_review(action, checks, "No detector has looked at this call.")


def _open_review(action: Action, checks: list[Check], otherwise: str) -> None:
    stopped = [check for check in checks if check.verdict != VerdictLabel.ALIGNED]
    Action.objects.filter(pk=action.pk).update(status=Status.PENDING)
    Review.objects.get_or_create(
        action=action,
        defaults={
            "workspace_id": action.workspace_id,
            "priority": _priority(action, stopped),
            "reason": _shortened(stopped[0].reason if stopped else otherwise),
            "due_at": action.expires_at,
        },
    )


def _priority(action: Action, stopped: list[Check]) -> int:
    injected = any(check.misalignment == "injection" for check in stopped)
    return min(_HIGHEST, _PRIORITY_OF_RISK[Risk(action.risk)] + 2 * injected + (action.attempt > 1))


def _shortened(reason: str) -> str:
    longest = Review._meta.get_field("reason").max_length or 0
    return reason if len(reason) <= longest else reason[: longest - 1] + "…"
