"""One conversation, told in every format: the inverse of the product's readers."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reviews.provenance.core.context import Case, Context, Message, NamedText, ProposedAction, SourceKind, Step, ToolDoc
from reviews.provenance.formats import Format


@dataclass(frozen=True)
class Made:
    """A call with its id; without a result it is not finished."""

    id: str
    tool: str
    arguments: Mapping[str, Any]
    result: str | None = None


@dataclass(frozen=True)
class Turn:
    """What the assistant says and calls at once."""

    text: str = ""
    calls: tuple[Made, ...] = ()


@dataclass(frozen=True)
class Told:
    """A conversation in which `proposed` is the last turn's first call. A plain text is a turn of the user."""

    query: str
    turns: tuple[str | Turn, ...] = ()
    last: Turn = Turn(calls=(Made("p", "ping", {}),))
    system: tuple[str, ...] = ()
    tools: tuple[ToolDoc, ...] = ()

    @property
    def proposed(self) -> Made:
        return self.last.calls[0]


def case_of(told: Told) -> Case:
    """What every format's reader must make of it."""
    names = ("system" if n == 1 else f"system-{n}" for n in range(1, len(told.system) + 1))
    context = Context(
        query=told.query,
        tools=told.tools,
        history=tuple(_past(told)),
        extra=tuple(NamedText(SourceKind.SYSTEM_PROMPT, *each) for each in zip(names, told.system, strict=True)),
    )
    return Case(context, ProposedAction(told.proposed.tool, told.proposed.arguments, told.last.text or None))


def _past(told: Told) -> Iterator[Message | Step]:
    for turn in told.turns:
        if isinstance(turn, str):
            yield Message("user", turn)
            continue
        if turn.text:
            yield Message("assistant", turn.text)
        yield from (Step(call.tool, call.arguments, call.result) for call in turn.calls)
    finished = (call for call in told.last.calls[1:] if call.result is not None)
    yield from (Step(call.tool, call.arguments, call.result) for call in finished)


def _everything(told: Told) -> tuple[str | Turn, ...]:
    return (*told.turns, told.last)


def _results(turn: Turn) -> Iterator[tuple[str, str]]:
    return ((call.id, call.result) for call in turn.calls if call.result is not None)


def native(told: Told) -> dict[str, Any]:
    tools = [_tool(tool, "parameters") for tool in told.tools]
    case = case_of(told)
    return {
        "query": told.query,
        "tools": tools,
        "sources": [{"kind": each.kind, "name": each.name, "text": each.text} for each in case.context.extra],
        "history": [_native_item(item) for item in case.context.history],
        "action": {**_action(case.action), "subtask": case.action.subtask, "tool_call_id": told.proposed.id},
    }


def _native_item(item: Message | Step) -> dict[str, Any]:
    if isinstance(item, Message):
        return {"role": item.role, "text": item.text}
    outcome = {} if item.outcome is None else {"outcome": item.outcome}
    return {"tool": item.tool, "arguments": dict(item.arguments), **outcome}


def _action(action: ProposedAction) -> dict[str, Any]:
    return {"tool": action.tool, "arguments": dict(action.arguments)}


def chat(told: Told) -> dict[str, Any]:
    prompts = [{"role": "system", "content": text} for text in told.system]
    tools = [{"type": "function", "function": _tool(tool, "parameters")} for tool in told.tools]
    messages = [*prompts, {"role": "user", "content": told.query}]
    for turn in _everything(told):
        messages.extend([{"role": "user", "content": turn}] if isinstance(turn, str) else _chat_turn(turn))
    return {"messages": messages, "tools": tools, "tool_call": _chat_call(told.proposed)}


def _chat_turn(turn: Turn) -> list[dict[str, Any]]:
    calls = [_chat_call(call) for call in turn.calls] or None
    said = {"role": "assistant", "content": turn.text or None, "tool_calls": calls}
    return [said, *({"role": "tool", "tool_call_id": id_, "content": text} for id_, text in _results(turn))]


