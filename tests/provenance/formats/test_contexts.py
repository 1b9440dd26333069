"""What happened before, told without a proposed call."""

from typing import Any

import pytest

from reviews.provenance import formats
from reviews.provenance.core.context import Context, Message, NamedText, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.formats import Format
from tests.provenance.formats.refusals import check_refused

ASKED = {"role": "user", "content": "Pay Daniel"}
SAID = {"role": "assistant", "content": "I look Daniel up, then I pay."}
FOUND = "daniel@example.org"
PAID = {"name": "pay", "description": "Pays."}
CALLED = {"id": "a", "type": "function", "function": {"name": "find", "arguments": '{"name": "Daniel"}'}}
USED = {"type": "tool_use", "id": "a", "name": "find", "input": {"name": "Daniel"}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": FOUND}

NATIVE: dict[str, Any] = {
    "query": "Pay Daniel",
    "tools": [PAID],
    "history": [
        {"tool": "find", "arguments": {"name": "Daniel"}, "outcome": FOUND},
        {"role": "assistant", "text": SAID["content"]},
    ],
}
CHAT: dict[str, Any] = {
    "messages": [
        ASKED,
        {"role": "assistant", "tool_calls": [CALLED]},
        {"role": "tool", "tool_call_id": "a", "content": FOUND},
        SAID,
    ],
    "tools": [{"type": "function", "function": PAID}],
}
RESPONSES: dict[str, Any] = {
    "input": [
        ASKED,
        {"type": "function_call", "call_id": "a", "name": "find", "arguments": '{"name": "Daniel"}'},
        {"type": "function_call_output", "call_id": "a", "output": FOUND},
        SAID,
    ],
    "tools": [{"type": "function", **PAID}],
}
ANTHROPIC: dict[str, Any] = {
    "messages": [
        ASKED,
        {"role": "assistant", "content": [USED]},
        {"role": "user", "content": [RESULT]},
        SAID,
    ],
    "tools": [PAID],
}
MCP: dict[str, Any] = {
    **NATIVE,
    "history": [
        {
            "call": {"name": "find", "arguments": {"name": "Daniel"}},
            "result": {"content": [{"type": "text", "text": FOUND}]},
        },
        NATIVE["history"][1],
    ],
}
BODIES = {
    Format.NATIVE: NATIVE,
    Format.CHAT: CHAT,
    Format.RESPONSES: RESPONSES,
    Format.ANTHROPIC: ANTHROPIC,
    Format.MCP: MCP,
}
TOLD = Context(
    "Pay Daniel",
    (ToolDoc("pay", "Pays."),),
    (Step("find", {"name": "Daniel"}, FOUND), Message("assistant", SAID["content"])),
)


def check_format(body: dict[str, Any], expected: Format) -> None:
    assert formats.detect_context(body) is expected


@pytest.mark.parametrize("shape", list(Format))
def test_every_format_is_told_by_what_stands_in_it(shape: Format) -> None:
    check_format(BODIES[shape], shape)


@pytest.mark.parametrize("shape", list(Format))
def test_every_format_tells_the_same(shape: Format) -> None:
    told = formats.parse_context(BODIES[shape])
    assert (told.context, told.history_given) == (TOLD, True)


@pytest.mark.parametrize(
    "more", [{"system": "Be kind."}, {"tools": [{**PAID, "input_schema": {"type": "object"}}]}], ids=["system", "tools"]
)
def test_what_only_anthropic_has_tells_it(more: dict[str, Any]) -> None:
    check_format({"messages": [ASKED], "tools": [], **more}, Format.ANTHROPIC)


def test_a_bare_conversation_is_openais() -> None:
    check_format({"messages": [ASKED], "tools": []}, Format.CHAT)


def test_a_system_prompt_is_a_source() -> None:
    told = formats.parse_context({**ANTHROPIC, "system": "Be kind."})
    assert told.context.extra == (NamedText(SourceKind.SYSTEM_PROMPT, "system", "Be kind."),)


def test_a_call_that_has_no_result_yet_has_happened() -> None:
    told = formats.parse_context({**CHAT, "messages": CHAT["messages"][:2]})
    assert told.context.history == (Step("find", {"name": "Daniel"}),)


def test_history_that_is_left_out_is_not_given() -> None:
    assert not formats.parse_context({"query": "Pay Daniel", "tools": []}).history_given


def test_a_server_that_is_not_believed_is_told_of() -> None:
    hinted = [{**PAID, "inputSchema": {}, "annotations": {"readOnlyHint": True}}]
    assert formats.parse_context({**MCP, "tools": hinted}).disbelieved
    assert (
        not formats.parse_context({**MCP, "tools": hinted}, trust_annotations=True)
        .context.tools[0]
        .environment_changing
    )


@pytest.mark.parametrize(
    ("pointer", "body"),
    [
        ("", 7),
        ("/query", {"tools": []}),
        ("/history", {**CHAT, "history": []}),
        ("/messages", {"messages": [SAID]}),
        ("/messages", {**RESPONSES, "messages": []}),
        ("/history/0/tool", {**NATIVE, "history": [{"outcome": "x"}]}),
        ("/history/1/call", {**MCP, "history": [*MCP["history"][:1], {"tool": "find"}]}),
        ("/messages/0/content/0/tool_use_id", {"messages": [{"role": "user", "content": [RESULT]}]}),
    ],
)
def test_what_does_not_fit_is_pointed_at(pointer: str, body: Any) -> None:
    check_refused(formats.parse_context, pointer, body)
