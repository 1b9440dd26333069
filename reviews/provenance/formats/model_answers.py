"""The one call in a whole answer of a model, in a list, or in what a framework asks a person with."""

from collections.abc import Callable
from typing import Final

from reviews.provenance.formats.json_nodes import Node

# Lists of calls: in a message, an answer (OpenAI, Gemini), and a request for approval (LangChain, Pydantic AI).
_CALL_LISTS: Final = ("tool_calls", "choices", "action_requests", "function_calls", "candidates", "approvals", "calls")
# Objects around one: a message, Bedrock's and Gemini's call, LangGraph's interrupt and its first request.
_WRAPPERS: Final = (
    "message",
    "toolUse",
    "functionCall",
    "function_call",
    "action_request",
    "value",
    "output",
    "content",
)
# Lists of parts, of which some are calls and others are said.
_PART_LISTS: Final = ("parts", "content")
_CALL_PARTS: Final = ("toolUse", "functionCall", "function_call")
# What only a call itself has: nothing beside it may be read in its place.
_ARGUMENTS: Final = ("arguments", "args", "input", "tool_kwargs", "custom", "parsed_arguments")
# Gemini's answer holds candidates, of which one holds a content, which holds parts, of which one holds a call.
_MAX_WRAPPERS: Final = 5


def unpack_call(call: Node) -> Node:
    """The one call in an answer or request of OpenAI's chat, Gemini, Bedrock, LangChain or Pydantic AI.

    Several are wrong. What is none of these stays as it is.
    """
    for _ in range(_MAX_WRAPPERS):
        if _is_call(call):
            break
        lists = [member for name in _CALL_LISTS if isinstance((member := call.member(name)).value, list)]
        wrapper = next((member for name in _WRAPPERS if isinstance((member := call.member(name)).value, dict)), None)
        parts = next((member for name in _PART_LISTS if isinstance((member := call.member(name)).value, list)), None)
        if isinstance(call.value, list):
            lists = [call]
        if lists:
            calls = [item for listed in lists for item in listed.items()]
            inner = _only_one(lists[0], [*calls, *([wrapper] if wrapper is not None else [])])
        elif wrapper is not None:
            inner = wrapper
        elif parts is not None:
            inner = _only_one(parts, [part for part in parts.items() if _holds_call(part)])
        else:
            break
        if inner is None:
            break
        call = inner
    return call


def find_item(answer: Node, lists: str, is_call: Callable[[Node], bool]) -> Node:
    """The one call among the items of an answer, which it has in `lists`; what is no answer stays as it is."""
    listed = answer if isinstance(answer.value, list) else answer.member(lists)
    if _is_call(answer) or not isinstance(listed.value, list):
        return answer
    return _only_one(listed, [item for item in listed.items() if is_call(item)]) or answer


def _only_one(listed: Node, calls: list[Node]) -> Node | None:
    if len(calls) == 1:
        return calls[0]
    listed.note_problem(f"These are {len(calls)} calls; propose one at a time.")
    return None


def _is_call(value: Node) -> bool:
    """Whether this has a name or arguments of its own; a message may have the name of who speaks."""
    has_name = value.member("name").present and not value.member("role").present
    return has_name or any(value.member(name).present for name in _ARGUMENTS)


def _holds_call(part: Node) -> bool:
    return any(isinstance(part.member(name).value, dict) for name in _CALL_PARTS)
