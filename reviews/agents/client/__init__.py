"""What an agent installs: propose a call, wait, and run only what was decided runnable. Needs httpx, nothing else.

```python
async with Guard("https://guard.example", key) as guard:
    action = await guard.submit({"query": query, "tools": tools, "history": history, "action": proposed})
    await guard.wait(action.id)  # raises unless the call may run
    call = await guard.execute(action.id)
    await guard.report(action.id, succeeded=True, outcome=run(call.tool, call.arguments))
```
"""

from reviews.agents.client.errors import (
    ExpiredError,
    GuardError,
    MalformedAnswerError,
    NotRunnableError,
    ProblemError,
    RejectedError,
    RespondedError,
    UncheckedPlanError,
    UndecidedError,
    UnreachableError,
    UnusableKeyError,
    WithdrawnError,
)
from reviews.agents.client.guard import Guard
from reviews.agents.client.values import Action, Call, Decision, Page, PlanAnswer, Provenance, Submission, Verdict

__all__ = [
    "Action",
    "Call",
    "Decision",
    "ExpiredError",
    "Guard",
    "GuardError",
    "MalformedAnswerError",
    "NotRunnableError",
    "Page",
    "PlanAnswer",
    "ProblemError",
    "Provenance",
    "RejectedError",
    "RespondedError",
    "Submission",
    "UncheckedPlanError",
    "UndecidedError",
    "UnreachableError",
    "UnusableKeyError",
    "Verdict",
    "WithdrawnError",
]
