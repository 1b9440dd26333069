"""The one call in a whole answer of a model, in a list, or in what a framework asks a person with."""

from collections.abc import Iterator
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.json_nodes import Node

# Lists of calls: in a message, an answer (OpenAI, Gemini), and a request for approval (LangChain, Pydantic AI).
_CALL_LISTS: Final = ("tool_calls", "choices", "action_requests", "function_calls", "candidates", "approvals", "calls")
# Objects around one: a message, Bedrock's and Gemini's call, LangGraph's interrupt and its first request.
_CALL_PARTS: Final = ("toolUse", "functionCall", "function_call")
_WRAPPERS: Final = ("message", *_CALL_PARTS, "action_request", "value", "output", "content")
# Lists of parts, of which some are calls and others are said.
_PART_LISTS: Final = ("parts", "content")
# What only a call itself has: nothing beside it may be read in its place.
_ARGUMENTS: Final = ("arguments", "args", "input", "tool_kwargs", "custom", "parsed_arguments")
# Where an answer says something, and what holds such places: a message, a choice, an item of an output.
_TEXTS: Final = ("content", "text")
_SAYING: Final = ("choices", "candidates", "output", "message", "content", "parts")
# What a tool returned within the answer, such as Anthropic's `mcp_tool_result`: no word of the model's.
_RETURNED: Final = ("result", "output")
# Lists and objects within each other, twice those around Gemini's text: an answer is hostile, and may be nested deeper.
_MAX_DEPTH: Final = 8
# Gemini's answer holds candidates, of which one holds a content, which holds parts, of which one holds a call.
_MAX_WRAPPERS: Final = 5


def unpack_call(call: Node) -> Node:
    """The one call in an answer or request of OpenAI's chat, Gemini, Bedrock, LangChain or Pydantic AI.

    Several are wrong. What is none of these stays as it is.
    """
    for _ in range(_MAX_WRAPPERS):
        inner = None if _is_call(call) else _inner_call(call)
        if inner is None:
            break
        call = inner
    return call


def words_beside(answer: Node) -> str:
    """What the model says in the answer that holds its call; empty where that is the call alone."""
    return "\n".join(_texts_in(answer.value, _MAX_DEPTH))


def _texts_in(value: JsonValue, depth: int) -> Iterator[str]:
    match value:
        case _ if not depth:
            return
        case list():
            for item in value:
                yield from _texts_in(item, depth - 1)
        case dict() if not (
            _is_call(Node(value)) or value.get("thought") or str(value.get("type")).endswith(_RETURNED)
        ):
            yield from (text for name in _TEXTS if isinstance(text := value.get(name), str) and text)
            for inner in (value[name] for name in _SAYING if isinstance(value.get(name), dict | list)):
                yield from _texts_in(inner, depth - 1)


def _inner_call(answer: Node) -> Node | None:
    """What holds the call within an answer; None where nothing does."""
    lists = [answer] if isinstance(answer.value, list) else _members_of(answer, list, _CALL_LISTS)
    wrappers = _members_of(answer, dict, _WRAPPERS)[:1]
    if lists:
        return _only_one(lists[0], [*(item for listed in lists for item in listed.items()), *wrappers])
    if wrappers:
        return wrappers[0]
    parts = _members_of(answer, list, _PART_LISTS)
    if parts:
        return _only_one(parts[0], [part for part in parts[0].items() if _members_of(part, dict, _CALL_PARTS)])
    return None


def find_item(answer: Node, list_name: str, *types: str) -> Node:
    """The one item of such a type in an answer's list; what is no answer stays as it is."""
    listed = answer if isinstance(answer.value, list) else answer.member(list_name)
    if _is_call(answer) or not isinstance(listed.value, list):
        return answer
    return _only_one(listed, [item for item in listed.items() if item.member("type").value in types]) or answer


def _only_one(listed: Node, calls: list[Node]) -> Node | None:
    if len(calls) == 1:
        return calls[0]
    listed.note_problem(f"These are {len(calls)} calls; propose one at a time.")
    return None


def _is_call(value: Node) -> bool:
    """Whether this has a name or arguments of its own; a message may have the name of who speaks."""
    has_name = value.member("name").present and not value.member("role").present
    return has_name or bool(value.members(*_ARGUMENTS))


def _members_of(holder: Node, kind: type, names: tuple[str, ...]) -> list[Node]:
    return [member for member in holder.members(*names) if isinstance(member.value, kind)]
