"""What every detector is: a function of a case and a judge to stages, from which the verdict follows."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal, Protocol

from reviews.provenance.context import Case
from reviews.provenance.judges.base import Judge
from reviews.provenance.relations import StageResult, Verdict, conclude


@dataclass(frozen=True)
class Options:
    """The choices a guard profile makes for a detector."""

    unknown: Literal["review", "pass"] = "review"
    """What a relation that nobody could establish means. `review` fails closed."""
    contribute_to: bool = True
    """Test ContributeTo(s, q), which the paper's pipeline leaves out (section 4.3.1)."""


class Detector(Protocol):
    """Judge one proposed action in its context."""

    name: str
    version: str

    def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> AsyncIterator[StageResult]:
        """Yield each stage as it is established, skipping those in `done`; stop after a final one.

        Raises `JudgeUnavailableError` when the judge cannot be reached: what was yielded before stands.
        """
        ...


async def verdict_of(detector: Detector, case: Case, judge: Judge) -> Verdict:
    """Run every stage and conclude. Raises what the judge raises."""
    return conclude(tuple([stage async for stage in detector.stages(case, judge)]))
