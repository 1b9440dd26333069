import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from reviews.provenance.core.context import Case, Context, Message, PlanStep, Step
from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.core.verdicts import Aligned, Undetermined, Verdict, conclude_stages
from reviews.provenance.detectors import IntentGuard, Options, verdict_of
from reviews.provenance.detectors.intent_guard.answers import advice_of, gate_answer, gate_reason
from reviews.provenance.detectors.intent_guard.detector import PlanGate
from reviews.provenance.detectors.intent_guard.gates import MAX_PLAN, NO_PLAN
from reviews.provenance.judges import Caching, JudgeUnavailableError, RulesJudge
from reviews.provenance.judges.caching import MemoryAnswers
from reviews.provenance.judges.questions.intent_guard import (
    Caution,
    CombinationAnswer,
    DeviationAnswer,
    IntentAnswer,
    RiskAnswer,
    format_plan,
)
from reviews.provenance.prompts.prompt import load_prompt
from tests.provenance.detectors.scripted import COST, GIBBERISH, SEND, SILENT, TOOLS, ScriptedJudge, case, found
from tests.provenance.detectors.whole import USED_UP

PLAN = (PlanStep("Find Daniel", ("find_contact",)), PlanStep("Pay Daniel", ("money_transfer",)))
PLAN_CALLS = ["malicious_intent", "intent_deviation"]
TOOL_CALLS = ["tool_risk", "tool_risk", "tool_combination"]
ALL_CALLS = [*PLAN_CALLS, *TOOL_CALLS]
LOOKED_UP = (Step("find_contact", {"name": "Daniel"}, "id 7"),)
both_orders = pytest.mark.parametrize("order", ["paper", "parallel"])


def intent(label: Any) -> IntentAnswer:
    return IntentAnswer(label=label, rationale="What the plan is after.")


def deviation(label: Any) -> DeviationAnswer:
    return DeviationAnswer(label=label, rationale="Where the plan leads.")


def risk(label: Any) -> RiskAnswer:
    return RiskAnswer(label=label, rationale="What the tool does.")


def together(label: Any) -> CombinationAnswer:
    return CombinationAnswer(label=label, rationale="What the calls amount to.")


def judge(**answers: Any) -> ScriptedJudge:
    """One to whom everything is safe unless told otherwise."""
    safe = {
        "malicious_intent": intent("safe"),
        "intent_deviation": deviation("safe"),
        "tool_risk": risk("safe"),
        "tool_combination": together("safe"),
    }
    return ScriptedJudge(**{**safe, **answers})


def planned(proposal: Case | None = None, plan: tuple[PlanStep, ...] | None = PLAN) -> Case:
    proposal = proposal or case()
    return replace(proposal, context=replace(proposal.context, plan=plan))


def with_history(proposal: Case, *history: Step | Message) -> Case:
    return replace(proposal, context=replace(proposal.context, history=history))


async def check_gates(
    expected: str, asked: Any, calls: Sequence[str], proposal: Case | None = None, **options: Any
) -> Verdict:
    """The verdict is `aligned`, `undetermined` or the type of misalignment, after just these questions."""
    proposal = proposal or planned()
    verdict = await verdict_of(IntentGuard(Options(**options)), proposal, asked)
    assert getattr(verdict, "type", verdict.label) == expected, verdict
    assert sorted(asked.asked) == sorted(calls)
    assert all(proposal.context.verifies(span) for finding in verdict.findings for span in finding.evidence)
    return verdict


async def check_plan_gate(answer: str, reason: str, asked: Any, context: Context | None = None, **options: Any) -> None:
    gate = PlanGate(Options(**options))
    verdict = conclude_stages(tuple([stage async for stage in gate.stages(context or planned().context, asked)]))
    assert gate_answer(verdict) == answer
    assert reason in gate_reason(verdict)


@both_orders
async def test_a_first_step_takes_two_calls_for_the_plan_one_for_each_tool_and_one_for_the_calls(order: str) -> None:
    verdict = await check_gates("aligned", judge(), ALL_CALLS, order=order)
    assert [stage.stage for stage in verdict.stages] == ["plan", "tool"]
    assert verdict.usage.calls == 5


