"""A detector that settles everything in one stage: it needs a name, a version and one judgement."""

import time
from abc import ABC, abstractmethod
from dataclasses import replace

from reviews.provenance.context import Case
from reviews.provenance.detectors.base import Options, Stages
from reviews.provenance.detectors.stages.stage import Stage
from reviews.provenance.detectors.stages.tool import specified
from reviews.provenance.judges.base import Judge
from reviews.provenance.relations import StageResult


class OneStage(ABC):
    """Asks about calls that may change something: what only reads passes, what nobody documented is rejected."""

    name: str
    version: str

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options()

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        """Yield the one stage `alignment`. Raises what the judge raises."""
        if done:
            return
        started = time.perf_counter()
        stage = Stage("alignment", judge, self._options, case.context)
        result = specified(case, stage) or await self.judged(case, stage)
        yield replace(result, seconds=time.perf_counter() - started)

    @abstractmethod
    async def judged(self, case: Case, stage: Stage) -> StageResult:
        """What the method makes of a critical action. Raises what the judge raises."""
