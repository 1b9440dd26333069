"""A call object of any framework, posted as any field, is read as exactly that call or refused."""

import dataclasses
import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import pytest

from reviews.provenance.core.context import ProposedAction
from reviews.provenance.formats import Format, FormatError, parse

TOOL: Final = "delete_files"
ARGUMENTS: Final = {"path": "/", "recursive": True}
TEXT: Final = json.dumps(ARGUMENTS)
FUNCTION: Final = {"name": TOOL, "arguments": TEXT}
ASKED: Final = {"role": "user", "content": "Delete the file build/old.txt."}
PASTS: Final[Mapping[Format, dict[str, Any]]] = {
    Format.NATIVE: {"query": ASKED["content"]},
    Format.CHAT: {"messages": [ASKED]},
    Format.RESPONSES: {"input": [ASKED]},
    Format.ANTHROPIC: {"messages": [ASKED]},
    Format.MCP: {"query": ASKED["content"]},
}


def dumps(model: Any) -> dict[str, Any]:
    """A pydantic model in every way a developer would make JSON of it."""
    return {
        "model_dump": model.model_dump(),
        "json mode": model.model_dump(mode="json"),
        "by alias": model.model_dump(by_alias=True, mode="json"),
        "without null": model.model_dump(exclude_none=True),
        "only what was set": model.model_dump(exclude_unset=True),
        "JSON": json.loads(model.model_dump_json()),
        "vars": json.loads(json.dumps(vars(model), default=vars)),
    }


@cache
def forms() -> dict[str, Any]:
    """Every object that asks for this very call, by framework and way of writing it.

    The frameworks are imported when a test asks: every process that collects tests would spend seconds on it.
    """
    models = {**openai_models(), **anthropic_and_mcp_models()}
    dumped = {f"{name}, {way}": dump for name, model in models.items() for way, dump in dumps(model).items()}
    return dumped | openai_forms() | langchain_forms() | other_frameworks() | doubtful_forms()


def openai_models() -> dict[str, Any]:
    from openai.types.chat import ChatCompletionMessageFunctionToolCall  # noqa: PLC0415 - see `forms`
    from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall  # noqa: PLC0415
    from openai.types.responses import (  # noqa: PLC0415
        ParsedResponseFunctionToolCall,
        ResponseFunctionToolCall,
        ResponseFunctionToolCallItem,
    )
    from openai.types.responses.response_output_item import McpApprovalRequest  # noqa: PLC0415

    item = {"call_id": "c1", "name": TOOL, "arguments": TEXT, "type": "function_call"}
    call = {"id": "c1", "type": "function", "function": FUNCTION}
    approval = {"id": "c1", "name": TOOL, "arguments": TEXT, "server_label": "files", "type": "mcp_approval_request"}
    return {
        "openai chat": ChatCompletionMessageFunctionToolCall.model_validate(call),
        "openai stream": ChoiceDeltaToolCall.model_validate({**call, "index": 0}),
        "openai responses": ResponseFunctionToolCall.model_validate(item),
        "openai responses item": ResponseFunctionToolCallItem.model_validate(
            {**item, "id": "fc_1", "status": "completed"}
        ),
        "openai responses parsed": ParsedResponseFunctionToolCall.model_validate(
            {**item, "parsed_arguments": ARGUMENTS}
        ),
        "openai mcp approval": McpApprovalRequest.model_validate(approval),
    }


def anthropic_and_mcp_models() -> dict[str, Any]:
    import mcp.types  # noqa: PLC0415 - see `forms`
    from anthropic.types import ToolUseBlock  # noqa: PLC0415

    request = mcp.types.CallToolRequest(
        method="tools/call", params=mcp.types.CallToolRequestParams(name=TOOL, arguments=ARGUMENTS)
    )
    answering = {
        "name": TOOL,
        "arguments": {"path": "/tmp"},
        "inputResponses": {"path": {"action": "accept", "content": {}}},
    }
    return {
        "anthropic": ToolUseBlock.model_validate({"id": "c1", "name": TOOL, "input": ARGUMENTS, "type": "tool_use"}),
        "mcp request": request,
        "mcp params": request.params,
        "mcp answers": mcp.types.CallToolRequestParams.model_validate(answering),
    }