async def test_as_published_the_gates_are_asked_in_their_order() -> None:
    asked = judge()
    await check_gates("aligned", asked, ALL_CALLS, order="paper")
    assert asked.asked == ALL_CALLS


async def test_both_gates_are_asked_at_once_unless_as_published() -> None:
    blocked = judge(tool_risk=risk("blocked")).silent_on(*PLAN_CALLS)
    await check_gates("tool", blocked, [*PLAN_CALLS, "tool_risk", "tool_risk"])


async def test_a_malicious_plan_ends_it_at_once() -> None:
    verdict = await check_gates("plan", judge(malicious_intent=intent("reject")), PLAN_CALLS[:1], order="paper")
    assert found(verdict, Relation.PERMITTED_BY, "plan").rationale == "What the plan is after."


@pytest.mark.parametrize("label", ["rewrite", "reject"])
async def test_a_plan_that_deviates_is_held_before_any_tool_is_looked_at(label: str) -> None:
    verdict = await check_gates("plan", judge(intent_deviation=deviation(label)), PLAN_CALLS, order="paper")
    assert found(verdict, Relation.CONTRIBUTE_TO, "plan").holds is False


async def test_a_rejected_plan_does_not_wait_for_what_cannot_change_the_verdict() -> None:
    slow = judge(malicious_intent=intent("reject")).silent_on("intent_deviation", "tool_risk")
    await check_gates("plan", slow, [*PLAN_CALLS, "tool_risk", "tool_risk"])


async def test_a_plan_to_be_rewritten_may_still_turn_out_malicious() -> None:
    answers = {"malicious_intent": intent("reject"), "intent_deviation": deviation("rewrite")}
    await check_plan_gate("reject", "What the plan is after.", judge(**answers))


@both_orders
async def test_a_blocked_tool_is_not_looked_at_together_with_others(order: str) -> None:
    asked = judge(tool_risk=risk("blocked"))
    risks = ["tool_risk"] * (1 if order == "paper" else 2)
    verdict = await check_gates("tool", asked, [*PLAN_CALLS, *risks], order=order)
    finding = found(verdict, Relation.PERMITTED_BY, "money_transfer")
    assert (finding.holds, finding.rationale) == (False, "What the tool does.")
    assert finding.evidence[0].source == "tool/money_transfer"


@both_orders
async def test_a_cautious_tool_goes_on_to_the_calls_together(order: str) -> None:
    asked = judge(tool_risk=risk("cautious"))
    await check_gates("aligned", asked, ALL_CALLS, order=order)
    assert asked.questions[-1].cautious[0] == Caution("money_transfer", "What the tool does.")


async def test_a_cautious_tool_of_which_no_reason_is_told_is_cautious_all_the_same() -> None:
    asked = judge(tool_risk=RiskAnswer(label="cautious", rationale=""))
    await check_gates("aligned", asked, ALL_CALLS, order="paper")
    assert asked.questions[-1].cautious[0] == Caution("money_transfer", "")


@both_orders
async def test_calls_that_do_harm_together_mean_another_plan(order: str) -> None:
    verdict = await check_gates("plan", judge(tool_combination=together("rewrite")), ALL_CALLS, order=order)
    assert found(verdict, Relation.PERMITTED_BY, "calls").holds is False


async def test_a_safe_tool_needs_no_caution() -> None:
    asked = judge()
    await check_gates("aligned", asked, ALL_CALLS, order="paper")
    assert asked.questions[-1].cautious == ()


async def test_a_read_only_tool_is_judged_like_any_other() -> None:
    reading = planned(case(tool="find_contact", name="Daniel"))
    await check_gates("plan", judge(tool_combination=together("rewrite")), ALL_CALLS, reading)


@both_orders
async def test_an_undocumented_tool_is_rejected_unasked(order: str) -> None:
    verdict = await check_gates("tool", judge(), [], planned(case(tool="nothing_like_it")), order=order)
    assert found(verdict, Relation.SPECIFIED_BY, "nothing_like_it").holds is False


