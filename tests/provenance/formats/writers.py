"""One conversation, written in every format: the inverse of the product's readers."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reviews.provenance.core.context import Case, Context, Message, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.formats import Format
from reviews.provenance.formats.subtasks import speaks_of


@dataclass(frozen=True)
class Call:
    """A call with its id; without a result it is not finished."""

    id: str
    tool: str
    arguments: Mapping[str, Any]
    result: str | None = None


@dataclass(frozen=True)
class Turn:
    """What the assistant says and calls at once."""

    text: str = ""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Conversation:
    """A conversation in which `proposed` is the last turn's first call. A plain text is a turn of the user."""

    query: str
    turns: tuple[str | Turn, ...] = ()
    last: Turn = Turn(calls=(Call("p", "ping", {}),))
    system: tuple[str, ...] = ()
    tools: tuple[ToolDoc, ...] = ()

    @property
    def proposed(self) -> Call:
        return self.last.calls[0]


def case_of(conversation: Conversation) -> Case:
    """What every format's reader must make of it."""
    names = ("system" if n == 1 else f"system-{n}" for n in range(1, len(conversation.system) + 1))
    said, proposed = conversation.last.text, conversation.proposed
    # Which words are about the call is tested by itself; here they are the same words in every format.
    subtask = said if speaks_of(said, proposed.tool, proposed.arguments) else None
    context = Context(
        query=conversation.query,
        tools=conversation.tools,
        history=tuple(_past(conversation, aside="" if subtask else said)),
        extra=tuple(
            NamedText(SourceKind.SYSTEM_PROMPT, *each) for each in zip(names, conversation.system, strict=True)
        ),
    )
    return Case(context, ProposedAction(proposed.tool, proposed.arguments, subtask))


def _past(conversation: Conversation, *, aside: str) -> Iterator[Message | Step]:
    for turn in conversation.turns:
        if isinstance(turn, str):
            yield Message("user", turn)
            continue
        if turn.text:
            yield Message("assistant", turn.text)
        yield from (Step(call.tool, call.arguments, call.result) for call in turn.calls)
    if aside:
        yield Message("assistant", aside)
    finished = (call for call in conversation.last.calls[1:] if call.result is not None)
    yield from (Step(call.tool, call.arguments, call.result) for call in finished)


def _everything(conversation: Conversation) -> tuple[str | Turn, ...]:
    return (*conversation.turns, conversation.last)


def _results(turn: Turn) -> Iterator[tuple[str, str]]:
    return ((call.id, call.result) for call in turn.calls if call.result is not None)


def native(conversation: Conversation) -> dict[str, Any]:
    tools = [_tool(tool, "parameters") for tool in conversation.tools]
    case = case_of(conversation)
    return {
        "query": conversation.query,
        "tools": tools,
        "sources": [{"kind": each.kind, "name": each.name, "text": each.text} for each in case.context.extra],
        "history": [_native_item(item) for item in case.context.history],
        "action": {**_action(case.action), "subtask": case.action.subtask, "tool_call_id": conversation.proposed.id},
    }


def _native_item(item: Message | Step) -> dict[str, Any]:
    if isinstance(item, Message):
        return {"role": item.role, "text": item.text}
    outcome = {} if item.outcome is None else {"outcome": item.outcome}
    return {"tool": item.tool, "arguments": dict(item.arguments), **outcome}


def _action(action: ProposedAction) -> dict[str, Any]:
    return {"tool": action.tool, "arguments": dict(action.arguments)}


def chat(conversation: Conversation) -> dict[str, Any]:
    prompts = [{"role": "system", "content": text} for text in conversation.system]
    tools = [{"type": "function", "function": _tool(tool, "parameters")} for tool in conversation.tools]
    messages = [*prompts, {"role": "user", "content": conversation.query}]
    for turn in _everything(conversation):
        messages.extend([{"role": "user", "content": turn}] if isinstance(turn, str) else _chat_turn(turn))
    return {"messages": messages, "tools": tools, "tool_call": _chat_call(conversation.proposed)}


def _chat_turn(turn: Turn) -> list[dict[str, Any]]:
    calls = [_chat_call(call) for call in turn.calls] or None
    said = {"role": "assistant", "content": turn.text or None, "tool_calls": calls}
    return [said, *({"role": "tool", "tool_call_id": id_, "content": text} for id_, text in _results(turn))]


def _chat_call(call: Call) -> dict[str, Any]:
    arguments = json.dumps(call.arguments)
    return {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments}}


def responses(conversation: Conversation) -> dict[str, Any]:
    first, *others = conversation.system or ("",)
    items: list[dict[str, Any]] = [{"role": "developer", "content": text} for text in others]
    items.append({"role": "user", "content": [{"type": "input_text", "text": conversation.query}]})
    for turn in _everything(conversation):
        items.extend([{"role": "user", "content": turn}] if isinstance(turn, str) else _responses_turn(turn))
    tools = [{"type": "function", "strict": True, **_tool(tool, "parameters")} for tool in conversation.tools]
    call = _responses_call(conversation.proposed)
    return {"instructions": first, "input": items, "tools": tools, "function_call": call}


def _responses_turn(turn: Turn) -> Iterator[dict[str, Any]]:
    yield {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Let me see."}]}
    if turn.text:
        content = [{"type": "output_text", "text": turn.text, "annotations": []}]
        yield {"type": "message", "id": "msg", "role": "assistant", "status": "completed", "content": content}
    yield from (_responses_call(call) for call in turn.calls)
    yield from ({"type": "function_call_output", "call_id": id_, "output": text} for id_, text in _results(turn))


def _responses_call(call: Call) -> dict[str, Any]:
    arguments = json.dumps(call.arguments)
    return {"type": "function_call", "id": "fc", "call_id": call.id, "name": call.tool, "arguments": arguments}


def anthropic(conversation: Conversation) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": conversation.query}]
    for turn in _everything(conversation):
        messages.extend([{"role": "user", "content": turn}] if isinstance(turn, str) else _anthropic_turn(turn))
    return {
        "system": [{"type": "text", "text": text} for text in conversation.system],
        "messages": messages,
        "tools": [_tool(tool, "input_schema") for tool in conversation.tools],
        "tool_use": _anthropic_call(conversation.proposed),
    }


def _anthropic_turn(turn: Turn) -> Iterator[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": "Let me see.", "signature": "s"}]
    blocks.extend([{"type": "text", "text": turn.text}] if turn.text else [])
    blocks.extend(_anthropic_call(call) for call in turn.calls)
    yield {"role": "assistant", "content": blocks}
    results = [{"type": "tool_result", "tool_use_id": id_, "content": text} for id_, text in _results(turn)]
    if results:
        yield {"role": "user", "content": results}


def _anthropic_call(call: Call) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.tool, "input": dict(call.arguments)}


def mcp(conversation: Conversation) -> dict[str, Any]:
    case, told_native = case_of(conversation), native(conversation)
    call = {"jsonrpc": "2.0", "id": conversation.proposed.id, "method": "tools/call", "params": _mcp_call(case.action)}
    return {
        "query": conversation.query,
        "tools": {"tools": [_tool(tool, "inputSchema") for tool in conversation.tools], "nextCursor": None},
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


WRITERS: dict[Format, Callable[[Conversation], dict[str, Any]]] = {
    Format.NATIVE: native,
    Format.CHAT: chat,
    Format.RESPONSES: responses,
    Format.ANTHROPIC: anthropic,
    Format.MCP: mcp,
}
