"""Conversations of other frameworks, rewritten as OpenAI's chat has them, which then is read.

Gemini and the Agent Development Kit, Bedrock and Strands, the AI SDK, Pydantic AI, LangChain's dumps, AutoGen, the
Agent Framework and Inspect write the same few things under other names. What is not known through and through stays as
it is, so that the reader refuses it: nothing of a message may be lost on the way.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.content import bears_words, mark_failure

JsonObject = dict[str, JsonValue]
_ROLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "human": "user",
        "HumanMessage": "user",
        "UserMessage": "user",
        "ai": "assistant",
        "AIMessage": "assistant",
        "AIMessageChunk": "assistant",
        "AssistantMessage": "assistant",
        "model": "assistant",
        "SystemMessage": "system",
        "ToolMessage": "tool",
        "FunctionExecutionResultMessage": "tool",
    }
)
"""What frameworks call a role, or the class of a message."""
_LANGCHAIN_TYPES: Final = frozenset({"system", "tool", *_ROLES})
_LISTS: Final = ("content", "parts", "contents")
_TYPES: Final = ("type", "part_kind")
# Members of a part whose only one they are, as Bedrock and Google write calls and results.
_CALL_WRAPPERS: Final = ("toolUse", "functionCall", "function_call")
_RESULT_WRAPPERS: Final = ("toolResult", "functionResponse", "function_response")
_CALL_TYPES: Final = frozenset({"tool-call", "tool_call", "function_call", "tool_use"})
_RESULT_TYPES: Final = frozenset({"tool-result", "tool-return", "function_result", "tool_result"})
_NAMES: Final = ("name", "tool_name", "toolName")
_ARGUMENTS: Final = ("arguments", "args", "input")
_IDS: Final = ("tool_call_id", "toolCallId", "toolUseId", "tool_use_id", "call_id", "id")
_RESULTS: Final = ("content", "output", "result", "response")
# What tells of a call or a result and is part of neither.
_BESIDE: Final = frozenset(
    """
    additional_properties annotations cache_control caller content_file_digests extras index informational_only
    metadata partMetadata providerExecuted providerMetadata providerOptions provider_details provider_name retry state
    thoughtSignature thought_signature timestamp title tool_kind
    """.split()
)
_CALL_FIELDS: Final = _BESIDE.union(_TYPES, _NAMES, _ARGUMENTS, _IDS)
_RESULT_FIELDS: Final = _BESIDE.union(
    _TYPES, _NAMES, _IDS, _RESULTS, ("status", "isError", "is_error", "exception", "outcome", "errorText", "input")
)
# Fields of a request or response of Pydantic AI; what else stands there is refused with it.
_PYDANTIC_FIELDS: Final = frozenset(
    """
    canonical_system conversation_id failed_attempts finish_reason history_digest instructions kind metadata model_id
    model_name parts provider_details provider_name provider_response_id provider_url run_id state timestamp usage
    workspace_ref
    """.split()
)
_PYDANTIC_ROLES: Final[Mapping[str, str]] = MappingProxyType(
    {"system-prompt": "system", "user-prompt": "user", "text": "assistant"}
)
_PROMPT_FIELDS: Final = frozenset(
    """
    citations content context_id dynamic_ref id metadata part_kind provider_details provider_name scope signature
    timestamp
    """.split()
)


@dataclass(frozen=True)
class _Event:
    """A call, a result, or both in one part."""

    call: JsonObject | None = None
    result: JsonObject | None = None


def as_chat_messages(message: JsonValue) -> list[JsonValue]:
    """The messages that OpenAI's chat would have in place of this one."""
    if not isinstance(message, dict):
        return [message]
    plain = _with_role(_unwrap_envelope(message))
    if plain.get("kind") in ("request", "response"):
        return _pydantic_messages(plain) or [message]
    calls = plain.get("tool_calls")
    if isinstance(calls, list):
        plain = {**plain, "tool_calls": [_listed_call(call) for call in calls]}
    if plain.get("role") == "tool" and "error" in plain:
        plain = _inspect_result(plain)
    return _split_parts(plain)


