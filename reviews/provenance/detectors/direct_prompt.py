"""DirectPrompt: one question with the definitions of misalignment and nothing else (ProvenanceGuard paper, 5.2)."""

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.judgement import judged_at_once
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.questions.provenance_guard import Alignment

NAME = "direct-prompt"
VERSION = "1.0"


class DirectPrompt(OneStage):
    """An LLM as a judge, asked once. Calls that only read pass, as in the comparison it is made for."""

    name = NAME
    version = VERSION

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """One call."""
        return await judged_at_once(Alignment(case), case, stage)
