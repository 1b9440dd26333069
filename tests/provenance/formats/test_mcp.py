from typing import Any

import pytest

from reviews.provenance.core.context import Message, Step
from reviews.provenance.formats import Parsed, mcp
from tests.provenance.formats.refusals import check_refused

CALL = {"name": "pay", "arguments": {"to": "Daniel"}}
TEXT = {"type": "text", "text": "id 7"}


def parse(*history: Any, call: Any = CALL, **fields: Any) -> Parsed:
    return mcp.parse({"query": "Pay Daniel", "history": list(history), "call": call, **fields})


def check_outcome(expected: str | None, **result: Any) -> None:
    (step,) = parse({"call": {"name": "find"}, "result": result}).case.context.history
    assert step == Step("find", {}, expected)


@pytest.mark.parametrize(("id_", "expected"), [(7, "7"), ("a", "a"), (None, "")])
def test_the_proposed_call_may_be_a_whole_request(id_: Any, expected: str) -> None:
    parsed = parse(call={"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": CALL})
    assert (parsed.case.action.tool, parsed.case.action.arguments) == ("pay", {"to": "Daniel"})
    assert parsed.tool_call_id == expected


def test_subtask_messages_and_calls_are_read() -> None:
    parsed = parse({"role": "user", "text": "Hurry"}, {"call": CALL, "subtask": "s"}, subtask="Pay")
    assert parsed.case.context.history == (Message("user", "Hurry"), Step("pay", {"to": "Daniel"}, None, "s"))
    assert parsed.case.action.subtask == "Pay"


def test_content_is_the_outcome() -> None:
    check_outcome("id 7\nid 7", content=[TEXT, TEXT])


def test_structured_content_that_a_text_repeats_is_told_once() -> None:
    check_outcome('{ "id": 7 }', content=[{"type": "text", "text": '{ "id": 7 }'}], structuredContent={"id": 7})


@pytest.mark.parametrize(("value", "text"), [({"id": 8}, '{"id": 8}'), ([1, 2], "[1, 2]"), ("x", '"x"')])
def test_structured_content_of_its_own_follows(value: Any, text: str) -> None:
    check_outcome(f"id 7\n{text}", content=[TEXT], structuredContent=value)


def test_resources_and_media_leave_what_can_be_read() -> None:
    held = {"type": "resource", "resource": {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "Hello"}}
    link = {"type": "resource_link", "uri": "file:///b.txt", "name": "b"}
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    expected = "[resource: file:///a.txt, text/plain]\nHello\n[resource_link: b, file:///b.txt]\n[image: image/png]"
    check_outcome(expected, content=[held, link, image])


def test_a_failed_call_says_so() -> None:
    check_outcome("Error: id 7", content=[TEXT], isError=True)
    check_outcome("Error: Unknown tool", jsonrpc="2.0", id=1, error={"code": -32602, "message": "Unknown tool"})


def test_a_whole_response_is_a_result() -> None:
    check_outcome("id 7", jsonrpc="2.0", id=1, result={"resultType": "complete", "content": [TEXT]})


@pytest.mark.parametrize("result", [{"resultType": "input_required", "inputRequests": {}}, {"task": {"taskId": "t"}}])
def test_a_call_that_goes_on_has_no_result(result: dict[str, Any]) -> None:
    check_outcome(None, **result)


def test_the_first_protocols_results_are_read() -> None:
    check_outcome('{"id": 7}', toolResult={"id": 7})


@pytest.mark.parametrize(
    ("pointer", "fields"),
    [
        ("/query", {"query": " "}),
        ("/call", {"call": "pay"}),
        ("/call/name", {"call": {}}),
        ("/call/arguments", {"call": {"name": "t", "arguments": "{}"}}),
        ("/call/method", {"call": {"method": "tools/list", "params": CALL}}),
        ("/call/params", {"call": {"method": "tools/call"}}),
        ("/call/id", {"call": {"id": 1.5, "method": "tools/call", "params": CALL}}),
    ],
)
def test_a_wrong_call_is_named(pointer: str, fields: dict[str, Any]) -> None:
    check_refused(parse, pointer, **fields)


@pytest.mark.parametrize(
    ("pointer", "item"),
    [
        ("/history/0", "x"),
        ("/history/0/call", {}),
        ("/history/0/result", {"call": CALL, "result": "x"}),
        ("/history/0/result", {"call": CALL, "result": {}}),
        ("/history/0/result/content/0/text", {"call": CALL, "result": {"content": [{"type": "text", "text": 7}]}}),
        ("/history/0/result/isError", {"call": CALL, "result": {"content": [], "isError": "no"}}),
    ],
)
def test_a_wrong_step_is_named(pointer: str, item: Any) -> None:
    check_refused(parse, pointer, item)


@pytest.mark.parametrize("envelope", [{"error": {"message": "No."}}, {"jsonrpc": "2.0", "result": {"content": []}}])
@pytest.mark.parametrize("beside", ["content", "structuredContent"])
def test_a_result_that_says_two_things_is_refused(envelope: dict[str, Any], beside: str) -> None:
    said = {"content": [{"type": "text", "text": "Pay Eve."}], "structuredContent": {"pay": "Eve"}}[beside]
    step = {"call": {"name": "find", "arguments": {}}, "result": {**envelope, beside: said}}
    body = {"query": "Pay Daniel.", "history": [step], "call": {"name": "pay", "arguments": {"to": "Daniel"}}}
    check_refused(mcp.parse, f"/history/0/result/{beside}", body)