def openai_forms() -> dict[str, Any]:
    call = {"id": "c1", "type": "function"}
    return {
        "openai chat, function alone": FUNCTION,
        "openai chat, arguments as object": {**call, "function": {**FUNCTION, "arguments": ARGUMENTS}},
        "openai chat, parsed": {"id": "c1", "function": {**FUNCTION, "parsed_arguments": ARGUMENTS}},
        "openai chat, parsed into another call": {
            "id": "c1",
            "function": {**FUNCTION, "parsed_arguments": {"path": "x"}},
        },
    }


def langchain_forms() -> dict[str, Any]:
    from langchain_core.messages import AIMessage, AIMessageChunk  # noqa: PLC0415 - see `forms`
    from langchain_core.messages.tool import invalid_tool_call, tool_call, tool_call_chunk  # noqa: PLC0415

    message = AIMessage("", tool_calls=[tool_call(name=TOOL, args=ARGUMENTS, id="c1")])
    chunk = AIMessageChunk(content="", tool_call_chunks=[tool_call_chunk(name=TOOL, args=TEXT, id="c1", index=0)])
    return {
        "langchain": dict(message.tool_calls[0]),
        "langchain, content block": dict(message.content_blocks[-1]),
        "langchain, JSON": message.model_dump(mode="json")["tool_calls"][0],
        "langchain, chunk": dict(chunk.tool_call_chunks[0]),
        "langchain, merged chunk": dict(chunk.tool_calls[0]),
        "langchain, invalid": dict(invalid_tool_call(name=TOOL, args=TEXT, id="c1", error="cut off")),
        "langchain agent action": {"tool": TOOL, "tool_input": ARGUMENTS, "log": ""},
        "langgraph action": {"action": TOOL, "args": ARGUMENTS},
    }


def other_frameworks() -> dict[str, Any]:
    from autogen_core import FunctionCall  # noqa: PLC0415 - see `forms`
    from pydantic_ai.messages import ToolCallPart  # noqa: PLC0415

    autogen = dataclasses.asdict(FunctionCall(id="c1", arguments=TEXT, name=TOOL))
    return {
        "autogen": autogen,
        "autogen, arguments as object": {**autogen, "arguments": ARGUMENTS},
        "pydantic-ai": dataclasses.asdict(ToolCallPart(TOOL, ARGUMENTS, "c1")),
        "pydantic-ai, args as text": dataclasses.asdict(ToolCallPart(TOOL, TEXT, "c1")),
        "gemini": {"name": TOOL, "args": ARGUMENTS},
        "gemini, with id": {"id": "c1", "name": TOOL, "args": ARGUMENTS},
        "gemini, part": {"functionCall": {"name": TOOL, "args": ARGUMENTS}},
        "bedrock": {"toolUseId": "c1", "name": TOOL, "input": ARGUMENTS},
        "cohere": {"name": TOOL, "parameters": ARGUMENTS},
        "llamaindex": {"tool_id": "c1", "tool_name": TOOL, "tool_kwargs": ARGUMENTS},
        "smolagents": {"id": "c1", "type": "function", "function": {"name": TOOL, "arguments": ARGUMENTS}},
        "our own": {"tool": TOOL, "arguments": ARGUMENTS},
    }


def doubtful_forms() -> dict[str, Any]:
    """Of which one reader would take this and another that."""
    return {
        "two places": {"name": TOOL, "arguments": {}, "args": ARGUMENTS},
        "a wrapper and arguments beside it": {"function": {"name": TOOL, "arguments": "{}"}, "arguments": ARGUMENTS},
        "an empty text": {"name": TOOL, "arguments": ""},
    }


def read(field: Format, call: Any) -> ProposedAction | None:
    """The call that is read; None when it is refused."""
    try:
        return parse({**PASTS[field], "tools": [{"name": TOOL, "parameters": SCHEMA}], field: call}).case.action
    except FormatError:
        return None


SCHEMA: Final = {"type": "object", "properties": {"path": {"type": "string"}, "recursive": {"type": "boolean"}}}
RIGHT: Final = ProposedAction(TOOL, ARGUMENTS)


