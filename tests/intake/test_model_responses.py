"""A conversation that the model's provider keeps goes on by its responses' ids, from what was told here."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from reviews.models import Action, ModelResponse, Trace
from reviews.records import load
from reviews.retention import conversation_erasure, removal
from reviews.workspaces import agent_keys
from tests.api.agent import ACTIONS, OPENAI, Agent, check_problem, read
from tests.api.conftest import agent, outsider
from tests.api.views.test_plans import planned
from tests.cast import Cast, cast, make_cast

__all__ = ["agent", "cast", "outsider"]

Items = list[dict[str, Any]]
TOOLS = [{"type": "function", "name": "read", "description": "Reads a page.", "parameters": {"type": "object"}}]
USER: Items = [{"role": "user", "content": "Look up all of them."}]
CAREFUL = "Be careful."


def call(name: str) -> dict[str, Any]:
    arguments = json.dumps({"page": name})
    return {"type": "function_call", "id": f"fc_{name}", "call_id": name, "name": "read", "arguments": arguments}


def output_of(step: int) -> Items:
    """What the model answers in this step: a thought, words and two calls."""
    return [
        {"type": "reasoning", "id": f"rs_{step}", "summary": [], "encrypted_content": "AAAA"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": f"Now c{step}."}]},
        call(f"c{step}"),
        call(f"c{step}b"),
    ]


def results_of(step: int) -> Items:
    return [
        {"type": "function_call_output", "call_id": name, "output": f"Page of {name}: empty."}
        for name in (f"c{step}", f"c{step}b")
    ]


def told(step: int, **changed: Any) -> dict[str, Any]:
    """All of the conversation, up to the response of this step and its first call."""
    past = [item for n in range(step) for item in (*output_of(n), *results_of(n))]
    return _submission(step, [*USER, *past, *output_of(step)], **changed)


def going_on(step: int, **changed: Any) -> dict[str, Any]:
    """What the agent has sent to its provider behind the response before, and got for it."""
    items = [*results_of(step - 1), *output_of(step)]
    return _submission(step, items, **{"previous_response_id": f"resp_{step - 1}", **changed})


def _submission(step: int, items: Items, **changed: Any) -> dict[str, Any]:
    body = {"input": items, "tools": TOOLS, "instructions": CAREFUL, "function_call": call(f"c{step}")}
    return {**body, "response_id": f"resp_{step}", **changed}


def stored(action: Any) -> Action:
    return Action.objects.select_related("trace__query", "tool_set", "profile").get(pk=action["id"])


def case_of(action: Any) -> Any:
    case = load.load_case(stored(action))
    return dict(case.context.sources), case.context.tools, case.action


def test_a_conversation_that_goes_on_by_its_responses_is_stored_as_the_whole_one(agent: Agent) -> None:
    agent.submit(told(0))
    for step in range(1, 4):
        action = agent.submit(going_on(step))
        whole = agent.submit({**told(step), "response_id": None, "trace_id": f"whole {step}"})
        assert case_of(action) == case_of(whole)
    # Its first response names it where the agent does not.
    assert action["trace_id"] == "resp_0"
    assert Trace.objects.filter(external_id="resp_0").count() == 1


def test_each_call_of_a_response_names_it_with_or_without_results_of_the_others(agent: Agent) -> None:
    agent.submit(told(0))
    body = told(0, function_call=call("c0b"))
    second = agent.submit({**body, "input": [*body["input"], results_of(0)[0]]})
    assert [item.arguments["page"] for item in calls_of(second)] == ["c0"]
    action = agent.submit(going_on(1))
    assert case_of(action) == case_of(agent.submit({**told(1), "response_id": None, "trace_id": "whole"}))
    assert ModelResponse.objects.count() == 2


def test_a_response_ends_one_past_only(agent: Agent) -> None:
    agent.submit(told(0))
    for other in (
        told(0, input=[{"role": "user", "content": "Look up none."}, *output_of(0)]),
        told(0, input=[*USER, *output_of(0)[2:]]),
        told(0, instructions="Be quick."),
        going_on(1, response_id="resp_0"),
    ):
        check_problem(agent.post(ACTIONS, {**other, "function_call": call("c0b")}), 422, "/response_id")
    agent.submit(going_on(1))


def test_a_response_is_told_with_its_whole_output(agent: Agent) -> None:
    for items in ("Look up all of them.", USER, [*USER, call("c9")], [*USER, *output_of(0), *results_of(0)][:2]):
        check_problem(agent.post(ACTIONS, told(0, input=items)), 422, "/response_id")
    # Without an id of its own, nobody could say which of the output's calls it is.
    bare = {name: value for name, value in call("c0").items() if name not in ("id", "call_id")}
    check_problem(agent.post(ACTIONS, told(0, function_call=bare)), 422, "/response_id")
    assert not ModelResponse.objects.exists()


def test_a_turn_that_would_be_read_again_at_length_is_refused(agent: Agent) -> None:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Page. " * 40_000}]}
    body = told(0, input=[*USER, said, call("c0")])
    check_problem(agent.post(ACTIONS, body), 422, "/response_id")
    agent.submit({**body, "response_id": None})


def test_an_item_may_hold_numbers_that_no_call_may(agent: Agent) -> None:
    said = {"type": "message", "role": "assistant", "id": 2**60, "content": "Now.", "metadata": {"score": 0.1}}
    body = told(0, input=[*USER, said, call("c0")])
    agent.submit(body)
    agent.submit({**body, "function_call": call("c0")})
    agent.submit(_submission(1, [results_of(0)[0], call("c1")], previous_response_id="resp_0"))


def test_a_request_for_approval_is_told_whatever_else_it_holds(agent: Agent) -> None:
    asked = {"type": "mcp_approval_request", "id": "a1", "name": "read", "arguments": "{}", "server_label": "pages"}
    agent.submit(told(0, input=[*USER, {**asked, "call_id": {"odd": 1}}, asked], function_call=asked))
    answered = [{"type": "mcp_approval_response", "approval_request_id": "a1", "approve": False}, call("c1")]
    agent.submit(_submission(1, answered, previous_response_id="resp_0"))


def test_what_nobody_has_told_is_refused(agent: Agent, outsider: Agent, cast: Cast) -> None:
    agent.submit(told(0))
    sibling = Agent(agent_keys.create_key(workspace=cast.workspace, name="other", agent="other").secret)
    for whoever, body in (
        (agent, going_on(2)),
        (outsider, going_on(1)),
        (sibling, going_on(1)),
        (agent, going_on(1, previous_response_id="")),
        (agent, going_on(1, previous_response_id=["resp_0"])),
    ):
        check_problem(whoever.post(ACTIONS, body), 422, "/previous_response_id")
    # Under the same ids they tell conversations of their own.
    for whoever in (outsider, sibling):
        whoever.submit(told(0))
        assert whoever.submit(going_on(1))["trace_id"] == "resp_0"


def test_nothing_else_says_from_where_it_goes_on(agent: Agent) -> None:
    continues = agent.post(ACTIONS, told(0))["Continue-From"]
    check_problem(agent.post(ACTIONS, going_on(1, continues=continues)), 422, "/previous_response_id")
    check_problem(agent.post(ACTIONS, going_on(1, trace_id="another")), 422, "/trace_id")
    agent.submit(going_on(1, trace_id="resp_0"))


def test_what_was_erased_or_pruned_is_gone(agent: Agent, cast: Cast) -> None:
    action = agent.submit(told(0))
    agent.post(f"{ACTIONS}/{action['id']}/cancel")
    conversation_erasure.erase_conversation(cast.workspace, "resp_0")
    assert not ModelResponse.objects.exists()
    check_problem(agent.post(ACTIONS, going_on(1)), 422, "/previous_response_id")
    agent.submit(told(0))
    assert removal.empty_trace(Trace.objects.get(external_id="resp_0")) == 1
    check_problem(agent.post(ACTIONS, going_on(1)), 422, "/previous_response_id")


def test_what_is_erased_while_a_submission_comes_in_is_not_continued(
    agent: Agent, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.submit(told(0))
    Action.objects.update(status="cancelled", settled_at=timezone.now())
    items = results_of(0)

    def erase_meanwhile(*_args: Any, **_options: Any) -> bool:
        conversation_erasure.erase_conversation(cast.workspace, "resp_0")
        return False

    monkeypatch.setattr("reviews.api.views.actions.trusts_annotations", erase_meanwhile)
    tools = [{"name": "read", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]
    body = going_on(1, tools=tools, input=[*items, *output_of(1)])
    check_problem(agent.post(ACTIONS, body), 422, "/previous_response_id")


def test_two_conversations_may_go_on_from_one_response(agent: Agent) -> None:
    agent.submit(told(0))
    here, there = going_on(1), going_on(1, response_id="resp_1x", function_call=call("c1x"))
    there["input"] = [*results_of(0), {"role": "user", "content": "Only the last."}, call("c1x")]
    agent.submit(here)
    agent.submit(there)
    on_here = agent.submit(going_on(2))
    result = {"type": "function_call_output", "call_id": "c1x", "output": "Nothing."}
    body = going_on(2, previous_response_id="resp_1x", response_id="resp_2x", function_call=call("c2x"))
    on_there = agent.submit({**body, "input": [result, call("c2x")]})
    tools = [[item.arguments["page"] for item in calls_of(action)] for action in (on_here, on_there)]
    assert tools == [["c0", "c0b", "c1", "c1b"], ["c0", "c0b", "c1x"]]
    assert "Only the last." not in said_in(on_here)
    assert "Only the last." in said_in(on_there)


def calls_of(action: Any) -> list[Any]:
    return [item for item in load.load_context(stored(action)).history if hasattr(item, "arguments")]


def said_in(action: Any) -> list[str]:
    return [item.text for item in load.load_context(stored(action)).history if hasattr(item, "text")]


def test_a_repeated_submission_is_the_same_action(agent: Agent) -> None:
    for body in (told(0), going_on(1)):
        first = agent.post(ACTIONS, body)
        again = agent.post(ACTIONS, body)
        assert read(first)["id"] == read(again)["id"]
        assert again["Idempotency-Replayed"] == "true"
    other = {**call("c1"), "arguments": '{"page": "other"}'}
    check_problem(agent.post(ACTIONS, going_on(1, function_call=other)), 409)
    assert ModelResponse.objects.count() == 2


def test_what_is_wrong_is_told_where_it_was_sent(agent: Agent) -> None:
    agent.submit(told(0))
    broken = going_on(1)
    broken["input"][1] = {"type": "function_call_output", "call_id": "c7", "output": "?"}
    problem = check_problem(agent.post(ACTIONS, broken), 422, "/input/1/call_id")
    assert [error["pointer"] for error in problem["errors"]] == ["/input/1/call_id"]
    deep = json.dumps({"page": [[[["?"]]]]}).replace("[[[[", "[" * 40).replace("]]]]", "]" * 40)
    broken = going_on(1)
    broken["input"][4]["arguments"] = deep
    problem = check_problem(agent.post(ACTIONS, broken), 422)
    assert all(error["pointer"].startswith("/input/4/arguments") for error in problem["errors"])


def test_claims_may_name_calls_of_the_response_before(agent: Agent) -> None:
    agent.submit(told(0))
    agent.submit(going_on(1))
    action = agent.submit(going_on(2, provenance={"/page": {"tool_call_id": "c1b"}}))
    assert stored(action).provenance["/page"]["step"] == 3


def test_the_headers_speak_of_what_was_sent(agent: Agent) -> None:
    agent.submit(told(0))
    response = agent.post(ACTIONS, going_on(1))
    # All but what the model wrote in its last turn, which is not over.
    assert response["Continue-Behind"] == "3"
    # The results of its calls were not sent: what continues it would have to begin before what was.
    response = agent.post(ACTIONS, going_on(1, input=[call("c1")], response_id="resp_1x"))
    assert "Continue-From" not in response


def test_a_text_stands_for_what_the_user_says_next(agent: Agent) -> None:
    agent.submit(told(0))
    action = agent.submit(going_on(1, input="And the last one?", response_id=None))
    assert said_in(action) == ["Now c0.", "And the last one?"]


def test_thoughts_and_inline_files_are_not_kept(agent: Agent) -> None:
    picture = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "iVBO" * 200}
    agent.submit(told(0, input=[*USER, picture, *output_of(0)]))
    items = ModelResponse.objects.get().items
    assert [item["type"] for item in items] == ["image_generation_call", "message", "function_call", "function_call"]
    assert len(items[0]["result"]) < 200


def test_other_shapes_and_plans_know_no_responses(agent: Agent) -> None:
    agent.submit(told(0))
    for name in ("previous_response_id", "response_id"):
        check_problem(agent.post(ACTIONS, {**OPENAI, name: "resp_0"}), 422, f"/{name}")
        check_problem(agent.post("/api/v1/plans", planned({**going_on(1), name: "resp_0"})), 422, f"/{name}")
    check_problem(agent.post(ACTIONS, going_on(1, conversation="conv_1")), 422, "/conversation")
    assert read(agent.post(ACTIONS, {**OPENAI, "previous_response_id": None}))["status"] == "checking"


@pytest.mark.django_db(transaction=True)
def test_calls_of_one_response_may_arrive_at_once() -> None:
    secret = make_cast().agent_secret

    def submit(name: str) -> Any:
        try:
            return Agent(secret).submit(told(0, function_call=call(name)))
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        actions = list(pool.map(submit, ["c0", "c0b"] * 5))
    assert len({action["id"] for action in actions}) == 2
    assert {action["trace_id"] for action in actions} == {"resp_0"}
    assert (ModelResponse.objects.count(), Trace.objects.count()) == (1, 1)
    assert Agent(secret).submit(going_on(1))["trace_id"] == "resp_0"
