"""Everything but permission is an error, so that a forgotten `if` runs nothing.

GuardError
├── UnusableKeyError         the key cannot be sent
├── UnreachableError         no usable connection, or no answer in time
├── ProblemError             the API refused the request
├── MalformedAnswerError     the answer is not what the API documents
├── UncheckedPlanError       the plan gate did not answer in time
└── NotRunnableError         the call must not run
    ├── RejectedError        a reviewer or the workspace's policy said no
    ├── RespondedError       a reviewer answered instead
    ├── ChangedToolError     another tool was approved than the one that is at hand
    ├── UnusableArgumentsError  the API refused what the model wrote (a `ProblemError` too)
    ├── ClosedError          the client was closed meanwhile
    ├── BrokenOffError       the call had begun, and one that it makes must not run
    └── NotDecidedError      nobody decided; `outcome.reason` says why
        ├── ExpiredError     nobody decided in time
        ├── WithdrawnError   cancelled, or another action took its place
        └── UndecidedError   the wait ended first; the action is still open
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .outcomes import NotDecided
    from .values import Decision


class GuardError(Exception):
    """Any reason not to run the call."""


class UnusableKeyError(GuardError):
    """The key has characters that no key has, so it was not sent. The message tells which, and never the key."""


class UnreachableError(GuardError):
    """The guard could not be reached, only reported trouble of its own, or did not answer in time."""


class MalformedAnswerError(GuardError):
    """The answer is not what the API documents; nothing in it is believed."""


class ProblemError(GuardError):
    """The API refused, as RFC 9457 problem details."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        """The HTTP status."""
        self.problem = problem
        """The whole answer."""
        # RFC 9457: a problem without a type is one that its status says all about.
        self.type = str(problem.get("type", "about:blank"))
        self.request_id = str(problem.get("request_id", ""))
        """What the guard's operator finds the request by."""
        listed = problem.get("errors")
        wrong_fields = listed if isinstance(listed, list) else []
        self.errors: list[Mapping[str, str]] = [wrong for wrong in wrong_fields if isinstance(wrong, Mapping)]
        """Each wrong field: `pointer` and `detail`."""
        # All wrong fields in one message: an agent's log is read once, and every field has to be mended.
        detail = str(problem.get("detail") or problem.get("title") or "refused")
        field_details = [f"{wrong.get('pointer')}: {wrong.get('detail')}" for wrong in self.errors]
        # The detail may name some of them already.
        fields = "; ".join(field for field in field_details if field.rstrip(".") not in detail)
        super().__init__(f"{status}: {detail}" + (f" ({fields})" if fields else ""))


class UncheckedPlanError(GuardError):
    """The plan gate did not answer in time; the plan must not be carried out. It may be submitted again."""


class NotRunnableError(GuardError):
    """The call must not run."""

    @property
    def model_message(self) -> str:
        """Ready to hand to the agent's model as the result of its tool call."""
        return str(self)


class _DecidedAgainstError(NotRunnableError):
    def __init__(self, decision: Decision) -> None:
        # The message of the exception is what an agent that only logs it would hand to its model.
        super().__init__(decision.model_message)
        self.decision = decision
        """Whose `model_message` is ready to hand to the agent's model."""


class RejectedError(_DecidedAgainstError):
    """A reviewer or the workspace's policy said no."""


class RespondedError(_DecidedAgainstError):
    """A reviewer answered instead of approving; the answer is `decision.message`."""


class ChangedToolError(NotRunnableError):
    """Nothing at hand runs the tool that was approved: a reviewer chose it, or the model has made it up."""


class UnusableArgumentsError(NotRunnableError, ProblemError):
    """The API refused the arguments that the model wrote, such as a number that is too large; it may mend them."""

    @property
    def model_message(self) -> str:
        """Ready to hand to the agent's model as the result of its tool call."""
        return f"The call was not run. {self}"


class ClosedError(NotRunnableError):
    """The client was closed while this waited, by another thread. What it had proposed is withdrawn."""


class BrokenOffError(NotRunnableError):
    """A call that was made within this one must not run. This one had begun: what it did before that is done."""

    def __init__(self, refusal: NotRunnableError) -> None:
        super().__init__(f"The call had begun when another that it makes was refused: {refusal.model_message}")


class NotDecidedError(NotRunnableError):
    """Nobody decided. This is neither an approval nor a rejection."""

    def __init__(self, outcome: NotDecided) -> None:
        super().__init__(outcome.model_message)
        self.outcome = outcome
        """With the action, where there is one, and the reason."""


class ExpiredError(NotDecidedError):
    """Nobody decided in time. This is not a rejection."""


class WithdrawnError(NotDecidedError):
    """The action was cancelled, or another one took its place."""


class UndecidedError(NotDecidedError):
    """The wait ended first; the action is still open and may be waited for again."""
