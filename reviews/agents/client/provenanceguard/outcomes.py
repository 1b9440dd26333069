"""What became of a proposed call, as a value to match on: only `Approved` lets it run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias, cast

from . import errors
from .errors import MalformedAnswerError
from .values import UNDECIDED, Action, Call, Decision, NeitherTrueNorFalse

Reason: TypeAlias = Literal["checking", "pending", "expired", "cancelled", "superseded", "unreachable"]
"""Why there is no decision."""


@dataclass(frozen=True)
class Approved(NeitherTrueNorFalse):
    """The call may run, exactly as `call` has it; a reviewer may have edited it."""

    action: Action
    decision: Decision

    @property
    def call(self) -> Call:
        """What was approved."""
        return self.decision.call


@dataclass(frozen=True)
class Rejected(NeitherTrueNorFalse):
    """A reviewer or the workspace's policy said no."""

    action: Action
    decision: Decision

    @property
    def model_message(self) -> str:
        """Ready to hand to the agent's model as the result of its tool call."""
        return self.decision.model_message


@dataclass(frozen=True)
class Responded(NeitherTrueNorFalse):
    """A reviewer answered instead of approving; the answer is `decision.message`."""

    action: Action
    decision: Decision

    @property
    def model_message(self) -> str:
        """Ready to hand to the agent's model as the result of its tool call."""
        return self.decision.model_message


@dataclass(frozen=True)
class NotDecided(NeitherTrueNorFalse):
    """Nobody decided: neither an approval nor a rejection. The call must not run."""

    action: Action | None
    """None where the guard could not be reached."""
    reason: Reason
    detail: str = ""

    @property
    def is_open(self) -> bool:
        """Whether somebody may still decide, so that it can be waited for again."""
        return self.reason in UNDECIDED

    @property
    def model_message(self) -> str:
        """Ready to hand to the agent's model as the result of its tool call."""
        return f"The call was not run: {self.detail}"


Outcome: TypeAlias = Approved | Rejected | Responded | NotDecided
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
        raise MalformedAnswerError(f"{unknown!r} is unknown here, or lacks a decision; the call must not run.")
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