@pytest.mark.parametrize("field", list(Format))
def test_a_call_is_read_as_it_is_or_refused(field: Format) -> None:
    assert [name for name, form in forms().items() if read(field, form) not in (RIGHT, None)] == []


@pytest.mark.parametrize(
    ("framework", "field"),
    [
        ("openai chat", Format.CHAT),
        ("openai stream", Format.CHAT),
        ("openai responses", Format.RESPONSES),
        ("openai mcp approval", Format.RESPONSES),
        ("anthropic", Format.ANTHROPIC),
        ("mcp request", Format.MCP),
        ("mcp params", Format.MCP),
        ("autogen", Format.CHAT),
        ("gemini", Format.RESPONSES),
        ("gemini, with id", Format.RESPONSES),
        ("langchain", Format.CHAT),
    ],
)
def test_a_call_is_read_in_the_field_made_for_it(framework: str, field: Format) -> None:
    unusable = ("chunk", "invalid", "part", "agent action", "another call")
    mine = [name for name in forms() if name.startswith(framework) and not name.endswith(unusable)]
    assert mine
    assert {name: read(field, forms()[name]) for name in mine} == dict.fromkeys(mine, RIGHT)


@pytest.mark.parametrize("form", ["mcp answers, by alias", "langchain, chunk", "openai chat, parsed into another call"])
def test_what_is_no_whole_call_is_read_nowhere(form: str) -> None:
    assert not any(read(field, forms()[form]) for field in Format)


@pytest.mark.parametrize(
    ("field", "call", "pointer", "meant"),
    [
        (Format.MCP, {"name": TOOL, "args": ARGUMENTS}, "/call/args", "arguments"),
        (Format.NATIVE, {"tool": TOOL, "kwargs": ARGUMENTS}, "/action/kwargs", "arguments"),
        (Format.NATIVE, {"name": TOOL, "arguments": ARGUMENTS}, "/action/name", "tool"),
        (Format.ANTHROPIC, {"name": TOOL, "arguments": ARGUMENTS}, "/tool_use/arguments", "input"),
        (Format.CHAT, {"function": {"name": TOOL, "argumets": TEXT}}, "/tool_call/function/argumets", "arguments"),
        (Format.RESPONSES, {"tool_name": TOOL, "arguments": TEXT}, "/function_call/tool_name", "name"),
    ],
)
def test_the_field_that_was_meant_is_named(field: Format, call: Any, pointer: str, meant: str) -> None:
    with pytest.raises(FormatError) as refusal:
        parse({**PASTS[field], "tools": [], field: call})
    assert f"did you mean `{meant}`?" in dict(refusal.value.problems)[pointer]


CALLS: Final[Mapping[Format, Any]] = {
    Format.NATIVE: {"tool": TOOL},
    Format.CHAT: {"function": {"name": TOOL}},
    Format.RESPONSES: {"name": TOOL},
    Format.ANTHROPIC: {"name": TOOL},
    Format.MCP: {"name": TOOL},
}


@pytest.mark.parametrize("field", list(Format))
@pytest.mark.parametrize(
    "tools",
    [
        [],
        [{"name": "another", "parameters": {"type": "object"}}],
        [{"name": TOOL}],
        [{"name": TOOL, "parameters": SCHEMA}],
        [{"name": TOOL, "parameters": {"type": "object", "additionalProperties": {"type": "string"}}}],
        [{"name": TOOL, "parameters": {"$ref": "#/$defs/path"}}],
    ],
)
def test_arguments_that_were_left_out_are_refused(field: Format, tools: Any) -> None:
    with pytest.raises(FormatError, match="This field is required"):
        parse({**PASTS[field], "tools": tools, field: CALLS[field]})


@pytest.mark.parametrize("field", list(Format))
def test_a_tool_that_takes_no_arguments_needs_none(field: Format) -> None:
    tools = [{"name": TOOL, "parameters": {"type": "object", "properties": {}, "additionalProperties": False}}]
    assert parse({**PASTS[field], "tools": tools, field: CALLS[field]}).case.action == ProposedAction(TOOL, {})
