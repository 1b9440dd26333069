"""One judgement on the whole call, the kind of misalignment included (ProvenanceGuard paper, 5.2)."""

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.base import Question, Unknown
from reviews.provenance.judges.questions.provenance_guard import Judgement


async def judged_at_once(question: Question[Judgement], case: Case, stage: Stage) -> StageResult:
    """The answer decides; without one a person looks. Raises what the judge raises."""
    reply = await stage.ask(question)
    if isinstance(reply, Unknown):
        return stage.undetermined(reply.reason)
    # The question is about the call as a whole, and CanAddress is the one relation that names tool, values and step.
    stage.record_finding(
        Relation.CAN_ADDRESS, case.action.tool, stage.holds(reply), reply.answer.rationale,
        decided_by=reply.decided_by, score=reply.probability,
    )  # fmt: skip
    return stage.concluded(kind_of(reply.answer))


def kind_of(judgement: Judgement) -> Misalignment:
    """The kind it names; without one, the values are in doubt."""
    return Misalignment(judgement.misalignment or Misalignment.PARAMETER)
