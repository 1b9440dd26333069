"""How much work one check may do: exhausted, a rule says nothing more, and what it leaves open is unknown."""

import time
from dataclasses import dataclass, field

STEPS = 1_500_000
"""Comparisons of one check: about a second on a core, some hundred times what a usual conversation takes."""
_LOOKED = 1024
"""Steps between two looks at the clock, which costs as much as a step."""


class OutOfBudgetError(Exception):
    """The work of this check is done, whether or not it has an answer."""


@dataclass
class Budget:
    """Steps that are left, and when to stop whatever is left.

    Spent by every loop that pairs values with texts, records or calls;
    `tests/structure/test_budget.py` names those that do not.
    """

    steps: int = STEPS
    deadline: float | None = None
    """On `time.monotonic()`'s scale; None for no end."""
    exhausted: bool = field(default=False, init=False)

    def spend(self, steps: int = 1) -> None:
        """Take note of work about to be done. Raises `OutOfBudgetError` when there is no more to spend."""
        self.steps -= steps
        late = self.deadline is not None and self.steps % _LOOKED < steps and time.monotonic() > self.deadline
        if self.steps < 0 or late:
            self.exhausted = True
            raise OutOfBudgetError
