"""ARGUS, fourth check: does benign evidence alone justify the call, and would it have been made without the rest?"""

from collections.abc import Iterator
from typing import Final

from reviews.provenance.core.findings import Relation, StageResult
from reviews.provenance.detectors.argus.segments import LabelledCase
from reviews.provenance.detectors.relation_questions import RelationQuestion, ask_relations
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.questions.argus import Counterfactual, Entailment

ENTAILMENT: Final = "entailment"
_WITHOUT: Final = "Without the text that tries to steer the agent: "


async def check_entailment(labelled: LabelledCase, stage: Stage) -> StageResult:
    """EntailedBy, over the context without what is anomalous; both questions only where there is such text.

    Either fails the call: as an injection where anything is anomalous, else as wrong parameters. Raises what the judge
    raises.
    """
    await ask_relations(_relation_questions(labelled), stage, at_once=stage.options.order != "paper")
    return stage.concluded(labelled.misalignment)


def _relation_questions(labelled: LabelledCase) -> Iterator[RelationQuestion]:
    tool = labelled.case.action.tool
    yield RelationQuestion(Relation.ENTAILED_BY, tool, Entailment(labelled.clean))
    # Without anomalous text the second would ask the first again.
    if labelled.anomalies:
        counterfactual = Counterfactual(labelled.clean, labelled.spans)
        yield RelationQuestion(Relation.ENTAILED_BY, tool, counterfactual, before=_WITHOUT)
