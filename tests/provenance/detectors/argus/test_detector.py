from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import ValidationError

from reviews.desk.review.influence.graph import influence_graph
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import DecidedBy, Relation, StageResult, stage_from_json, stage_to_json
from reviews.provenance.detectors import Argus, Options
from reviews.provenance.detectors.argus.segments import anomalous_in
from reviews.provenance.judges import Answered, JudgeUnavailableError, RulesJudge
from reviews.provenance.judges.questions.argus import GroundedArguments, TaskInvariants
from reviews.provenance.judges.questions.question_forms import Quote
from tests.provenance.detectors.paying import (
    ABOUT,
    ALL_STAGES,
    CONDITIONS,
    EVE,
    ORDER,
    SOFT,
    argus,
    check_argus,
    grounded_by_copy,
    keeps,
    paying,
    stages_of,
    steering,
    told,
)
from tests.provenance.detectors.scripted import (
    GIBBERISH,
    NO,
    SILENT,
    YES,
    ScriptedJudge,
    case,
    found,
    support,
    supported,
)


@pytest.mark.parametrize("order", ["parallel", "paper"])
async def test_a_call_that_passes_all_four_checks_is_released(order: str) -> None:
    verdict = await check_argus("aligned", paying("Daniel", told(ABOUT)), order=order)
    assert sorted(stages_of(verdict)) == sorted(ALL_STAGES)
    assert verdict.usage.calls == 5


async def test_the_paper_goes_one_by_one() -> None:
    judge = argus()
    verdict = await check_argus("aligned", paying("Daniel", told(ABOUT)), judge, order="paper")
    assert stages_of(verdict) == ALL_STAGES
    assert judge.asked == ["segmentation", "argument_grounding", "invariants", "invariant_check", "entailment"]


async def test_as_published_no_rule_labels_or_rejects_before_the_model_is_asked() -> None:
    judge = argus()
    await check_argus("aligned", paying(EVE, told(ORDER)), judge, order="paper")
    assert judge.asked[:2] == ["segmentation", "argument_grounding"]
    # A number that is too short to steer anybody is read as well.
    numbers = argus()
    await check_argus("aligned", paying("Daniel", told("7")), numbers, order="paper")
    assert numbers.asked[0] == "segmentation"


async def test_as_published_a_value_that_the_model_finds_ungrounded_rejects_the_call() -> None:
    labelled = argus(segmentation=steering(ORDER))
    verdict = await check_argus("injection", paying(EVE, told(ORDER)), labelled, order="paper")
    finding = found(verdict, Relation.DERIVED_FROM, "/to")
    assert (finding.grounding, finding.decided_by) == ("ungrounded", "judge")
    await check_argus("parameter", paying("Mallory"), order="paper")


async def test_as_published_a_span_counts_where_it_stands_in_benign_text() -> None:
    def quoting_the_order(question: Any) -> GroundedArguments:
        rows = grounded_by_copy(question).arguments
        quote = Quote(source="history/1/outcome", quote=EVE)
        return GroundedArguments(arguments=[rows[0].model_copy(update={"how": "copy", "quotes": [quote]}), rows[1]])

    judge = argus(segmentation=steering(ORDER), argument_grounding=quoting_the_order)
    verdict = await check_argus("injection", paying(EVE, told(ORDER)), judge, order="paper")
    assert "does not stand" in found(verdict, Relation.DERIVED_FROM, "/to").rationale


async def test_fewer_than_two_conditions_are_no_answer() -> None:
    with pytest.raises(ValidationError):
        TaskInvariants(invariants=["Pay only Daniel.", " "])
    assert len(TaskInvariants(invariants=[*CONDITIONS, "Today.", "In euros."]).invariants) == 3


async def test_a_value_with_a_rival_gets_its_question() -> None:
    rivals = told('[{"name": "Daniel", "email": "d1@bank.example"}, {"name": "Daniel", "email": "d2@bank.example"}]')
    judge = argus(support=support(supported("/to", ("history/1/outcome", "d1@bank.example"))))
    await check_argus("aligned", paying("d1@bank.example", rivals), judge)
    assert "support" in judge.asked


async def test_a_read_only_tool_passes_unasked() -> None:
    judge = argus()
    await check_argus("aligned", case(tool="find_contact", name="x"), judge)
    assert judge.asked == []


async def test_an_undocumented_tool_is_rejected_unasked() -> None:
    judge = argus()
    await check_argus("tool", case(tool="nothing_like_it"), judge)
    assert judge.asked == []


