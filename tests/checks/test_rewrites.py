"""Calls that the tool gate stops: which plan they are held against, what is counted, what the agent is told."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews.checks import rewrites, routing
from reviews.decisions import decide, holds, messages
from reviews.intake import plans
from reviews.intake.plans import Draft
from reviews.models import Action, Decision, Plan, Status, Trace
from reviews.models.reviews import WENT_ON
from reviews.profiles import versions
from reviews.provenance.core.context import Message, PlanStep, Step
from reviews.queue import review_claims
from reviews.records import load
from tests.cast import CONTEXT, WRONG, Cast, propose
from tests.gates import BLOCKED, FAITHFUL, HARMFUL, STRAYS, TOGETHER
from tests.jobs import check_plan, run_checks
from tests.provenance.detectors.scripted import ScriptedJudge

PAY = PlanStep("Pay Daniel for lunch.", ("money_transfer",))
TELL = PlanStep("Tell everybody.", ())
OTHER_PAST = replace(CONTEXT, history=(Step("search_contacts", {"name": "Dan"}, "[]"),))


@pytest.fixture
def guarded(cast: Cast, gates: ScriptedJudge) -> Cast:
    """A workspace that guards intents, and an agent that said what it is about to do."""
    versions.new_version(membership=cast.admin, detectors=["intent-guard"])
    plan(cast, PAY)
    return cast


def plan(cast: Cast, *steps: PlanStep, **choices: Any) -> None:
    draft = Draft(replace(CONTEXT, plan=steps), **{"trace_id": "conv-42", **choices})
    plans.submit_plan(agent_key=cast.agent, draft=draft)


def checked(cast: Cast, **choices: Any) -> Action:
    """A call the guard has looked at."""
    action = propose(cast, **choices)
    run_checks(action.pk)
    return Action.objects.select_related("trace", "profile").get(pk=action.pk)


def check_counted(action: Action, rewrites: int, status: str = Status.PENDING) -> None:
    assert (action.status, action.trace.rewrites) == (status, rewrites)


def message_to_agent(cast: Cast, action: Action, choice: Any) -> str:
    """The text for the agent's model when a reviewer decides so."""
    review_claims.claim_review(review=action.review, membership=cast.reviewer)
    decision = decide.decide_action(action=action, choice=choice, membership=cast.reviewer)
    action.trace.refresh_from_db()
    return messages.model_message_of(decision, rewrites.advice_of(action, action.checks.enforced()))


def test_a_call_is_held_against_the_last_plan_before_it(guarded: Cast) -> None:
    plan(guarded, PAY, TELL)
    action = propose(guarded)
    plan(guarded, TELL)
    assert load.load_context(action).plan == (PAY, TELL)


def test_a_plan_holds_however_the_past_is_told(guarded: Cast) -> None:
    assert load.load_context(propose(guarded, context=OTHER_PAST)).plan == (PAY,)


def test_a_plan_of_another_conversation_does_not_hold(guarded: Cast) -> None:
    assert load.load_context(propose(guarded, trace_id="conv-43")).plan is None


def test_a_plan_is_read_for_a_detector_in_shadow_too(cast: Cast) -> None:
    plan(cast, PAY)
    versions.new_version(membership=cast.admin, shadow=["intent-guard"])
    assert load.load_context(propose(cast)).plan == (PAY,)


def test_without_such_a_detector_no_query_is_spent_on_plans(cast: Cast) -> None:
    action = propose(cast)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert load.load_context(action).plan is None
    assert [query for query in queries.captured_queries if "reviews_plan" in query["sql"]] == []


def test_a_call_within_a_safe_plan_passes(guarded: Cast) -> None:
    check_counted(checked(guarded), 0, Status.DECIDED)


def test_a_call_without_a_plan_waits_for_a_person(cast: Cast, gates: ScriptedJudge) -> None:
    versions.new_version(membership=cast.admin, detectors=["intent-guard"])
    action = checked(cast)
    check_counted(action, 0)
    assert "No plan was submitted" in action.review.reason


