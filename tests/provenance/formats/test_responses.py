import json
from typing import Any

import pytest

from reviews.provenance.core.context import Message, NamedText, Step
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.formats import Parsed, responses
from tests.provenance.formats.refusals import check_refused

USER = {"role": "user", "content": "Pay Daniel $30"}
PROPOSED = {"type": "function_call", "id": "fc_1", "call_id": "p", "name": "pay", "arguments": '{"to": "Daniel"}'}


def call(tool: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": tool, "arguments": json.dumps(arguments)}


def result(call_id: str, output: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def parse(*items: Any, function_call: Any = PROPOSED, **fields: Any) -> Parsed:
    return responses.parse({"input": [USER, *items], "function_call": function_call, **fields})


def check_history(*expected: Step | Message, items: tuple[Any, ...]) -> None:
    assert parse(*items).case.context.history == expected


def test_the_proposed_call_is_known_by_its_call_id() -> None:
    parsed = parse()
    assert (parsed.case.action.tool, parsed.case.action.arguments, parsed.tool_call_id) == (
        "pay",
        {"to": "Daniel"},
        "p",
    )


def test_the_input_may_be_one_text() -> None:
    parsed = responses.parse({"input": "Pay Daniel", "function_call": PROPOSED})
    assert parsed.case.context.query == "Pay Daniel"


def test_instructions_and_developer_messages_are_sources() -> None:
    parsed = parse({"role": "developer", "content": "Be brief."}, instructions="Be kind.")
    assert parsed.case.context.extra == (
        NamedText(SourceKind.SYSTEM_PROMPT, "system", "Be kind."),
        NamedText(SourceKind.SYSTEM_PROMPT, "system-2", "Be brief."),
    )


def test_what_the_model_thinks_is_no_evidence() -> None:
    check_history(items=({"type": "reasoning", "summary": [{"type": "summary_text", "text": "daniel@evil.example"}]},))


def test_a_refusal_is_something_said() -> None:
    said = {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I will not."}]}
    check_history(Message("assistant", "I will not."), items=(said,))


def test_a_result_may_come_in_parts() -> None:
    parts = [{"type": "input_text", "text": "id 7"}, {"type": "input_image", "file_id": "file-1"}]
    check_history(Step("find", {}, "id 7\n[input_image: file-1]"), items=(call("find", "a"), result("a", parts)))


def test_what_a_search_of_the_provider_found_is_history() -> None:
    found = {"type": "file_search_call", "id": "fs", "queries": ["Daniel"], "results": [{"text": "Daniel Kim"}]}
    check_history(Step("file_search", {"queries": ["Daniel"]}, '[{"text": "Daniel Kim"}]'), items=(found,))


def test_what_was_said_before_a_search_is_no_plan_of_the_call() -> None:
    search = {"type": "web_search_call", "id": "ws", "action": {"query": "Daniel"}, "results": ["Kim"]}
    said = ({"role": "assistant", "content": text} for text in ("I search.", "I pay Daniel."))
    parsed = parse(next(said), search, next(said), PROPOSED)
    assert parsed.case.action.subtask == "I pay Daniel."
    assert parsed.case.context.history[0] == Message("assistant", "I search.")


def test_hosted_calls_meet_their_outputs() -> None:
    shell = {"type": "shell_call", "call_id": "s", "action": {"commands": ["ls"]}}
    output = {"type": "shell_call_output", "call_id": "s", "output": [{"stdout": "a.txt"}]}
    check_history(Step("shell", {"action": {"commands": ["ls"]}}, '[{"stdout": "a.txt"}]'), items=(shell, output))


def test_a_screenshot_is_not_read_as_text() -> None:
    step = {"type": "computer_call", "call_id": "c", "action": {"type": "click"}}
    shot = {"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"}
    output = {"type": "computer_call_output", "call_id": "c", "output": shot}
    expected = Step("computer", {"action": {"type": "click"}}, "[computer_screenshot: image/png]")
    check_history(expected, items=(step, output))


def test_a_servers_call_and_its_error() -> None:
    made = {"type": "mcp_call", "id": "m", "server_label": "crm", "name": "find", "arguments": "{}"}
    check_history(
        Step("find", {}, "Daniel"),
        Step("find", {}, 'Error: {"code": 500}'),
        items=({**made, "output": "Daniel"}, {**made, "error": {"code": 500}}),
    )


def test_a_call_that_asks_for_approval_may_be_proposed() -> None:
    asked = {"type": "mcp_approval_request", "id": "r", "server_label": "crm", "name": "erase", "arguments": '{"n": 1}'}
    parsed = parse(asked, function_call=asked)
    assert (parsed.case.action.tool, parsed.case.action.arguments, parsed.tool_call_id) == ("erase", {"n": 1}, "r")
    assert parsed.case.context.history == ()


def test_a_declined_call_keeps_the_reason() -> None:
    asked = {"type": "mcp_approval_request", "id": "r", "server_label": "crm", "name": "erase", "arguments": "{}"}
    answer = {"type": "mcp_approval_response", "approval_request_id": "r", "approve": False, "reason": "Not today."}
    check_history(Step("erase", {}, "Declined: Not today."), items=(asked, answer))
    check_history(items=(asked, {**answer, "approve": True}))


def test_a_custom_tool_takes_one_text() -> None:
    made = {"type": "custom_tool_call", "call_id": "c", "name": "run", "input": "print(1)"}
    parsed = parse(function_call=made, tools=[{"type": "custom", "name": "run", "description": "Runs code."}])
    assert parsed.case.action.arguments == {"input": "print(1)"}
    assert parsed.case.context.tools[0].properties == {"input": {"type": "string"}}


def test_tools_in_a_namespace_have_its_name() -> None:
    namespace = {
        "type": "namespace",
        "name": "crm",
        "description": "x",
        "tools": [{"type": "function", "name": "find"}],
    }
    parsed = parse(function_call={**PROPOSED, "name": "find", "namespace": "crm"}, tools=[namespace])
    assert parsed.case.context.tool(parsed.case.action.tool) is not None


def test_tools_that_came_later_are_tools() -> None:
    tools = [{"type": "function", "name": "find", "parameters": {}}]
    listed = {"type": "mcp_list_tools", "id": "l", "tools": [{"name": "erase", "input_schema": {"type": "object"}}]}
    parsed = parse(
        {"type": "additional_tools", "role": "developer", "tools": tools}, listed, tools=[{"type": "web_search"}]
    )
    assert [tool.name for tool in parsed.case.context.tools] == ["web_search", "find", "erase"]


def test_an_item_that_cannot_be_read_leaves_its_place() -> None:
    said = parse({"type": "compaction", "encrypted_content": "AAAA"}, USER).case.context.history[0]
    assert said == Message("assistant", "[compaction]")


@pytest.mark.parametrize(
    ("pointer", "items"),
    [
        ("/input/1", ["hi"]),
        ("/input/1/type", [{"id": "x"}]),
        ("/input/1/role", [{"type": "message", "role": "tool"}]),
        ("/input/1", [{"type": "item_reference", "id": "msg_1"}]),
        ("/input/1/call_id", [result("zzz", "x")]),
        ("/input/3/call_id", [call("f", "a"), result("a", "x"), result("a", "y")]),
        ("/input/1/name", [{"type": "function_call", "call_id": "a"}]),
        ("/input/1/namespace", [{"type": "function_call", "call_id": "a", "name": "f", "namespace": 7}]),
        ("/input/1/name", [{"type": "function_call", "call_id": "a", "name": "f" * 150, "namespace": "n" * 150}]),
        ("/input/1/type", [{"type": "x" * 201 + "_call"}]),
    ],
)
def test_a_wrong_item_is_named(pointer: str, items: list[Any]) -> None:
    check_refused(parse, pointer, *items)


@pytest.mark.parametrize(
    ("pointer", "function_call"),
    [
        ("/function_call", "pay"),
        ("/function_call/name", {}),
        ("/function_call/type", {**PROPOSED, "type": "message"}),
        ("/function_call/call_id", {**PROPOSED, "call_id": "x" * 201}),
        ("/function_call/arguments", {**PROPOSED, "arguments": "{oops"}),
    ],
)
def test_a_wrong_call_is_named(pointer: str, function_call: Any) -> None:
    check_refused(parse, pointer, function_call=function_call)


@pytest.mark.parametrize("parsed", [{"amount": True}, {"amount": 2}, {}, {"amount": 1, "to": "Eve"}])
def test_arguments_that_were_parsed_into_others_are_refused(parsed: dict[str, Any]) -> None:
    function_call = {**call("pay", "c1", amount=1), "parsed_arguments": parsed}
    check_refused(parse, "/function_call/parsed_arguments", function_call=function_call)
    assert parse(function_call={**function_call, "parsed_arguments": {"amount": 1.0}}).action.arguments == {"amount": 1}


def test_a_number_that_no_call_can_hold_is_not_told_as_a_difference() -> None:
    large = {"amount": 2**70}
    assert parse(function_call={**call("pay", "c1", **large), "parsed_arguments": large}).action.arguments == large
