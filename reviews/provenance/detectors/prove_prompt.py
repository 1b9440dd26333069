"""ProvePrompt: one question that asks for the provenance of everything at once (ProvenanceGuard paper, 5.2).

It stands between DirectPrompt and ProvenanceGuard: the relations without the stages. Like theirs, its answer is
believed.
"""

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.judgement import judged_at_once
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.questions.provenance_guard import Provenance

NAME = "prove-prompt"
VERSION = "1.0"


class ProvePrompt(OneStage):
    """An LLM as a judge, asked once to trace tool, values and reading. Calls that only read pass."""

    name = NAME
    version = VERSION

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """One call."""
        return await judged_at_once(Provenance(case), case, stage)
