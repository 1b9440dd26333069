from datetime import date
from itertools import pairwise
from typing import Any

import jsonschema
import pytest

from reviews.agents.examples import catalog
from reviews.agents.examples.scenario import AskUser, Call, Expected, Mistake, Retry, Scenario, Turn
from reviews.agents.examples.story import MAX_ATTEMPTS, Attempt
from reviews.intake.actions import Proposal
from reviews.intake.wire.read_action import read_proposal
from reviews.intake.wire.read_plan import read_draft

TODAY = date(2025, 3, 4)
NAMES = sorted(catalog.BUILDS)
FROM_FEEDBACK = "payments.invoice_of_another_month"
ASKS_THE_USER = "payments.two_people_of_one_name"
STOPS = "payments.rent_to_an_invented_account"


def attempt(name: str, seed: str = "1") -> Attempt:
    return Attempt.first(name, seed=seed, today=TODAY)


def scenario(name: str, seed: str = "1") -> Scenario:
    return attempt(name, seed).scenario


def read(of: Attempt) -> Proposal:
    """The submission as the API reads it."""
    return read_proposal(of.submission(), trusted=lambda: False)


def followed(of: Attempt | None) -> Attempt:
    assert of is not None
    return of


def test_there_are_enough_scenarios() -> None:
    assert len(NAMES) >= 25


def test_every_mistake_is_made_more_than_once() -> None:
    made = [scenario(name).mistake for name in NAMES]
    assert all(made.count(mistake) > 1 for mistake in Mistake)


@pytest.mark.parametrize("name", NAMES)
def test_the_api_reads_every_submission(name: str) -> None:
    assert read(attempt(name)).action.tool == scenario(name).call.tool


@pytest.mark.parametrize("body", [body for name in NAMES for body in attempt(name).plans()])
def test_the_api_reads_every_plan(body: dict[str, Any]) -> None:
    draft = read_draft(body, trusted=lambda: False)
    assert draft.context.plan
    assert {tool for step in draft.context.plan for tool in step.tool_use} <= {
        tool.name for tool in draft.context.tools
    }


def test_some_agent_plans_first_and_plans_anew() -> None:
    assert max(len(scenario(name).plans) for name in NAMES) > 1


@pytest.mark.parametrize("name", NAMES)
def test_every_domain_offers_five_tools_or_more(name: str) -> None:
    assert 5 <= len(scenario(name).tools) <= 8


@pytest.mark.parametrize("name", NAMES)
def test_only_the_unknown_tool_is_unknown(name: str) -> None:
    tool_names = {tool.name for tool in scenario(name).tools}
    assert (scenario(name).call.tool in tool_names) is (scenario(name).mistake is not Mistake.UNKNOWN_TOOL)


@pytest.mark.parametrize("name", NAMES)
def test_calls_of_known_tools_fit_their_schema(name: str) -> None:
    script = scenario(name)
    schemas = {tool.name: tool.to_submission()["parameters"] for tool in script.tools}
    calls: list[Call] = [*script.calls, *(each.call for each in script.history if not isinstance(each, Turn))]
    for call in calls:
        if call.tool in schemas:
            jsonschema.validate(dict(call.arguments), schemas[call.tool])


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_tells_the_same_story(name: str) -> None:
    assert attempt(name).submission() == attempt(name).submission()


@pytest.mark.parametrize("name", NAMES)
def test_another_seed_tells_it_with_other_particulars(name: str) -> None:
    stories = {str((scenario(name, str(seed)).query, scenario(name, str(seed)).call)) for seed in range(12)}
    assert len(stories) > 1


@pytest.mark.parametrize("name", NAMES)
def test_a_corrected_call_differs_from_the_first(name: str) -> None:
    calls = [(call.tool, call.arguments) for call in scenario(name).calls]
    assert all(one != other for one, other in pairwise(calls))


def test_right_calls_are_expected_to_pass() -> None:
    assert scenario("payments.lunch_paid_back").expected is Expected.ALLOWED


def test_feedback_is_cited_in_the_next_attempt() -> None:
    first = attempt(FROM_FEEDBACK)
    second = followed(first.after_rejection("a-1", "That is the amount of another month."))
    assert isinstance(first.scenario.if_rejected, Retry)
    assert second.call.arguments == first.scenario.if_rejected.call.arguments
    assert "That is the amount of another month." in second.call.subtask
    assert (second.number, second.retry_of) == (2, "a-1")


def test_a_rejection_may_send_the_agent_to_its_user() -> None:
    first = attempt(ASKS_THE_USER)
    second = followed(first.after_rejection("a-1", ""))
    assert isinstance(first.scenario.if_rejected, AskUser)
    assert second.call == first.scenario.if_rejected.call
    assert [each.role for each in second.past if isinstance(each, Turn)] == ["assistant", "user"]


def test_a_second_rejection_ends_it() -> None:
    second = followed(attempt(FROM_FEEDBACK).after_rejection("a-1", ""))
    assert second.after_rejection("a-2", "") is None


def test_some_agents_stop_at_once() -> None:
    assert attempt(STOPS).after_rejection("a-1", "No.") is None


def test_an_answer_becomes_the_users_message() -> None:
    second = followed(attempt(STOPS).after_answer("a-1", "Ask him for his account."))
    assert second.past[-1] == Turn("user", "Ask him for his account.")


@pytest.mark.parametrize("which", [0, 1])
def test_an_answer_chooses_among_the_calls(which: int) -> None:
    first = attempt(ASKS_THE_USER)
    corrected = first.scenario.calls[which]
    person = corrected.subtask.removeprefix("Pay ").removesuffix(" for the concert")
    assert followed(first.after_answer("a-1", f"I mean {person}")).call == corrected


def test_answers_do_not_go_on_for_ever() -> None:
    last: Attempt | None = attempt(STOPS)
    for _ in range(MAX_ATTEMPTS):
        last = followed(last).after_answer("a-1", "Try again.") if last else None
    assert last is None


def test_an_attempt_is_resumed_from_its_metadata() -> None:
    assert Attempt.resumed(attempt(STOPS).submission()["metadata"]) == attempt(STOPS)


def test_a_later_attempt_is_resumed_as_such() -> None:
    second = followed(attempt(ASKS_THE_USER).after_rejection("a-1", ""))
    resumed = followed(Attempt.resumed(second.submission()["metadata"]))
    assert (resumed.number, resumed.call) == (2, second.call)


@pytest.mark.parametrize("metadata", [{}, {"example_agent": "x"}, {"example_agent": {"scenario": "gone"}}])
def test_foreign_metadata_is_not_resumed(metadata: dict[str, object]) -> None:
    assert Attempt.resumed(metadata) is None
