"""Conversations of other frameworks, rewritten as OpenAI's chat has them, which then is read.

Gemini and the Agent Development Kit, Bedrock and Strands, the AI SDK, Pydantic AI, LangChain's dumps, AutoGen, the
Agent Framework and Inspect write the same few things under other names. What is not known through and through stays as
it is, so that the reader refuses it: nothing of a message may be lost on the way.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.content import bears_words, mark_failure
from reviews.provenance.formats.json_nodes import name_set

JsonObject = dict[str, JsonValue]
# What frameworks call a role, or the class of a message.
_ROLES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("human", "HumanMessage", "UserMessage"), "user"),
    **dict.fromkeys(("ai", "AIMessage", "AIMessageChunk", "AssistantMessage", "model"), "assistant"),
    "SystemMessage": "system",
    **dict.fromkeys(("ToolMessage", "FunctionExecutionResultMessage"), "tool"),
}
_LANGCHAIN_TYPES: Final = frozenset({"system", "tool", *_ROLES})
_LISTS: Final = ("content", "parts", "contents")
_TYPES: Final = ("type", "part_kind")
# Members of a part whose only one they are, as Bedrock and Google write calls and results.
_CALL_WRAPPERS: Final = ("toolUse", "functionCall", "function_call")
_RESULT_WRAPPERS: Final = ("toolResult", "functionResponse", "function_response")
_CALL_TYPES: Final = frozenset({"tool-call", "tool_call", "function_call", "tool_use"})
_EVENT_TYPES: Final = _CALL_TYPES | {"dynamic-tool", "function_result", "tool_result"}
# AutoGen's have no type, and exactly these fields.
_UNTYPED: Final = (frozenset({"id", "name", "arguments"}), frozenset({"content", "name", "call_id", "is_error"}))
_NAMES: Final = ("name", "tool_name", "toolName")
_ARGUMENTS: Final = ("arguments", "args", "input")
_IDS: Final = ("tool_call_id", "toolCallId", "toolUseId", "tool_use_id", "call_id", "id")
_RESULTS: Final = ("content", "output", "result", "response")
# What tells of a call or a result and is part of neither.
_BESIDE: Final = name_set("""
    additional_properties annotations cache_control caller content_file_digests extras index informational_only
    metadata partMetadata providerExecuted providerMetadata providerOptions provider_details provider_name retry state
    thoughtSignature thought_signature timestamp title tool_kind
""")
_PAGE_FIELDS: Final = _BESIDE.union(("type", "toolName", "toolCallId", "state", "input", "output", "errorText"))
_CALL_FIELDS: Final = _BESIDE.union(_TYPES, _NAMES, _ARGUMENTS, _IDS)
_RESULT_FIELDS: Final = _BESIDE.union(
    _TYPES, _NAMES, _IDS, _RESULTS, ("status", "isError", "is_error", "exception", "outcome", "errorText", "input")
)
# Fields of a request or response of Pydantic AI; what else stands there is refused with it.
_PYDANTIC_FIELDS: Final = name_set("""
    canonical_system conversation_id failed_attempts finish_reason history_digest instructions kind metadata model_id
    model_name parts provider_details provider_name provider_response_id provider_url run_id state timestamp usage
    workspace_ref
""")
_PYDANTIC_ROLES: Final[Mapping[str, str]] = {"system-prompt": "system", "user-prompt": "user", "text": "assistant"}
_PROMPT_FIELDS: Final = name_set("""
    citations content context_id dynamic_ref id metadata part_kind provider_details provider_name scope signature
    timestamp
""")


class _UnknownShapeError(Exception):
    """Something holds more than is known."""


def as_chat_messages(message: JsonValue) -> list[JsonValue]:
    """The messages that OpenAI's chat would have in place of this one."""
    if not isinstance(message, dict):
        return [message]
    plain = _with_role(_unwrap_envelope(message))
    is_pydantic = plain.get("kind") in ("request", "response")
    if not is_pydantic:
        if isinstance(calls := plain.get("tool_calls"), list):
            plain = {**plain, "tool_calls": [_listed_call(call) for call in calls]}
        if plain.get("role") == "tool" and "error" in plain:
            plain = _inspect_result(plain)
        message = plain
    try:
        return (_pydantic_messages(plain) if is_pydantic else _split_parts(plain)) or [message]
    except _UnknownShapeError:
        return [message]


