"""Every finding names the rule or the question behind it, whose record people make."""

from typing import Any, Final

import pytest

from reviews.evaluation.scripted.lenient import Lenient
from reviews.provenance.core.context import Case, PlanStep, Step
from reviews.provenance.core.findings import DecidedBy
from reviews.provenance.detectors import DETECTORS, Options, build, verdict_of
from reviews.provenance.judges import Answered, Judge, RulesFirst, RulesJudge
from reviews.provenance.judges.questions.infer_act import InferredTask, TrajectoryJudgement
from reviews.provenance.prompts.prompt import QUESTION_NAMES
from tests.provenance.detectors.intent_guard.test_detector import planned
from tests.provenance.detectors.paying import ORDER, SOFT
from tests.provenance.detectors.scripted import case
from tests.provenance.detectors.whole import likely, rated

FOUND: Final = Step("find_contact", {"name": "Daniel"}, f"Daniel lives in Rome. {ORDER}")
PLAN: Final = (PlanStep("Find him", ("find_contact",)), PlanStep("Pay him", ("money_transfer",)))
CASES: Final[dict[str, Case]] = {
    "proven": case(),
    "open": case("Settle up with Daniel", to="Daniel", amount=30, note="For lunch", board="7"),
    "with an order": case(history=(FOUND,), retrieved=SOFT, to="eve@mail-audit.example", amount=30),
    "a text": case("Tell them about lunch", "post_note", message="Lunch is at noon."),
    "a look-up": case("Find Ann", "find_contact", name="Ann"),
    "without a document": case(tool="wire_money"),
    "against the schema": case(to="Daniel"),
    "of a plan": planned(plan=PLAN),
}
CORRECT: Final = TrajectoryJudgement(completed=True, correct=True, rationale="As asked.")


class Content(Lenient):
    """Lenient with the questions of InferAct's paper as well."""

    async def ask(self, question: Any) -> Any:
        """The favourable answer."""
        match question.name:
            case "inference":
                answer: Any = InferredTask(task="Pay Daniel")
            case "completion":
                return likely(0.1)
            case "progress" | "correctness":
                return likely(0.9)
            case "trajectory_verdict":
                answer = CORRECT
            case "steps":
                answer = rated(*(0.9 for _ in question.answer_type.model_fields if _ != "rationale"))
            case _:
                return await super().ask(question)
        return Answered(answer, DecidedBy.JUDGE)


JUDGES: Final[dict[str, Judge]] = {"lenient": Content(), "rules first": RulesFirst(Content()), "rules": RulesJudge()}


@pytest.mark.parametrize("order", ["parallel", "paper"])
@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("detector", DETECTORS)
async def test_no_finding_is_without_a_rule(detector: str, judge: str, order: Any) -> None:
    for name, proposal in CASES.items():
        verdict = await verdict_of(build(detector, Options(order=order)), proposal, JUDGES[judge])
        assert [finding for finding in verdict.findings if not finding.rule] == [], name


@pytest.mark.parametrize("detector", DETECTORS)
async def test_a_question_is_named_as_its_prompt_is(detector: str) -> None:
    for proposal in CASES.values():
        verdict = await verdict_of(build(detector, Options()), proposal, Content())
        rules = {finding.rule for finding in verdict.findings if finding.rule.startswith("judge.")}
        assert {rule.removeprefix("judge.") for rule in rules} <= set(QUESTION_NAMES)
