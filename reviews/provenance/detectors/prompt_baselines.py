"""One question about the whole call, the kind of misalignment included (ProvenanceGuard paper, 5.2: its baselines)."""

from typing import ClassVar

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage, rule_of
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.provenance_guard import Alignment, Provenance


class DirectPrompt(OneStage):
    """An LLM as a judge, asked once, with the definitions of misalignment and nothing else.

    Calls that only read pass, as in the comparison it is made for.
    """

    name = "direct-prompt"
    version = "1.0"
    question: ClassVar[type[Alignment] | type[Provenance]] = Alignment

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """The answer decides; without one a person looks."""
        reply = await stage.ask(self.question(case))
        if isinstance(reply, Unknown):
            return stage.undetermined(reply.reason)
        # It is about the call as a whole, and CanAddress is the one relation that names tool, values and step.
        stage.record_answer(Relation.CAN_ADDRESS, case.action.tool, reply, rule=rule_of(self.question))
        # An answer that names no kind leaves the values in doubt.
        return stage.concluded(Misalignment(reply.answer.misalignment or Misalignment.PARAMETER))


class ProvePrompt(DirectPrompt):
    """The same, asked to trace tool, values and reading: the relations without the stages, its answer believed."""

    name = "prove-prompt"
    question = Provenance
