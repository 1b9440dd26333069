"""ProvenanceGuard: three stages, each tracing one kind of justification, the first failing one rejects.

Relations and stages follow the paper (sections 4.2 and 4.3), in its order. Beyond it: ContributeTo is tested, rules
answer before any model is asked, evidence is verified to the character, candidates are checked for admissibility.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

from reviews.provenance.context import Case
from reviews.provenance.detectors.base import Options
from reviews.provenance.detectors.stages.interpretation import check_interpretation
from reviews.provenance.detectors.stages.parameter import Ground, check_parameters
from reviews.provenance.detectors.stages.stage import Stage
from reviews.provenance.detectors.stages.tool import check_tool
from reviews.provenance.grounding import ground_arguments
from reviews.provenance.judges.base import Judge
from reviews.provenance.relations import StageResult

Check = Callable[[Case, Stage], Awaitable[StageResult]]

NAME = "provenance-guard"
VERSION = "1.0"
"""Changes with every change of behaviour, so that verdicts stay comparable."""


class ProvenanceGuard:
    """The default detector."""

    name = NAME
    version = VERSION

    def __init__(self, options: Options | None = None, *, ground: Ground = ground_arguments) -> None:
        self._options = options or Options()
        self._ground = ground

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> AsyncIterator[StageResult]:
        """Yield `tool`, `parameter`, `interpretation`, without those in `done`, up to the first final one.

        Raises what the judge raises: what was yielded before stands.
        """
        if any(stage.final for stage in done):
            return
        finished = {stage.stage for stage in done}
        for name, check in self._checks():
            if name in finished:
                continue
            result = await _timed(check, case, Stage(name, judge, self._options))
            yield result
            if result.final:
                return

    def _checks(self) -> tuple[tuple[str, Check], ...]:
        return (
            ("tool", check_tool),
            ("parameter", lambda case, stage: check_parameters(case, stage, self._ground)),
            ("interpretation", lambda case, stage: check_interpretation(case, stage, self._ground)),
        )


async def _timed(check: Check, case: Case, stage: Stage) -> StageResult:
    started = time.perf_counter()
    result = await check(case, stage)
    return replace(result, seconds=time.perf_counter() - started)
