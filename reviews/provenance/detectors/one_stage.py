"""A detector that settles everything in one stage: it needs a name, a version and one judgement."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Final

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.base import StagedDetector, Stages
from reviews.provenance.detectors.critical_actions import is_critical
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.tool_stage import check_specification
from reviews.provenance.judges.base import Judge

STAGE: Final = "alignment"
"""Name of the stage in which a call is judged as a whole."""


class OneStage(StagedDetector[Case]):
    """Asks about calls that may change something: what only reads passes, what nobody documented is rejected."""

    critical_only: ClassVar[bool] = False
    """Whether the method is made for critical actions: where a workspace names any, it asks about these alone."""
    by_score: ClassVar[bool] = False
    """Whether a call that has a score passes exactly when this reaches the threshold."""

    async def _run_stages(self, case: Case, judge: Judge, done: Mapping[str, StageResult]) -> Stages:
        if STAGE in done:
            return
        stage = Stage(STAGE, judge, self._options, case.context)
        # Where a workspace names critical actions, these count instead of the documents' marks.
        kinds = self._options.critical if self.critical_only else ()
        critical = is_critical(case.action, kinds) if kinds else None
        yield check_specification(case, stage, critical=critical) or await self.judge_call(case, stage)

    @abstractmethod
    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """The method's result for a call that it looks at."""
