"""Proposing a call: every shape, idempotency, and what is refused with which status."""

import json
from typing import Any

import pytest

from reviews.models import Action, GuardProfile, IdempotencyKey, Step
from tests.api.agent import ACTIONS, NATIVE, OPENAI, Agent, check_problem, read, with_
from tests.cast import PASSED, Cast, Script
from tests.jobs import run_checks

ARGUMENTS = {"to": "daniel.kim@example.org", "amount": 30}
TOOL = {"name": "money_transfer", "description": "Sends money."}
ASKED = {"role": "user", "content": "Send $30 to Daniel."}
FOUND = "daniel.kim@example.org"
RESPONSES: dict[str, Any] = {
    "instructions": "You are a careful assistant.",
    "input": [
        ASKED,
        {"type": "function_call", "call_id": "call_0", "name": "search_contacts", "arguments": '{"name": "Daniel"}'},
        {"type": "function_call_output", "call_id": "call_0", "output": FOUND},
    ],
    "tools": [{"type": "function", **TOOL, "parameters": {"type": "object"}, "strict": True}],
    "function_call": {
        "type": "function_call",
        "call_id": "call_1",
        "name": "money_transfer",
        "arguments": '{"to": "daniel.kim@example.org", "amount": 30}',
    },
}
ANTHROPIC: dict[str, Any] = {
    "system": "You are a careful assistant.",
    "messages": [
        ASKED,
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "call_0", "name": "search_contacts", "input": {"name": "Daniel"}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": FOUND}]},
    ],
    "tools": [{**TOOL, "input_schema": {"type": "object"}}],
    "tool_use": {"type": "tool_use", "id": "call_1", "name": "money_transfer", "input": ARGUMENTS},
}
PARAMS = {"name": "money_transfer", "arguments": ARGUMENTS}
MCP: dict[str, Any] = {
    "query": "Send $30 to Daniel.",
    "tools": {"tools": [{**TOOL, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]},
    "history": [
        {
            "call": {"name": "search_contacts", "arguments": {"name": "Daniel"}},
            "result": {"content": [{"type": "text", "text": FOUND}]},
        }
    ],
    "call": {
        "jsonrpc": "2.0",
        "id": "call_1",
        "method": "tools/call",
        "params": {"name": "money_transfer", "arguments": ARGUMENTS},
    },
}
FOREIGN = pytest.mark.parametrize(
    "body", [OPENAI, RESPONSES, ANTHROPIC, MCP], ids=["chat", "responses", "anthropic", "mcp"]
)


@pytest.mark.parametrize("body", [NATIVE, OPENAI, RESPONSES, ANTHROPIC, MCP], ids=lambda body: list(body)[-1])
def test_a_submission_is_accepted_undecided(agent: Agent, body: dict[str, Any]) -> None:
    response = agent.post(ACTIONS, body)
    action = read(response)
    assert response.status_code == 202
    assert response["Location"] == f"{ACTIONS}/{action['id']}"
    assert int(response["Retry-After"]) > 0
    assert action["status"] == "checking"
    assert action["verdict"] is None
    assert action["decision"] is None


@FOREIGN
def test_every_shape_of_one_call_has_one_digest(agent: Agent, body: dict[str, Any]) -> None:
    assert agent.submit(NATIVE)["digest"] == agent.submit(body)["digest"]


@FOREIGN
def test_every_shape_keeps_request_history_and_call(agent: Agent, body: dict[str, Any]) -> None:
    stored = Action.objects.select_related("trace__query").get(pk=agent.submit(body)["id"])
    (step,) = stored.trace.steps.select_related("text")
    assert stored.trace.query.body == "Send $30 to Daniel."
    assert (step.tool, step.arguments, step.text and step.text.body) == ("search_contacts", {"name": "Daniel"}, FOUND)
    assert (stored.tool, stored.tool_call_id, stored.arguments) == ("money_transfer", "call_1", ARGUMENTS)


def test_everything_that_was_sent_is_kept(agent: Agent) -> None:
    action = agent.submit()
    assert action["trace_id"] == "conv-42"
    assert action["risk"] == "high"
    assert action["tool_call_id"] == "call_1"
    assert action["metadata"] == {"run": 7}
    assert action["created_at"].endswith("Z")
    assert action["expires_at"].endswith("Z")


def test_a_submission_without_trace_gets_one(agent: Agent) -> None:
    assert agent.submit(with_(NATIVE, "/trace_id", None))["trace_id"]


def test_an_unknown_tool_is_no_error(agent: Agent) -> None:
    assert agent.submit(with_(NATIVE, "/action/tool", "no_such_tool"))["status"] == "checking"


def test_history_that_is_left_out_is_the_stored_one(agent: Agent) -> None:
    agent.submit()
    later = {name: value for name, value in NATIVE.items() if name != "history"}
    assert Action.objects.get(pk=agent.submit(later)["id"]).position == 1


def test_a_retry_counts_its_attempt(agent: Agent) -> None:
    first = agent.submit()
    assert agent.submit(with_(NATIVE, "/retry_of", first["id"]))["attempt"] == 2


def test_a_retry_of_another_workspace_is_refused(agent: Agent, outsider: Agent) -> None:
    foreign = outsider.submit()
    check_problem(agent.post(ACTIONS, with_(NATIVE, "/retry_of", foreign["id"])), 422, "/retry_of")


def test_the_same_key_and_body_give_the_same_action(agent: Agent) -> None:
    first, second = (agent.submit(Idempotency_Key="k-1") for _ in range(2))
    assert first["id"] == second["id"]
    assert Action.objects.count() == 1


def test_a_repeated_submission_is_marked_and_spares_the_same_tools(agent: Agent) -> None:
    first, second = (agent.post(ACTIONS, NATIVE, Idempotency_Key="k-1") for _ in range(2))
    by_its_name = agent.post(ACTIONS, with_(NATIVE, "/history/0/outcome", "[]"))
    assert "Idempotency-Replayed" not in first
    for repeated in (second, by_its_name):
        assert repeated["Idempotency-Replayed"] == "true"
        assert repeated["Tools-Digest"] == first["Tools-Digest"]
    assert second["Continue-From"] == first["Continue-From"]
    assert "Continue-From" not in by_its_name
    other_tools = agent.post(ACTIONS, with_(NATIVE, "/tools/0/description", "Sends money abroad."))
    assert (other_tools["Idempotency-Replayed"], "Tools-Digest" in other_tools) == ("true", False)


def test_the_order_of_names_is_no_other_body(agent: Agent) -> None:
    first = agent.submit(Idempotency_Key="k-1")
    assert agent.submit(dict(reversed(NATIVE.items())), Idempotency_Key="k-1")["id"] == first["id"]


def test_a_decided_action_is_replayed_with_its_decision(agent: Agent, script: Script) -> None:
    script(PASSED)
    run_checks(agent.submit(Idempotency_Key="k-1")["id"])
    replayed = agent.post(ACTIONS, NATIVE, Idempotency_Key="k-1")
    assert replayed.status_code == 200
    assert "Retry-After" not in replayed
    assert read(replayed)["decision"]["outcome"] == "approve"


def test_the_same_key_with_another_body_is_refused(agent: Agent) -> None:
    agent.submit(Idempotency_Key="k-1")
    other = agent.post(ACTIONS, with_(NATIVE, "/query", "Another request"), Idempotency_Key="k-1")
    check_problem(other, 422, slug="idempotency-mismatch")


def test_two_agents_may_use_one_key(agent: Agent, outsider: Agent) -> None:
    assert agent.submit(Idempotency_Key="k-1")["id"] != outsider.submit(Idempotency_Key="k-1")["id"]


@pytest.mark.parametrize("key", ["", "x" * 201, "two words", "naïve"])
def test_a_key_that_cannot_be_used_is_refused(agent: Agent, key: str) -> None:
    check_problem(agent.post(ACTIONS, NATIVE, Idempotency_Key=key), 400, slug="bad-header")
    assert not IdempotencyKey.objects.exists()


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/query", None),
        ("/query", 7),
        ("/tools", {}),
        ("/tools/0/name", 7),
        ("/tools/0/name", ""),
        ("/tools/0/name", "x" * 201),
        ("/tools/0/parameters", []),
        ("/tools/0/environment_changing", "maybe"),
        ("/history", "none"),
        ("/history/0/tool", None),
        ("/history/0/arguments", []),
        ("/sources/0/kind", "hearsay"),
        ("/sources/0/text", 7),
        ("/action", None),
        ("/action/tool", None),
        ("/action/tool", "x" * 201),
        ("/action/arguments", "{}"),
        ("/action/subtask", 7),
        ("/action/tool_call_id", "x" * 201),
        ("/trace_id", 42),
        ("/trace_id", "x" * 201),
        ("/risk", "enormous"),
        ("/expires_in", "soon"),
        ("/expires_in", 0),
        ("/expires_in", 2**40),
        ("/callback_url", "javascript:alert(1)"),
        ("/retry_of", "not-an-id"),
        ("/metadata", []),
        ("/colour", "blue"),
        ("/action/arguments/amount", 2**53),
        ("/action/arguments/amount", 1e300),
        ("/tools/0/parameters/maximum", 2**63),
    ],
)
def test_a_wrong_field_is_named(agent: Agent, pointer: str, value: Any) -> None:
    check_problem(agent.post(ACTIONS, with_(NATIVE, pointer, value)), 422, pointer)


