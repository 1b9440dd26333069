"""What became of a proposed call, as a value to match on: only `Approved` lets it run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from .values import UNDECIDED, Action, Call, Decision, NeitherTrueNorFalse

Reason: TypeAlias = Literal["checking", "pending", "expired", "cancelled", "superseded", "repeated", "unreachable"]
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
    """None where the guard could not be reached with the proposal. With `unreachable` it may still be open."""
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
