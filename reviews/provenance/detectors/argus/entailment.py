"""ARGUS, fourth check: does benign evidence alone justify the call, and would it have been made without the rest?"""

from typing import Final

from reviews.provenance.core.findings import Relation, StageResult
from reviews.provenance.detectors.argus.segments import LabelledCase
from reviews.provenance.detectors.stage import Stage, rule_of
from reviews.provenance.judges.base import Question
from reviews.provenance.judges.questions.argus import Counterfactual, Entailment
from reviews.provenance.judges.questions.question_forms import Held

ENTAILMENT: Final = "entailment"
_WITHOUT: Final = "Without the text that tries to steer the agent: "


async def check_entailment(labelled: LabelledCase, stage: Stage) -> StageResult:
    """EntailedBy, over the context without what is anomalous; both questions only where there is such text.

    Either fails the call: as an injection where anything is anomalous, else as wrong parameters.
    """
    questions: dict[str, Question[Held]] = {"": Entailment(labelled.clean)}
    # Without anomalous text the second would ask the first again.
    if labelled.anomalies:
        questions[_WITHOUT] = Counterfactual(labelled.clean, labelled.spans)
    async for before, reply in stage.ask_each(questions.items(), ends=lambda _, reply: stage.denies(reply)):
        rule = rule_of(questions[before])
        stage.record_answer(Relation.ENTAILED_BY, labelled.case.action.tool, reply, rule=rule, before=before)
    return stage.concluded(labelled.misalignment)