def _unwrap_envelope(message: JsonObject) -> JsonObject:
    """What LangChain's dumps wrap."""
    match message:
        case {"type": kind, "data": dict(data), **rest} if not rest:
            return {**data, "type": kind}
        case {"lc": 1, "id": [*_, kind], "kwargs": dict(kwargs), **rest} if rest.keys() <= {"type", "name", "graph"}:
            return {**kwargs, "type": kind}
    return message


def _with_role(message: JsonObject) -> JsonObject:
    """A message that says in `role` who speaks, as OpenAI calls it."""
    kind, role = message.get("type"), message.get("role")
    if "role" not in message and isinstance(kind, str) and kind in _LANGCHAIN_TYPES:
        rest = {name: value for name, value in message.items() if name not in ("type", "source")}
        return {**rest, "role": _ROLES.get(kind, kind)}
    # The Agent Framework wrote its roles as objects once.
    if isinstance(role, dict) and role.keys() <= {"type", "value"}:
        role = role.get("value")
    return {**message, "role": _ROLES.get(role, role)} if isinstance(role, str) else message


def _pydantic_messages(message: JsonObject) -> list[JsonValue]:
    """A request or response of Pydantic AI, part by part."""
    parts = message.get("parts")
    _require_known(message, _PYDANTIC_FIELDS)
    if not isinstance(parts, list):
        return []
    instructions = message.get("instructions")
    messages: list[JsonValue] = [{"role": "system", "content": instructions}] if instructions else []
    for part in parts:
        messages += _pydantic_part(part)
    return messages


def _pydantic_part(part: JsonValue) -> list[JsonObject]:
    kind = part.get("part_kind") if isinstance(part, dict) else None
    if isinstance(kind, str) and part.keys() <= _PROMPT_FIELDS:
        if kind == "thinking":
            return []
        if kind in _PYDANTIC_ROLES:
            return [{"role": _PYDANTIC_ROLES[kind], "content": part.get("content")}]
    if kind == "retry-prompt" and part.get("tool_name"):
        part = {**part, "part_kind": "tool-return", "outcome": "failed"}
    event = _event_messages(part)
    if event is None:
        raise _UnknownShapeError
    return event


def _split_parts(message: JsonObject) -> list[JsonValue]:
    """The message with the calls among its parts where OpenAI has them, and its results as messages of their own."""
    place = next((name for name in _LISTS if isinstance(message.get(name), list)), None)
    events = [(part, _event_messages(part)) for part in (message[place] if place else ())]
    if all(event is None for _, event in events):
        return []
    rest = {name: value for name, value in message.items() if name != place}
    listed_ids = _ids_of(rest)
    spoken: list[JsonValue] = []
    messages: list[JsonValue] = []
    for part, event in events:
        if event is None:
            spoken += [] if part == {"type": "step-start"} else [part]
        # Some clients keep a call among the parts as well as in `tool_calls`.
        elif listed_ids.isdisjoint(call_id for said in event for call_id in _ids_of(said)):
            messages += [*_spoken_message(rest, spoken), *event]
            rest, spoken = {"role": rest.get("role")}, []
    return messages + _spoken_message(rest, spoken)


def _spoken_message(rest: JsonObject, parts: list[JsonValue]) -> list[JsonValue]:
    """What is said between two calls or results, with what else the message holds."""
    more = rest.get("tool_calls") or any(bears_words(value) for name, value in rest.items() if name != "role")
    return [{**rest, "content": parts}] if parts or more else []


