"""What every detector is: a function of a case and a judge to stages, from which the verdict follows.

Whatever asks the judge raises what the judge raises.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.core.verdicts import Verdict, conclude_stages
from reviews.provenance.detectors.critical_actions import CriticalAction
from reviews.provenance.judges.base import Judge

Subject = TypeVar("Subject")
Stages: TypeAlias = AsyncGenerator[StageResult, None]
"""The stages of one check, as they are settled."""
Aggregate: TypeAlias = Literal["product", "min", "max", "mean"]
"""What several probabilities are made into."""


@dataclass(frozen=True)
class Options:
    """The choices a guard profile makes for a detector."""

    unknown: Literal["review", "pass"] = "review"
    """What a relation that nobody could establish means. `review` fails closed."""
    reconstruct_subtasks: bool = False
    """Have the judge infer the step s that a call serves where the agent names none, as the paper does for traces
    without plans (section 5.1.3); else the request stands in for it."""
    contribute_to: bool = True
    """Test ContributeTo(s, q), which the paper's pipeline leaves out (section 4.3.1)."""
    order: Literal["parallel", "paper"] = "parallel"
    """`parallel` asks everything at once, rules and verified evidence first; `paper` follows a publication's own
    order, cost and trust in the judge, for evaluation."""
    # Half: as likely as not. Methods that decide by scores are tuned on labelled data.
    threshold: float = 0.5
    """The least score with which a relation holds: P(true) where the judge's endpoint reports probabilities, or what a
    method makes of it. Raising it stops more; a paper's threshold t on a score against the call is 1 - t here."""
    # The product did best of the four (InferAct paper, appendix F).
    aggregate: Aggregate = "product"
    """What the probabilities of single steps are made into, where a method asks for them."""
    critical: tuple[CriticalAction, ...] = ()
    """The critical actions, for methods that look at nothing else (InferAct paper, section 3); empty: every call that
    may change something."""
    without_plan: Literal["review", "steps"] = "review"
    """For methods that judge a plan, when none was submitted: `review` fails closed; `steps` takes the calls made so
    far and the proposed one for the plan, for evaluation on records that hold none."""
    # As published.
    window: int = 5
    """h: how many of the latest calls are judged together, the proposed one included (IntentGuard paper, 3.3).

    Algorithm 1 takes a_(i-h) to a_i, which is one more: there h is this number less one."""

    @property
    def as_published(self) -> bool:
        """Whether a method runs as its publication has it."""
        return self.order == "paper"


class Detector(Protocol):
    """Judge one proposed action in its context."""

    name: str
    version: str

    def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        """Yield each stage as it is established, skipping those in `done`; stop after a final one.

        Raises `JudgeUnavailableError` when the judge cannot be reached: what was yielded before stands.
        """


class StagedDetector(ABC, Generic[Subject]):
    """Judges a case, or what else it is made for: runs no stage twice, and tells when each was settled."""

    name: str
    version: str
    """Changes with every change of behaviour, so that verdicts stay comparable."""

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options()

    async def stages(self, case: Subject, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        """Yield the stages that are not `done`; none behind a final one."""
        if any(stage.final for stage in done):
            return
        started = time.perf_counter()
        # Closed at once with this generator, not when the garbage collector comes by.
        async with aclosing(self._run_stages(case, judge, {stage.stage: stage for stage in done})) as results:
            async for result in results:
                yield replace(result, seconds=time.perf_counter() - started)

    @abstractmethod
    def _run_stages(self, case: Subject, judge: Judge, done: Mapping[str, StageResult]) -> Stages:
        """Yield what is not done, as it is settled."""


async def verdict_of(detector: Detector, case: Case, judge: Judge) -> Verdict:
    """Run every stage and conclude."""
    return conclude_stages(tuple([stage async for stage in detector.stages(case, judge)]))