@pytest.mark.parametrize(
    ("pointer", "value", "named"),
    [
        ("/messages", [], "/messages"),
        ("/messages", "hello", "/messages"),
        ("/messages/1/content", 7, "/messages/1/content"),
        ("/messages/1/role", "wizard", "/messages/1/role"),
        ("/tools/0/function/name", 7, "/tools/0/function/name"),
        ("/tool_call", None, "/tool_call"),
        ("/tool_call/function/name", None, "/tool_call/function/name"),
        ("/tool_call/function/arguments", "{broken", "/tool_call/function/arguments"),
        ("/tool_call/function/arguments", "[]", "/tool_call/function/arguments"),
        ("/tool_call/function/arguments", '{"a": NaN}', "/tool_call/function/arguments"),
        ("/tool_call/function/arguments", '{"a": 1, "a": 2}', "/tool_call/function/arguments"),
        ("/tool_call/function/arguments", '{"a": "\\u0000"}', "/tool_call/function/arguments"),
        ("/tool_call/function/arguments", '{"a": "\\ud800"}', "/tool_call/function/arguments"),
        ("/tool_call/function/arguments", '{"a": ' + "[" * 5000 + "]" * 5000 + "}", "/tool_call/function/arguments"),
        ("/tool_call/function/arguments", '{"a": 9007199254740993}', "/tool_call/function/arguments"),
    ],
)
def test_a_wrong_field_of_the_openai_shape_is_named(agent: Agent, pointer: str, value: Any, named: str) -> None:
    body = check_problem(agent.post(ACTIONS, with_(OPENAI, pointer, value)), 422)
    assert any(error["pointer"].startswith(named) for error in body["errors"]), body