async def test_tools_called_before_are_asked_about_once_each() -> None:
    proposal = planned(case(history=LOOKED_UP * 3))
    await check_gates("aligned", judge(), ALL_CALLS, proposal)


async def test_with_a_judge_that_remembers_a_later_step_pays_for_itself_alone() -> None:
    remembering = Caching(judge(), MemoryAnswers(), scope="acme")
    await verdict_of(IntentGuard(), planned(case(tool="find_contact", name="Daniel")), remembering)
    later = await verdict_of(IntentGuard(), planned(case(history=LOOKED_UP)), remembering)
    assert later.usage.calls == 1


async def test_a_tool_called_before_may_be_what_needs_caution() -> None:
    asked = judge(tool_risk=risk("cautious"))
    await check_gates("aligned", asked, ALL_CALLS, planned(case(history=LOOKED_UP)))
    assert [each.tool for each in asked.questions[-1].cautious] == ["money_transfer", "find_contact"]


async def test_a_tool_called_before_whose_document_is_gone_needs_caution() -> None:
    asked = judge()
    await check_gates("aligned", asked, ALL_CALLS, planned(case(history=(Step("gone", {}, "done"),))))
    assert [each.tool for each in asked.questions[-1].cautious] == ["gone"]


@pytest.mark.parametrize(("window", "expected"), [(5, 5), (2, 2), (1, 1), (0, 1)])
async def test_so_many_of_the_latest_calls_are_judged_together(window: int, expected: int) -> None:
    asked = judge()
    history = tuple(Step("money_transfer", {"amount": number}) for number in range(9))
    await check_gates("aligned", asked, ALL_CALLS, planned(case(history=history)), window=window)
    amounts = [call.arguments["amount"] for call in asked.questions[-1].calls]
    assert amounts == [*range(9), 30][-expected:]


@both_orders
@pytest.mark.parametrize("question", ALL_CALLS)
@pytest.mark.parametrize("answer", [GIBBERISH, USED_UP])
async def test_output_that_cannot_be_read_is_no_permission(order: Any, question: str, answer: Any) -> None:
    asked = judge(**{question: answer})
    verdict = await verdict_of(IntentGuard(Options(order=order, unknown="pass")), planned(), asked)
    assert isinstance(verdict, Undetermined)
    assert answer.reason in verdict.reason


async def test_a_rejection_outweighs_an_answer_that_is_missing() -> None:
    asked = judge(malicious_intent=GIBBERISH, tool_combination=together("rewrite"))
    await check_gates("plan", asked, ALL_CALLS)


@both_orders
async def test_what_rules_cannot_tell_is_the_profiles_choice(order: Any) -> None:
    verdicts = [
        await verdict_of(IntentGuard(Options(order=order, unknown=unknown)), planned(), RulesJudge())
        for unknown in ("review", "pass")
    ]
    assert [verdict.label for verdict in verdicts] == ["undetermined", "aligned"]


@both_orders
@pytest.mark.parametrize("plan", [None, ()])
async def test_without_a_plan_a_person_looks_and_nobody_is_asked(order: str, plan: Any) -> None:
    verdict = await check_gates("undetermined", judge(), [], planned(plan=plan), order=order, unknown="pass")
    assert isinstance(verdict, Undetermined)
    assert verdict.reason == NO_PLAN


async def test_the_calls_stand_in_for_a_plan_where_the_options_say_so() -> None:
    asked = judge()
    history = (replace(LOOKED_UP[0], subtask="Look Daniel up"), Message("user", "Hurry"), Step("post_note", {}))
    proposal = replace(case(), context=replace(case().context, history=history))
    await check_gates("aligned", asked, [*ALL_CALLS, "tool_risk"], proposal, without_plan="steps")
    assert asked.questions[0].plan == (
        PlanStep("Look Daniel up", ("find_contact",)),
        PlanStep("post_note", ("post_note",)),
        PlanStep("Pay Daniel", ("money_transfer",)),
    )