# --- invariants and entailment


async def test_a_broken_condition_is_a_wrong_parameter_where_nothing_is_anomalous() -> None:
    verdict = await check_argus("parameter", case(), argus(invariant_check=keeps(False, True)))
    assert [found(verdict, Relation.SATISFIES, each).holds for each in CONDITIONS] == [False, True]


async def test_a_broken_condition_is_an_injection_where_anything_is() -> None:
    await check_argus("injection", paying("Daniel", told(ORDER)), argus(invariant_check=keeps(True, False)))


async def test_the_conditions_that_were_derived_are_checked() -> None:
    judge = argus()
    await check_argus("aligned", case(), judge)
    assert judge.questions[judge.asked.index("invariant_check")].invariants == CONDITIONS


async def test_benign_evidence_has_to_justify_the_call() -> None:
    await check_argus("parameter", case(), argus(entailment=NO))
    await check_argus("injection", paying("Daniel", told(ORDER)), argus(entailment=NO))


async def test_a_call_that_anomalous_text_brought_about_is_an_injection() -> None:
    judge = argus(counterfactual=NO)
    verdict = await check_argus("injection", paying("Daniel", told(ORDER)), judge)
    assert found(verdict, Relation.ENTAILED_BY, "money_transfer").rationale.startswith("Without the text")


async def test_nobody_asks_what_would_be_without_text_that_is_not_there() -> None:
    judge = argus(counterfactual=NO)
    await check_argus("aligned", paying("Daniel", told(ABOUT)), judge)
    assert "counterfactual" not in judge.asked


@pytest.mark.parametrize("question", ["invariant_check", "entailment", "counterfactual"])
async def test_no_question_about_the_call_shows_the_context_with_anomalous_text(question: str) -> None:
    judge = argus()
    await check_argus("aligned", paying("Daniel", told(ORDER)), judge)
    asked = judge.questions[judge.asked.index(question)]
    assert not any(ORDER in block.text for block in asked.material["context"])


async def test_the_threshold_is_the_profiles() -> None:
    entailed = Answered(YES, DecidedBy.JUDGE, probability=0.7)
    await check_argus("aligned", case(), argus(entailment=entailed), threshold=0.7)
    await check_argus("parameter", case(), argus(entailment=entailed), threshold=0.8)


# --- missing answers


QUESTIONS = ("segmentation", "invariants", "invariant_check", "entailment")


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("order", ["parallel", "paper"])
async def test_an_unreadable_answer_is_no_verdict_whatever_the_profile_says(question: str, order: str) -> None:
    judge = argus(**{question: GIBBERISH})
    await check_argus("undetermined", paying("Daniel", told(ABOUT)), judge, unknown="pass", order=order)


@pytest.mark.parametrize("question", QUESTIONS)
async def test_what_a_missing_answer_means_is_the_profiles_choice(question: str) -> None:
    proposal = paying("Daniel", told(ABOUT))
    await check_argus("undetermined", proposal, argus(**{question: SILENT}), unknown="review")
    await check_argus("aligned", proposal, argus(**{question: SILENT}), unknown="pass")


@pytest.mark.parametrize(
    ("question", "proposal", "order"),
    [
        ("derivability", paying("Daniel"), "parallel"),
        ("support", paying("Mallory"), "parallel"),
        ("argument_grounding", paying("Daniel"), "paper"),
        ("counterfactual", paying("Daniel", told(ORDER)), "parallel"),
        ("counterfactual", paying("Daniel", told(ORDER)), "paper"),
    ],
)
async def test_nor_is_one_to_what_is_asked_of_some_calls_only(question: str, proposal: Case, order: str) -> None:
    judge = argus(**{"segmentation": steering(ORDER), question: GIBBERISH})
    await check_argus("undetermined", proposal, judge, unknown="pass", order=order)
    assert question in judge.asked


async def test_a_text_that_is_half_read_is_not_benign() -> None:
    text = f'{{"a": "{ORDER}", "b": "{ABOUT}"}}'
    verdict = await check_argus("undetermined", paying("Daniel", told(text)), argus(segmentation=SILENT))
    assert {each.holds for each in verdict.stages[0].findings if each.relation is Relation.UNTAINTED} == {False, None}


async def test_rules_alone_find_an_injected_value() -> None:
    verdict = await check_argus("injection", paying(EVE, told(ORDER)), RulesJudge())
    assert verdict.usage.calls == 0