@pytest.mark.parametrize(
    ("body", "pointer", "value", "named"),
    [
        (RESPONSES, "/input", [], "/input"),
        (RESPONSES, "/input/0/role", "wizard", "/input/0/role"),
        (RESPONSES, "/function_call", None, "/function_call"),
        (RESPONSES, "/function_call/arguments", "{broken", "/function_call/arguments"),
        (RESPONSES, "/function_call/arguments", '{"a": 9007199254740993}', "/function_call/arguments/a"),
        (RESPONSES, "/input/1/name", "x" * 201, "/input/1/name"),
        (RESPONSES, "/messages", [], "/messages"),
        (ANTHROPIC, "/messages/2/content/0/tool_use_id", "x", "/messages/2/content/0/tool_use_id"),
        (ANTHROPIC, "/tool_use/input", [], "/tool_use/input"),
        (ANTHROPIC, "/tool_call", OPENAI["tool_call"], "/tool_use"),
        (MCP, "/call/params", {}, "/call/params/name"),
        (MCP, "/call/params/arguments", {"a": 2**60}, "/call/params/arguments/a"),
        (MCP, "/call/method", "tools/list", "/call/method"),
        (MCP, "/history/0/result", {}, "/history/0/result"),
        (MCP, "/tools/tools/0/inputSchema", {"maximum": 2**63}, "/tools/tools/0/inputSchema/maximum"),
        (NATIVE, "/messages", [], "/messages"),
    ],
)
def test_a_wrong_field_of_any_shape_is_named(
    agent: Agent, body: dict[str, Any], pointer: str, value: Any, named: str
) -> None:
    check_problem(agent.post(ACTIONS, with_(body, pointer, value)), 422, named)


