"""Whether an action lets its call run: what it says as a value, and every refusal as an error."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from . import errors
from .outcomes import Approved, NotDecided, Outcome, Reason, Rejected, Responded
from .values import Action

# Listed, not told by what they are not: a new outcome must not run unread.
_KINDS: Mapping[str, type[Approved | Rejected | Responded]] = MappingProxyType(
    {"approve": Approved, "edit": Approved, "reject": Rejected, "respond": Responded}
)
_WHY_NOT: Mapping[str, str] = MappingProxyType(
    {
        "expired": "nobody decided in time.",
        "cancelled": "the proposal was cancelled.",
        "superseded": "another proposal took its place.",
        "checking": "action {id} is still checking.",
        "pending": "action {id} is still pending; a person has yet to decide.",
    }
)


def outcome_of(action: Action) -> Outcome:
    """What an action's status and decision say. Raises `MalformedAnswerError` for what nobody has heard of."""
    status, decision = action.status, action.decision
    if status in _WHY_NOT:
        return NotDecided(action, cast("Reason", status), _WHY_NOT[status].format(id=action.id))
    kind = _KINDS.get(decision.outcome) if decision is not None and status == "decided" else None
    if kind is None or decision is None:
        unknown = decision.outcome if decision is not None else status
        raise errors.MalformedAnswerError(f"{unknown!r} is unknown here, or lacks a decision; the call must not run.")
    return kind(action, decision)


def require_approval(outcome: Outcome) -> Approved:
    """The approval. Raises `NotRunnableError` in one of its kinds for everything else."""
    if isinstance(outcome, Approved):
        return outcome
    if isinstance(outcome, Rejected):
        raise errors.RejectedError(outcome.decision)
    if isinstance(outcome, Responded):
        raise errors.RespondedError(outcome.decision)
    if outcome.reason == "expired":
        raise errors.ExpiredError(outcome)
    if outcome.reason in ("cancelled", "superseded"):
        raise errors.WithdrawnError(outcome)
    if outcome.is_open:
        raise errors.UndecidedError(outcome)
    raise errors.NotDecidedError(outcome)