@pytest.mark.parametrize(("question", "answer"), [("tool_risk", BLOCKED), ("tool_combination", TOGETHER)])
def test_a_call_the_tool_gate_stops_is_counted(guarded: Cast, gates: ScriptedJudge, question: str, answer: Any) -> None:
    gates.answers[question] = answer
    check_counted(checked(guarded), 1)


@pytest.mark.parametrize(("question", "answer"), [("malicious_intent", HARMFUL), ("intent_deviation", STRAYS)])
def test_a_plan_that_is_stopped_again_at_a_call_is_not_counted_again(
    guarded: Cast, gates: ScriptedJudge, question: str, answer: Any
) -> None:
    gates.answers[question] = answer
    check_counted(checked(guarded), 0)


def test_settling_again_counts_nothing_again(guarded: Cast, gates: ScriptedJudge) -> None:
    gates.answers["tool_risk"] = BLOCKED
    action = checked(guarded)
    run_checks(action.pk)
    routing.settle_action(action.pk)
    assert Trace.objects.get().rewrites == 1


def test_in_shadow_nothing_is_counted(cast: Cast, gates: ScriptedJudge) -> None:
    gates.answers["tool_risk"] = BLOCKED
    plan(cast, PAY)
    versions.new_version(membership=cast.admin, shadow=["intent-guard"])
    assert checked(cast).trace.rewrites == 0


def test_what_a_person_lets_run_costs_no_rewrite(guarded: Cast, gates: ScriptedJudge) -> None:
    gates.answers["tool_risk"] = BLOCKED
    action = checked(guarded)
    message_to_agent(guarded, action, decide.Approve())
    assert (action.trace.rewrites, action.review.sent_back_for) == (0, 1)
    message_to_agent(guarded, checked(guarded), decide.Reject())
    assert Trace.objects.get().rewrites == 1


def test_a_held_approval_gives_the_rewrite_back_when_it_goes_out(guarded: Cast, gates: ScriptedJudge) -> None:
    versions.new_version(membership=guarded.admin, hold_seconds=5)
    gates.answers["tool_risk"] = BLOCKED
    action = checked(guarded)
    review_claims.claim_review(review=action.review, membership=guarded.reviewer)
    held = decide.decide_action(action=action, choice=decide.Approve(), membership=guarded.reviewer)
    assert Trace.objects.get().rewrites == 1
    Decision.objects.update(held_until=timezone.now())
    assert holds.release_decision(held.pk)
    assert Trace.objects.get().rewrites == 0


def test_a_rewrite_of_an_earlier_request_is_not_given_back_to_a_later_one(guarded: Cast, gates: ScriptedJudge) -> None:
    gates.answers["tool_risk"] = BLOCKED
    earlier = checked(guarded)
    asked = replace(CONTEXT, history=(*CONTEXT.history, Message("user", "Now pay Ann $20.")))
    check_counted(checked(guarded, context=asked), 1)
    message_to_agent(guarded, earlier, decide.Approve())
    assert Trace.objects.get().rewrites == 1


def test_an_agent_is_sent_back_without_a_person_where_the_profile_says_so(guarded: Cast, gates: ScriptedJudge) -> None:
    versions.new_version(membership=guarded.admin, sends_back=True, rewrites=1)
    plan(guarded, TELL)
    action = checked(guarded)
    check_counted(action, 1, Status.DECIDED)
    decision = action.decisions.get()
    assert (decision.outcome, decision.decided_by) == ("reject", "policy")
    assert "has a step for this call" in messages.model_message_of(decision, decision.message)
    # No rewrite is left: a person is told.
    check_counted(checked(guarded), 2)


def test_nobody_is_sent_back_past_a_person_where_another_detector_objects(cast: Cast, gates: ScriptedJudge) -> None:
    detectors = ["intent-guard", "provenance-guard"]
    versions.new_version(membership=cast.admin, detectors=detectors, sends_back=True)
    plan(cast, TELL)
    check_counted(checked(cast, action=WRONG), 1)


def test_how_many_calls_are_judged_together_is_the_profiles(guarded: Cast, gates: ScriptedJudge) -> None:
    versions.new_version(membership=guarded.admin, window=1)
    checked(guarded)
    assert len(gates.questions[-1].calls) == 1