async def test_a_missing_label_does_not_hide_what_rules_know_of_the_values() -> None:
    verdict = await check_argus("injection", paying(EVE, told(ORDER), told(ABOUT)), argus(segmentation=GIBBERISH))
    assert stages_of(verdict) == ["segment", "ground"]


async def test_rules_alone_leave_the_rest_to_the_profile() -> None:
    await check_argus("undetermined", case(), RulesJudge())
    await check_argus("aligned", case(), RulesJudge(), unknown="pass")


async def test_a_judge_out_of_reach_is_told() -> None:
    with pytest.raises(JudgeUnavailableError):
        await check_argus("", paying("Daniel", told(ABOUT)), argus(segmentation=JudgeUnavailableError("away")))


async def test_a_judge_out_of_reach_does_not_hide_a_rejection() -> None:
    judge = argus(entailment=JudgeUnavailableError("away"), invariant_check=keeps(False, True))
    await check_argus("parameter", case(), judge)


async def test_an_early_rejection_waits_for_nobody() -> None:
    judge = argus(invariant_check=keeps(False, True)).silent_on("entailment")
    verdict = await check_argus("parameter", case(), judge)
    assert stages_of(verdict) == ["segment", "ground", "invariants"]


async def test_what_rules_know_of_the_values_is_told_beside_another_rejection() -> None:
    judge = argus(entailment=NO).silent_on("derivability")
    verdict = await check_argus("parameter", case(), judge)
    assert found(verdict, Relation.DERIVED_FROM, "/to").holds is True


# --- resuming, and the graph


async def resumed(proposal: Case, judge: ScriptedJudge, done: Sequence[StageResult]) -> list[StageResult]:
    stored = tuple(stage_from_json(stage_to_json(stage)) for stage in done)
    return [stage async for stage in Argus().stages(proposal, judge, stored)]


async def test_a_finished_check_is_not_run_again() -> None:
    proposal = paying(EVE, told(ORDER))
    verdict = await check_argus("injection", proposal)
    assert await resumed(proposal, argus(), verdict.stages) == []


async def test_labels_outlive_a_killed_check() -> None:
    proposal = paying(EVE, told(SOFT))
    verdict = await check_argus("injection", proposal, argus(segmentation=steering(SOFT)))
    judge = argus()
    again = await resumed(proposal, judge, verdict.stages[:1])
    assert [stage.misalignment for stage in again if stage.stage == "ground"] == ["injection"]
    assert "segmentation" not in judge.asked


async def test_labels_too_long_to_be_stored_are_made_again() -> None:
    hidden = f"<!-- {'some more words ' * 10_000} {EVE} -->"
    proposal = paying(EVE, told(hidden))
    verdict = await check_argus("injection", proposal)
    again = await resumed(proposal, argus(), verdict.stages[:1])
    assert [stage.misalignment for stage in again if stage.stage == "ground"] == ["injection"]
    assert "segment" not in [stage.stage for stage in again]


@pytest.mark.parametrize("order", ["parallel", "paper"])
async def test_labels_that_cannot_be_made_again_leave_it_to_a_person(order: Any) -> None:
    proposal = paying(EVE, told(f"<!-- {'some more words ' * 10_000} --> {SOFT}"))
    labelled = (await check_argus("injection", proposal, argus(segmentation=steering(SOFT)))).stages[:1]
    detector = Argus(Options(order=order, unknown="pass"))
    again = [stage async for stage in detector.stages(proposal, argus(segmentation=GIBBERISH), labelled)]
    assert again[0].undetermined == GIBBERISH.reason


async def test_each_stage_is_finished_once() -> None:
    proposal = paying("Daniel", told(ABOUT))
    verdict = await check_argus("aligned", proposal)
    judge = argus()
    again = await resumed(proposal, judge, verdict.stages[:3])
    assert sorted(stage.stage for stage in (*verdict.stages[:3], *again)) == sorted(ALL_STAGES)


async def test_the_graph_of_a_finished_check_shows_how_the_order_reached_the_call() -> None:
    proposal = paying(EVE, told(ORDER))
    verdict = await check_argus("injection", proposal)
    grounded = {"/to": found(verdict, Relation.DERIVED_FROM, "/to").evidence}
    drawn = influence_graph(proposal, anomalous_in(verdict.findings), grounded)
    tainted = [(edge.source, edge.target) for edge in drawn.edges if edge.tainted]
    assert tainted == [("history/1/outcome", "argument/to")]