def _ids_of(message: JsonObject) -> set[str]:
    calls = message.get("tool_calls")
    ids = [call.get("id") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return {call_id for call_id in ids if isinstance(call_id, str)}


def _event_messages(part: JsonValue) -> list[JsonObject] | None:
    """The messages that say what a part does as a call, a result or both; None where it is neither."""
    if not isinstance(part, dict):
        return None
    kind = part.get("type") or part.get("part_kind")
    is_typed = isinstance(kind, str) and (kind in _EVENT_TYPES or kind.startswith("tool-"))
    wrapper = next((name for name in (*_CALL_WRAPPERS, *_RESULT_WRAPPERS) if isinstance(part.get(name), dict)), None)
    if not wrapper and not is_typed and (isinstance(kind, str) or part.keys() not in _UNTYPED):
        return None
    part = {name: value for name, value in part.items() if value is not None}
    if isinstance(kind, str) and {"toolCallId", "state"} <= part.keys():
        return _page_messages(part, kind)
    if wrapper:
        _require_known(part, _BESIDE | {wrapper})
        return [(_call_message if wrapper in _CALL_WRAPPERS else _result_message)(part[wrapper])]
    return [_call_message(part) if kind in _CALL_TYPES or "arguments" in part else _result_message(part)]


def _page_messages(part: JsonObject, kind: str) -> list[JsonObject]:
    """A call as a page of the AI SDK keeps it, with its result once there is one."""
    _require_known(part, _PAGE_FIELDS)
    name = part.get("toolName") if kind == "dynamic-tool" else kind.removeprefix("tool-")
    call = _call_message({"name": name, "input": part.get("input"), "toolCallId": part["toolCallId"]})
    failed = part["state"] == "output-error"
    if not failed and part["state"] != "output-available":
        return [call]
    return [call, _tool_message(part["toolCallId"], part.get("errorText" if failed else "output"), failed=failed)]


def _call_message(call: JsonObject) -> JsonObject:
    _require_known(call, _CALL_FIELDS)
    name, arguments = _first_member(call, _NAMES), _first_member(call, _ARGUMENTS)
    if not isinstance(name, str):
        raise _UnknownShapeError
    # Gemini's calls may have no id: then a call and its result are told by their name.
    called = {"name": name, "arguments": {} if arguments is None else arguments}
    listed = {"id": _first_member(call, _IDS) or name, "type": "function", "function": called}
    return {"role": "assistant", "tool_calls": [listed]}


def _result_message(result: JsonObject) -> JsonObject:
    _require_known(result, _RESULT_FIELDS)
    call_id = _first_member(result, _IDS) or _first_member(result, _NAMES)
    if not isinstance(call_id, str):
        raise _UnknownShapeError
    failed = (
        result.get("status") == "error"
        or True in (result.get("isError"), result.get("is_error"))
        or result.get("outcome") in ("failed", "denied", "retried", "interrupted")
        or bool(result.get("exception"))
    )
    return _tool_message(call_id, _first_member(result, (*_RESULTS, "exception")), failed=failed)


def _tool_message(call_id: JsonValue, value: JsonValue, *, failed: bool) -> JsonObject:
    match value:
        # The AI SDK says with a result of what kind it is.
        case {"type": str(kind), **rest} if rest.keys() <= {"value", "reason"}:
            failed = failed or kind.startswith(("error", "execution-denied"))
            value = rest.get("value", rest.get("reason", ""))
    if isinstance(value, list) and all(
        isinstance(part, dict) and part.keys() in ({"text"}, {"json"}) for part in value
    ):
        # Bedrock's parts have no type.
        texts = (part["text"] if isinstance(part.get("text"), str) else _as_json(part.get("json")) for part in value)
        value = "\n".join(texts)
    if failed:
        value = mark_failure(value if isinstance(value, str) else _as_json(value))
    return {"role": "tool", "tool_call_id": call_id, "content": "" if value is None else value}


def _listed_call(call: JsonValue) -> JsonValue:
    """A call of a message: LangChain's has a type of its own, and Inspect's `function` is the name."""
    match call:
        case {"type": "tool_call", "args": _}:
            return {name: value for name, value in call.items() if name != "type"}
        case {"function": str(name), "arguments": arguments}:
            rest = {member: value for member, value in call.items() if member != "arguments" and value is not None}
            return {**rest, "function": {"name": name, "arguments": arguments}}
    return call


def _inspect_result(message: JsonObject) -> JsonObject:
    """A result of Inspect's, whose error stands beside it."""
    rest = {name: value for name, value in message.items() if name not in ("error", "function")}
    error = message["error"]
    text = error.get("message") if isinstance(error, dict) else error
    return rest if error is None else {**rest, "content": mark_failure(str(text))}


def _require_known(holder: JsonObject, names: frozenset[str]) -> None:
    if not holder.keys() <= names:
        raise _UnknownShapeError


def _first_member(holder: JsonObject, names: tuple[str, ...]) -> Any:
    return next((holder[name] for name in names if holder.get(name) is not None), None)


def _as_json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