def test_a_gate_that_is_outvoted_sends_nobody_back(cast: Cast, gates: ScriptedJudge) -> None:
    gates.answers["tool_risk"] = BLOCKED
    plan(cast, PAY)
    versions.new_version(membership=cast.admin, detectors=["provenance-guard", "intent-guard"], objections=2)
    check_counted(checked(cast), 0, Status.DECIDED)


def test_both_gates_draw_on_one_budget(guarded: Cast, gates: ScriptedJudge) -> None:
    gates.answers |= {"tool_risk": BLOCKED}
    for number in (1, 2, 3, 3):
        check_counted(checked(guarded), number)


def stopped_at_the_plan(cast: Cast, gates: ScriptedJudge) -> None:
    """The agent was sent back once too often, and now plans something that the judge has nothing against."""
    gates.answers["intent_deviation"] = STRAYS
    for number in range(1, 4):
        plan(cast, *[TELL] * number)
        check_plan(Plan.objects.latest("id").pk)
    gates.answers["intent_deviation"] = FAITHFUL
    plan(cast, PAY)


def test_an_agent_that_was_told_to_stop_and_goes_on_waits_for_a_person(guarded: Cast, gates: ScriptedJudge) -> None:
    stopped_at_the_plan(guarded, gates)
    action = checked(guarded)
    check_counted(action, 3)
    assert action.review.reason == WENT_ON


def test_another_request_goes_on_though_the_agent_was_told_to_stop(guarded: Cast, gates: ScriptedJudge) -> None:
    stopped_at_the_plan(guarded, gates)
    plan(guarded, PAY, trace_id="conv-43")
    check_counted(checked(guarded, trace_id="conv-43"), 0, Status.DECIDED)


def test_where_the_gate_is_in_shadow_nobody_who_goes_on_is_held_up(guarded: Cast, gates: ScriptedJudge) -> None:
    stopped_at_the_plan(guarded, gates)
    versions.new_version(membership=guarded.admin, detectors=["provenance-guard"], shadow=["intent-guard"])
    check_counted(checked(guarded), 3, Status.DECIDED)


def test_whoever_goes_on_may_be_outvoted_for(guarded: Cast, gates: ScriptedJudge) -> None:
    stopped_at_the_plan(guarded, gates)
    versions.new_version(membership=guarded.admin, detectors=["provenance-guard", "intent-guard"], objections=2)
    check_counted(checked(guarded), 3, Status.DECIDED)


def test_a_rejection_carries_the_gates_advice_before_the_reviewers_words(guarded: Cast, gates: ScriptedJudge) -> None:
    gates.answers["tool_risk"] = BLOCKED
    message = message_to_agent(guarded, checked(guarded), decide.Reject("Use the portal."))
    advice, words = message.index(f"Rewrite the plan without this tool: {BLOCKED.rationale}"), message.index("portal")
    assert advice < words


def test_an_answer_carries_the_gates_advice(guarded: Cast, gates: ScriptedJudge) -> None:
    gates.answers["tool_combination"] = TOGETHER
    message = message_to_agent(guarded, checked(guarded), decide.Respond("Ask Daniel."))
    assert message.index(TOGETHER.rationale) < message.index("Ask Daniel.")


def test_a_call_that_may_run_carries_no_advice(guarded: Cast, gates: ScriptedJudge) -> None:
    gates.answers["tool_risk"] = BLOCKED
    message = message_to_agent(guarded, checked(guarded), decide.Approve())
    assert "plan" not in message


def test_a_used_up_budget_says_to_stop(guarded: Cast, gates: ScriptedJudge) -> None:
    gates.answers["tool_risk"] = BLOCKED
    messages = [message_to_agent(guarded, checked(guarded), decide.Reject()) for _ in range(3)]
    assert ["Stop and tell the user" in message for message in messages] == [False, False, True]
    assert f"No rewrite is left: {BLOCKED.rationale}" in messages[-1]


def test_another_detectors_objection_gives_no_advice(cast: Cast, gates: ScriptedJudge) -> None:
    action = checked(cast, context=replace(CONTEXT, tools=()))
    assert action.status == Status.PENDING
    assert rewrites.advice_of(action, action.checks.enforced()) == ""
