"""Have an agent's tool calls decided before they run: propose, wait, and run only what was decided runnable.

```python
guard = Guard("https://guard.example", key)
result = guard.run(tool_call, {"messages": messages, "tools": tools}, transfer_money)
```

`Guard` is for threads, `AsyncGuard` for asyncio; both say the same.
"""

from .asynchronous import AsyncGuard
from .conversation import Conversation
from .errors import (
    BrokenOffError,
    ChangedToolError,
    ClosedError,
    ExpiredError,
    GuardError,
    MalformedAnswerError,
    NotDecidedError,
    NotRunnableError,
    ProblemError,
    RejectedError,
    RespondedError,
    UncheckedPlanError,
    UndecidedError,
    UnreachableError,
    UnusableArgumentsError,
    UnusableKeyError,
    WithdrawnError,
)
from .outcomes import Approved, NotDecided, Outcome, Rejected, Responded
from .plans import PlanAnswer, PlanStep, Rewrites
from .synchronous import Guard
from .values import (
    Action,
    Call,
    Decision,
    Event,
    EventData,
    EventPage,
    Evidence,
    Execution,
    Finding,
    Interpretation,
    Page,
    Provenance,
    Submission,
    UserConfirmation,
    Verdict,
)

__all__ = [
    "Action",
    "Approved",
    "AsyncGuard",
    "BrokenOffError",
    "Call",
    "ChangedToolError",
    "ClosedError",
    "Conversation",
    "Decision",
    "Event",
    "EventData",
    "EventPage",
    "Evidence",
    "Execution",
    "ExpiredError",
    "Finding",
    "Guard",
    "GuardError",
    "Interpretation",
    "MalformedAnswerError",
    "NotDecided",
    "NotDecidedError",
    "NotRunnableError",
    "Outcome",
    "Page",
    "PlanAnswer",
    "PlanStep",
    "ProblemError",
    "Provenance",
    "Rejected",
    "RejectedError",
    "Responded",
    "RespondedError",
    "Rewrites",
    "Submission",
    "UncheckedPlanError",
    "UndecidedError",
    "UnreachableError",
    "UnusableArgumentsError",
    "UnusableKeyError",
    "UserConfirmation",
    "Verdict",
    "WithdrawnError",
]
