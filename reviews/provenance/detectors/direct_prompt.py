"""DirectPrompt: one question with the definitions of misalignment and nothing else (ProvenanceGuard paper, 5.2)."""

import time
from dataclasses import replace

from reviews.provenance.context import Case
from reviews.provenance.detectors.base import Options, Stages
from reviews.provenance.detectors.stages.stage import Stage
from reviews.provenance.detectors.stages.tool import specified
from reviews.provenance.judges.base import Judge, Unknown
from reviews.provenance.judges.questions import Alignment
from reviews.provenance.relations import Misalignment, Relation, StageResult

NAME = "direct-prompt"
VERSION = "1.0"


class DirectPrompt:
    """An LLM as a judge, asked once. Calls that only read pass, as in the comparison it is made for."""

    name = NAME
    version = VERSION

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options()

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        """Yield the one stage `alignment`. Raises what the judge raises."""
        if done:
            return
        started = time.perf_counter()
        result = await _judged(case, Stage("alignment", judge, self._options, case.context))
        yield replace(result, seconds=time.perf_counter() - started)


async def _judged(case: Case, stage: Stage) -> StageResult:
    settled = specified(case, stage)
    if settled is not None:
        return settled
    reply = await stage.ask(Alignment(case))
    if isinstance(reply, Unknown):
        return stage.undetermined(reply.reason)
    stage.find(
        Relation.CAN_ADDRESS, case.action.tool, stage.holds(reply), reply.answer.rationale,
        decided_by=reply.decided_by, score=reply.probability,
    )  # fmt: skip
    return stage.concluded(Misalignment(reply.answer.misalignment or Misalignment.PARAMETER))