def _unwrap_envelope(message: JsonObject) -> JsonObject:
    """A message without the envelope of LangChain's dumps."""
    if message.keys() == {"type", "data"} and isinstance(data := message["data"], dict):
        return {**data, "type": message["type"]}
    names, kwargs = message.get("id"), message.get("kwargs")
    serialized = message.get("lc") == 1 and message.keys() <= {"lc", "type", "id", "kwargs", "name", "graph"}
    if serialized and isinstance(names, list) and names and isinstance(kwargs, dict):
        return {**kwargs, "type": names[-1]}
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
    """A request or response of Pydantic AI, part by part; none where any of it is unknown."""
    parts = message.get("parts")
    if not message.keys() <= _PYDANTIC_FIELDS or not isinstance(parts, list):
        return []
    messages: list[JsonValue] = []
    if message.get("instructions"):
        messages.append({"role": "system", "content": message["instructions"]})
    for part in parts:
        rewritten = _pydantic_part(part)
        if rewritten is None:
            return []
        messages += rewritten
    return messages


def _pydantic_part(part: JsonValue) -> list[JsonValue] | None:
    """One part as messages; None where it is unknown."""
    if not isinstance(part, dict):
        return None
    kind = part.get("part_kind")
    if kind == "thinking" and part.keys() <= _PROMPT_FIELDS:
        return []
    if isinstance(kind, str) and kind in _PYDANTIC_ROLES and part.keys() <= _PROMPT_FIELDS:
        return [{"role": _PYDANTIC_ROLES[kind], "content": part.get("content")}]
    if kind == "retry-prompt" and part.get("tool_name"):
        part = {**part, "part_kind": "tool-return", "outcome": "failed"}
    event = _event_of(part)
    return None if event is None else list(_messages_of(event))


def _split_parts(message: JsonObject) -> list[JsonValue]:
    """The message with the calls among its parts where OpenAI has them, and its results as messages of their own."""
    place = next((name for name in _LISTS if isinstance(message.get(name), list)), None)
    parts = message[place] if place else None
    if place is None or not isinstance(parts, list) or not any(map(_looks_like_event, parts)):
        return [message]
    rest = {name: value for name, value in message.items() if name != place}
    call_ids = {call.get("id") for call in _only_objects(rest.get("tool_calls"))}
    spoken: list[JsonValue] = []
    messages: list[JsonValue] = []
    for part in parts:
        event = _event_of(part)
        if event is None and _looks_like_event(part):
            return [message]
        if event is None:
            spoken += [] if part == {"type": "step-start"} else [part]
        # Some clients keep a call among the parts as well as in `tool_calls`.
        elif event.call is None or event.call["id"] not in call_ids:
            messages += _spoken_message(rest, spoken)
            messages += _messages_of(event)
            rest, spoken = {"role": rest.get("role")}, []
    return messages + _spoken_message(rest, spoken) or [message]


def _spoken_message(rest: JsonObject, parts: list[JsonValue]) -> list[JsonValue]:
    """What is said between two calls or results, with what else the message holds."""
    more = rest.get("tool_calls") or any(bears_words(value) for name, value in rest.items() if name != "role")
    return [{**rest, "content": parts}] if parts or more else []


def _messages_of(event: _Event) -> Iterator[JsonValue]:
    if event.call is not None:
        yield {"role": "assistant", "tool_calls": [event.call]}
    if event.result is not None:
        yield event.result


def _looks_like_event(part: JsonValue) -> bool:
    """Whether a part is a call or a result, known or not."""
    if not isinstance(part, dict):
        return False
    if any(isinstance(part.get(name), dict) for name in (*_CALL_WRAPPERS, *_RESULT_WRAPPERS)):
        return True
    kind = part.get("type") or part.get("part_kind")
    if isinstance(kind, str):
        return kind in _CALL_TYPES | _RESULT_TYPES or kind.startswith("tool-") or kind == "dynamic-tool"
    # AutoGen's have no type.
    return part.keys() in ({"id", "name", "arguments"}, {"content", "name", "call_id", "is_error"})


def _event_of(part: JsonValue) -> _Event | None:
    """The call or result that a part is; None where it is none, or holds more than is known."""
    if not isinstance(part, dict) or not _looks_like_event(part):
        return None
    part = {name: value for name, value in part.items() if value is not None}
    kind = part.get("type") or part.get("part_kind")
    if "toolCallId" in part and "state" in part and isinstance(kind, str):
        return _page_event(part, kind)
    wrapper = next((name for name in (*_CALL_WRAPPERS, *_RESULT_WRAPPERS) if isinstance(part.get(name), dict)), None)
    inner = part[wrapper] if wrapper else part
    if not isinstance(inner, dict) or (wrapper and not part.keys() - {wrapper} <= _BESIDE):
        return None
    if wrapper in _CALL_WRAPPERS or kind in _CALL_TYPES or (not wrapper and "arguments" in part):
        call = _call_of(inner)
        return None if call is None else _Event(call=call)
    result = _result_of(inner)
    return None if result is None else _Event(result=result)