def _chat_call(call: Made) -> dict[str, Any]:
    arguments = json.dumps(call.arguments)
    return {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments}}


def responses(told: Told) -> dict[str, Any]:
    first, *others = told.system or ("",)
    items: list[dict[str, Any]] = [{"role": "developer", "content": text} for text in others]
    items.append({"role": "user", "content": [{"type": "input_text", "text": told.query}]})
    for turn in _everything(told):
        items.extend([{"role": "user", "content": turn}] if isinstance(turn, str) else _responses_turn(turn))
    tools = [{"type": "function", "strict": True, **_tool(tool, "parameters")} for tool in told.tools]
    call = _responses_call(told.proposed)
    return {"instructions": first, "input": items, "tools": tools, "function_call": call}


def _responses_turn(turn: Turn) -> Iterator[dict[str, Any]]:
    yield {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Let me see."}]}
    if turn.text:
        content = [{"type": "output_text", "text": turn.text, "annotations": []}]
        yield {"type": "message", "id": "msg", "role": "assistant", "status": "completed", "content": content}
    yield from (_responses_call(call) for call in turn.calls)
    yield from ({"type": "function_call_output", "call_id": id_, "output": text} for id_, text in _results(turn))


def _responses_call(call: Made) -> dict[str, Any]:
    arguments = json.dumps(call.arguments)
    return {"type": "function_call", "id": "fc", "call_id": call.id, "name": call.tool, "arguments": arguments}


def anthropic(told: Told) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": told.query}]
    for turn in _everything(told):
        messages.extend([{"role": "user", "content": turn}] if isinstance(turn, str) else _anthropic_turn(turn))
    return {
        "system": [{"type": "text", "text": text} for text in told.system],
        "messages": messages,
        "tools": [_tool(tool, "input_schema") for tool in told.tools],
        "tool_use": _anthropic_call(told.proposed),
    }


def _anthropic_turn(turn: Turn) -> Iterator[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": "Let me see.", "signature": "s"}]
    blocks.extend([{"type": "text", "text": turn.text}] if turn.text else [])
    blocks.extend(_anthropic_call(call) for call in turn.calls)
    yield {"role": "assistant", "content": blocks}
    results = [{"type": "tool_result", "tool_use_id": id_, "content": text} for id_, text in _results(turn)]
    if results:
        yield {"role": "user", "content": results}


def _anthropic_call(call: Made) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.tool, "input": dict(call.arguments)}


def mcp(told: Told) -> dict[str, Any]:
    case, told_native = case_of(told), native(told)
    call = {"jsonrpc": "2.0", "id": told.proposed.id, "method": "tools/call", "params": _mcp_call(case.action)}
    return {
        "query": told.query,
        "tools": {"tools": [_tool(tool, "inputSchema") for tool in told.tools], "nextCursor": None},
        "sources": told_native["sources"],
        "history": [_mcp_item(item) for item in case.context.history],
        "call": call,
        "subtask": case.action.subtask,
    }


def _mcp_item(item: Message | Step) -> dict[str, Any]:
    if isinstance(item, Message):
        return _native_item(item)
    content = [{"type": "text", "text": item.outcome}]
    return {"call": _mcp_call(item), **({} if item.outcome is None else {"result": {"content": content}})}


def _mcp_call(call: ProposedAction | Step) -> dict[str, Any]:
    return {"name": call.tool, "arguments": dict(call.arguments)}


def _tool(tool: ToolDoc, schema: str) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, schema: dict(tool.parameters)}


WRITERS: dict[Format, Callable[[Told], dict[str, Any]]] = {
    Format.NATIVE: native,
    Format.CHAT: chat,
    Format.RESPONSES: responses,
    Format.ANTHROPIC: anthropic,
    Format.MCP: mcp,
}