async def test_a_submitted_plan_goes_before_the_calls() -> None:
    asked = judge()
    await check_gates("aligned", asked, ALL_CALLS, without_plan="steps")
    assert asked.questions[0].plan == PLAN


DIALOGUE = (
    LOOKED_UP[0],
    Message("assistant", 'You owe him $30.\n{"role": "user"}'),
    Message("user", "Now pay\u2028Daniel"),
    Message("assistant", "I pay him."),
)


@both_orders
async def test_intent_is_the_first_message_verbatim_and_every_later_turn(order: str) -> None:
    asked = judge()
    proposal = planned(case("What do I  owe?\n"))
    await check_gates("aligned", asked, ALL_CALLS, with_history(proposal, *DIALOGUE), order=order)
    for question in asked.questions:
        if question.name != "tool_risk":
            assert question.material["context"][0].text == "What do I  owe?\n"
            shown = question.material["context"][1].text.split("\n")
            assert [json.loads(line)["content"] for line in shown[:2]] == [turn.text for turn in DIALOGUE[1:3]]


async def test_what_the_agent_tells_itself_does_not_have_the_plan_judged_again() -> None:
    remembering = Caching(judge(), MemoryAnswers(), scope="acme")
    await verdict_of(IntentGuard(), with_history(planned(), *DIALOGUE[:3]), remembering)
    later = await verdict_of(IntentGuard(), with_history(planned(), *DIALOGUE), remembering)
    assert later.usage.calls == 1


@both_orders
async def test_a_call_that_no_step_of_the_plan_uses_is_stopped_by_rule(order: str) -> None:
    unplanned = planned(case(tool="post_note", message="Hello"))
    verdict = await check_gates("plan", judge(), PLAN_CALLS if order == "paper" else [], unplanned, order=order)
    finding = found(verdict, Relation.PERMITTED_BY, "post_note")
    assert (finding.holds, finding.decided_by, finding.rule) == (False, "rule", "gates.unplanned_tool")


async def test_a_plan_of_hundreds_of_tools_costs_no_hundreds_of_questions() -> None:
    tools = tuple(replace(SEND, name=f"tool_{number}") for number in range(300))
    plan = (*PLAN, PlanStep("All of it", tuple(tool.name for tool in tools)))
    asked = judge()
    await verdict_of(IntentGuard(), planned(case(tools=(*TOOLS, *tools)), plan), asked)
    assert asked.asked.count("tool_risk") == 20
    assert len(asked.questions[-1].cautious) == 302 - 20


async def test_a_plan_too_long_to_be_shown_whole_is_not_judged() -> None:
    long = planned(plan=(PlanStep("x" * MAX_PLAN),))
    verdict = await check_gates("undetermined", judge(), [], long, order="paper")
    assert isinstance(verdict, Undetermined)
    assert "too long" in verdict.reason


@pytest.mark.parametrize("question", [*PLAN_CALLS, "tool_combination"])
async def test_the_longest_plan_is_shown_whole_beside_a_request_of_any_length(question: str) -> None:
    tools = ("money_transfer", "find_contact")
    plan = (PlanStep("x" * (MAX_PLAN - len(format_plan((PlanStep("", tools),)))), tools),)
    asked, turns = judge(), Message("user", "And Daniel " * 100_000)
    await check_gates("aligned", asked, ALL_CALLS, with_history(planned(case("Pay Daniel " * 100_000), plan), turns))
    material = asked.questions[asked.asked.index(question)].material
    assert format_plan(plan) in load_prompt(question).fill_in(material)[1]


async def test_a_rationale_of_any_length_is_kept_in_short() -> None:
    endless = IntentAnswer(label="reject", rationale="why \n" * 5_000)
    verdict = await check_gates("plan", judge(malicious_intent=endless), PLAN_CALLS[:1], order="paper")
    assert len(verdict.findings[0].rationale) == 400


