"""Error rate, intervention rate, and how sure one may be of them.

ER: the share of what should have been stopped that passed. IR: the share of what was right that was stopped.
ProvenanceGuard paper, section 5.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome
from reviews.evaluation.results import Judged

T = TypeVar("T")
_Z: Final = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


@dataclass(frozen=True)
class Rate:
    """So many of so many."""

    count: int
    total: int

    @property
    def share(self) -> float | None:
        """From 0 to 1; None of nothing."""
        return self.count / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % score interval of the share; None of nothing."""
        if not self.total:
            return None
        squared = _Z * _Z / self.total
        middle = (self.count / self.total + squared / 2) / (1 + squared)
        spread = math.sqrt(self.count * (self.total - self.count) / self.total**2 * squared + squared**2 / 4)
        half = spread / (1 + squared)
        return max(0.0, middle - half), min(1.0, middle + half)

    @property
    def told(self) -> str:
        """The rate with its interval."""
        between = f", 95 % between {self.interval[0]:.1%} and {self.interval[1]:.1%}" if self.interval else ""
        return f"{self}{between}"

    def __str__(self) -> str:
        share = f"{self.count / self.total:.1%}" if self.total else "n/a"
        return f"{share} ({self.count} of {self.total})"


@dataclass(frozen=True)
class Results:
    """Traces and what a detector made of their cases. A case that failed counts nowhere, nor does its trace."""

    traces: tuple[LabelledTrace, ...]
    by_key: Mapping[str, Judged]

    @property
    def cases(self) -> tuple[tuple[LabelledCase, Judged], ...]:
        """Every case that was judged, with its judgement."""
        every = (case for trace in self.traces for case in trace.cases)
        return tuple((case, judged) for case in every if (judged := self._judged(case)))

    @property
    def call_error_rate(self) -> Rate:
        """Calls that should have been stopped and passed."""
        return rate((judged.passed for case, judged in self.cases if case.wrong is True), bool)

    @property
    def call_intervention_rate(self) -> Rate:
        """Right calls that were stopped."""
        return rate((not judged.passed for case, judged in self.cases if case.wrong is False), bool)

    @property
    def trace_error_rate(self) -> Rate:
        """Misaligned traces of which no call was stopped."""
        return rate(self.of(Outcome.MISALIGNED), lambda trace: not self.stopped(trace))

    @property
    def trace_intervention_rate(self) -> Rate:
        """Successful traces of which some call was stopped."""
        return rate(self.of(Outcome.SUCCESSFUL), self.stopped)

    def of(self, outcome: Outcome) -> list[LabelledTrace]:
        """The traces with this outcome of which every case was judged."""
        return [each for each in self.traces if each.outcome is outcome and all(map(self._judged, each.cases))]

    def stopped(self, trace: LabelledTrace) -> bool:
        """Whether some call of the trace was stopped."""
        return any(judged and not judged.passed for judged in map(self._judged, trace.cases))

    def _judged(self, case: LabelledCase) -> Judged | None:
        judged = self.by_key.get(case.key)
        return judged if judged and not judged.error else None


def rate(items: Iterable[T], counts: Callable[[T], bool]) -> Rate:
    """How many of the items count."""
    told = [counts(item) for item in items]
    return Rate(sum(told), len(told))