@pytest.mark.parametrize(
    ("body", "pointer", "arguments"),
    [
        (NATIVE, "/history/0/arguments", {"id": 2**60}),
        (MCP, "/history/0/call/arguments", {"id": 2**60}),
        (ANTHROPIC, "/messages/1/content/0/input", {"id": 2**60}),
        (RESPONSES, "/input/1/arguments", '{"id": 1152921504606846976}'),
        (RESPONSES, "/input/1/arguments", '{"id": "\\u0000", "rate": 1e300}'),
        (OPENAI, "/messages/2/tool_calls/0/function/arguments", '{"id": 1152921504606846976}'),
    ],
)
def test_what_no_call_can_hold_is_kept_of_an_earlier_one_as_text(
    agent: Agent, body: dict[str, Any], pointer: str, arguments: Any
) -> None:
    agent.submit(with_(body, pointer, arguments))
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    assert Step.objects.filter(arguments={"unreadable_arguments": text}).exists()


def test_many_calls_in_one_message_are_a_long_history(agent: Agent) -> None:
    block = ANTHROPIC["messages"][1]["content"][0]
    body = with_(ANTHROPIC, "/messages/1/content", [block, *({**block, "id": f"other_{n}"} for n in range(512))])
    check_problem(agent.post(ACTIONS, body), 422, "/messages")


def test_many_servers_tools_are_many_tools(agent: Agent) -> None:
    lists = [{"tools": [{"name": f"tool_{server}_{n}"} for n in range(129)]} for server in range(2)]
    check_problem(agent.post(ACTIONS, with_(MCP, "/tools", lists)), 422, "/tools")


def test_every_wrong_field_is_named_at_once(agent: Agent) -> None:
    body = with_(with_(NATIVE, "/risk", "enormous"), "/expires_in", -1)
    check_problem(agent.post(ACTIONS, body), 422, "/risk", "/expires_in")


@pytest.mark.parametrize("body", [[], "text", 7, None], ids=str)
def test_a_body_must_be_an_object(agent: Agent, body: Any) -> None:
    check_problem(agent.send("POST", ACTIONS, b"null" if body is None else body), 422, "")


def test_too_many_tools_are_refused(agent: Agent) -> None:
    tools = [with_(NATIVE["tools"][0], "/name", f"tool_{number}") for number in range(257)]
    check_problem(agent.post(ACTIONS, with_(NATIVE, "/tools", tools)), 422, "/tools")
    assert agent.submit(with_(NATIVE, "/tools", tools[:256]))


def test_two_tools_of_one_name_are_refused(agent: Agent) -> None:
    check_problem(agent.post(ACTIONS, with_(NATIVE, "/tools", NATIVE["tools"] * 2)), 422)


def test_too_long_a_history_is_refused(agent: Agent) -> None:
    check_problem(agent.post(ACTIONS, with_(NATIVE, "/history", NATIVE["history"] * 513)), 422, "/history")
    assert agent.submit(with_(NATIVE, "/history", NATIVE["history"] * 512))


def test_largest_exact_integers_are_accepted(agent: Agent) -> None:
    assert agent.submit(with_(NATIVE, "/action/arguments/amount", 2**53 - 1))["arguments"]["amount"] == 2**53 - 1


def test_large_numbers_outside_the_calls_are_kept(agent: Agent) -> None:
    assert agent.submit(with_(NATIVE, "/metadata/id", 2**63))["metadata"]["id"] == 2**63


def test_a_read_only_hint_is_not_believed_by_default(agent: Agent, cast: Cast) -> None:
    tool = {"name": "money_transfer", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
    stored = Action.objects.select_related("tool_set").get(pk=agent.submit(with_(NATIVE, "/tools", [tool]))["id"])
    assert stored.tool_set.tools[0]["environment_changing"] is True


@pytest.mark.parametrize("trusted", [True, False])
def test_a_read_only_hint_counts_where_the_workspace_trusts_it(agent: Agent, cast: Cast, trusted: bool) -> None:
    GuardProfile.objects.filter(workspace=cast.workspace).update(trust_annotations=trusted)
    stored = Action.objects.select_related("tool_set").get(pk=agent.submit(MCP)["id"])
    assert stored.tool_set.tools[0]["environment_changing"] is not trusted