async def test_a_killed_check_resumes_behind_the_plan() -> None:
    asked = judge()
    done = (StageResult("plan"),)
    stages = [each.stage async for each in IntentGuard().stages(planned(), asked, done)]
    assert (stages, asked.asked) == (["tool"], TOOL_CALLS)


async def test_a_plan_that_is_gone_when_a_check_resumes_is_missed() -> None:
    (stage,) = [each async for each in IntentGuard().stages(planned(plan=None), judge(), (StageResult("plan"),))]
    assert stage.undetermined == NO_PLAN


async def test_a_settled_check_is_not_run_again() -> None:
    done = (StageResult("plan", misalignment=Misalignment.PLAN),)
    assert [each async for each in IntentGuard().stages(planned(), judge(), done)] == []


@both_orders
async def test_a_judge_out_of_reach_is_told(order: Any) -> None:
    asked = judge(intent_deviation=JudgeUnavailableError("away"))
    with pytest.raises(JudgeUnavailableError):
        await verdict_of(IntentGuard(Options(order=order)), planned(), asked)


async def test_the_plan_gate_alone_takes_two_calls() -> None:
    asked = judge()
    await check_plan_gate("safe", "the plan", asked, order="paper")
    assert asked.asked == PLAN_CALLS


@both_orders
async def test_the_plan_gate_tells_a_plan_to_be_rewritten_from_a_rejected_one(order: str) -> None:
    for answers, expected, reason in (
        ({"malicious_intent": intent("reject")}, "reject", "What the plan is after."),
        ({"intent_deviation": deviation("reject")}, "reject", "Where the plan leads."),
        ({"intent_deviation": deviation("rewrite")}, "rewrite", "Where the plan leads."),
    ):
        await check_plan_gate(expected, reason, judge(**answers), order=order)


@pytest.mark.parametrize("answer", [GIBBERISH, USED_UP, SILENT])
async def test_a_plan_that_could_not_be_judged_is_rejected(answer: Any) -> None:
    await check_plan_gate("reject", "could not check", judge(intent_deviation=answer))


async def test_a_plan_gate_without_a_plan_rejects() -> None:
    await check_plan_gate("reject", NO_PLAN, judge(), planned(plan=None).context)


async def test_a_plan_that_passes_unjudged_says_so() -> None:
    await check_plan_gate("safe", "No model judged this plan.", RulesJudge(), unknown="pass")


async def test_the_plan_gate_does_not_repeat_what_is_done() -> None:
    assert [each async for each in PlanGate().stages(planned().context, judge(), (StageResult("plan"),))] == []


@pytest.mark.parametrize(
    ("answers", "advice"),
    [
        ({"malicious_intent": intent("reject")}, "Stop and tell the user that the plan was rejected: What the plan is"),
        ({"intent_deviation": deviation("reject")}, "Stop and tell the user that the plan was rejected: Where the"),
        ({"intent_deviation": deviation("rewrite")}, "Rewrite the plan so that every step serves what the user asked"),
        ({"tool_risk": risk("blocked")}, "Rewrite the plan without this tool: What the tool does."),
        ({"tool_combination": together("rewrite")}, "Rewrite the plan so that its calls do no harm together: What"),
    ],
)
async def test_what_stops_a_call_is_told_to_the_planner(answers: Any, advice: str) -> None:
    verdict = await verdict_of(IntentGuard(Options(order="paper")), planned(), judge(**answers))
    told = advice_of(verdict)
    assert told is not None
    assert told.startswith(advice)


async def test_a_call_beside_the_plan_sends_the_planner_back_to_it() -> None:
    advice = advice_of(await verdict_of(IntentGuard(), planned(case(tool="post_note", message="Hello")), judge()))
    assert (
        advice
        == "Keep to the plan, or submit a new one that has a step for this call: No step of the plan uses post_note."
    )


async def test_nothing_is_advised_where_nothing_has_to_be_planned_anew() -> None:
    assert advice_of(Aligned((StageResult("plan", usage=COST),))) is None
    assert advice_of(await verdict_of(IntentGuard(), planned(plan=None), judge())) is None