def _page_event(part: JsonObject, kind: str) -> _Event | None:
    """A call as a page of the AI SDK keeps it, with its result once there is one."""
    name = part.get("toolName") if kind == "dynamic-tool" else kind.removeprefix("tool-")
    call = _call_of({"name": name, **{key: value for key, value in part.items() if key in ("input", "toolCallId")}})
    is_known = part.keys() <= {"type", "toolName", "toolCallId", "state", "input", "output", "errorText", *_BESIDE}
    if call is None or not is_known:
        return None
    if part["state"] not in ("output-available", "output-error"):
        return _Event(call)
    failed = part["state"] == "output-error"
    text = part.get("errorText") if failed else part.get("output")
    return _Event(call, _result_message(part["toolCallId"], text, failed=failed))


def _call_of(call: JsonObject) -> JsonObject | None:
    """A call of a message as OpenAI writes it; None where it holds more than is known."""
    name, arguments = _first_member(call, _NAMES), _first_member(call, _ARGUMENTS)
    if not call.keys() <= _CALL_FIELDS or not isinstance(name, str):
        return None
    # Gemini's calls may have no id: then a call and its result are told by their name.
    called = {"name": name, "arguments": {} if arguments is None else arguments}
    return {"id": _first_member(call, _IDS) or name, "type": "function", "function": called}


def _result_of(result: JsonObject) -> JsonObject | None:
    """A result as OpenAI's message; None where it holds more than is known."""
    call_id = _first_member(result, _IDS) or _first_member(result, _NAMES)
    if not result.keys() <= _RESULT_FIELDS or not isinstance(call_id, str):
        return None
    failed = (
        result.get("status") == "error"
        or True in (result.get("isError"), result.get("is_error"))
        or result.get("outcome") in ("failed", "denied", "retried", "interrupted")
        or bool(result.get("exception"))
    )
    value = _first_member(result, _RESULTS)
    return _result_message(call_id, result.get("exception") if value is None else value, failed=failed)


def _result_message(call_id: JsonValue, value: JsonValue, *, failed: bool) -> JsonObject:
    if isinstance(value, dict) and value.keys() <= {"type", "value", "reason"} and isinstance(value.get("type"), str):
        # The AI SDK says with a result of what kind it is.
        failed = failed or str(value["type"]).startswith(("error", "execution-denied"))
        value = value.get("value", value.get("reason", ""))
    if isinstance(value, list) and all(
        isinstance(part, dict) and part.keys() in ({"text"}, {"json"}) for part in value
    ):
        # Bedrock's parts have no type.
        value = "\n".join(_bedrock_text(part) for part in _only_objects(value))
    if failed:
        value = mark_failure(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return {"role": "tool", "tool_call_id": call_id, "content": "" if value is None else value}


def _bedrock_text(part: JsonObject) -> str:
    text = part.get("text")
    return text if isinstance(text, str) else json.dumps(part.get("json"), ensure_ascii=False)


def _listed_call(call: JsonValue) -> JsonValue:
    """A call of a message: LangChain's has a type of its own, and Inspect's `function` is the name."""
    if isinstance(call, dict) and call.get("type") == "tool_call" and "args" in call:
        return {name: value for name, value in call.items() if name != "type"}
    if not isinstance(call, dict) or not (isinstance(call.get("function"), str) and "arguments" in call):
        return call
    rest = {name: value for name, value in call.items() if name not in ("function", "arguments") and value is not None}
    return {**rest, "function": {"name": call["function"], "arguments": call.get("arguments")}}


def _inspect_result(message: JsonObject) -> JsonObject:
    """A result of Inspect's, whose error stands beside it."""
    rest = {name: value for name, value in message.items() if name not in ("error", "function")}
    error = message["error"]
    text = error.get("message") if isinstance(error, dict) else error
    return rest if error is None else {**rest, "content": mark_failure(str(text))}


def _first_member(holder: JsonObject, names: tuple[str, ...]) -> Any:
    """The first of these members that is given."""
    return next((holder[name] for name in names if holder.get(name) is not None), None)


def _only_objects(value: JsonValue) -> Iterator[JsonObject]:
    yield from (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()
