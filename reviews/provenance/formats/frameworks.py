"""Conversations of other frameworks, rewritten as OpenAI's chat has them, which then is read.

Gemini and the Agent Development Kit, Bedrock and Strands, the AI SDK, Pydantic AI, LangChain's dumps, AutoGen, the
Agent Framework, LlamaIndex, Semantic Kernel and Inspect write the same few things under other names. What is not known
through and through is refused, or stays as it is for the reader to refuse: nothing of a message may be lost on the way.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.content import bears_words, is_marker, mark_failure, record_json
from reviews.provenance.formats.framework_events import (
    CALL_OF_ANOTHER,
    JsonObject,
    event_messages,
    require_known,
)
from reviews.provenance.formats.json_nodes import Node, name_set

# What frameworks call a role, or the class of a message.
_ROLES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("human", "HumanMessage", "UserMessage"), "user"),
    **dict.fromkeys(("ai", "AIMessage", "AIMessageChunk", "AssistantMessage", "model"), "assistant"),
    "SystemMessage": "system",
    **dict.fromkeys(("ToolMessage", "FunctionExecutionResultMessage"), "tool"),
}
# Roles of whoever makes no calls.
_CALL_NOTHING: Final = ("user", "system", "developer", "tool")
_LANGCHAIN_TYPES: Final = frozenset({"system", "tool", *_ROLES})
_LISTS: Final = ("content", "parts", "contents", "blocks", "items")
# Fields of a request or response of Pydantic AI; what else stands there is refused with it.
_PYDANTIC_FIELDS: Final = name_set("""
    canonical_system conversation_id failed_attempts finish_reason history_digest instructions kind metadata model_id
    model_name parts provider_details provider_name provider_response_id provider_url run_id state timestamp usage
    workspace_ref
""")
_PYDANTIC_ROLES: Final[Mapping[str, str]] = {
    "system-prompt": "system",
    "user-prompt": "user",
    **dict.fromkeys(("file", "text"), "assistant"),
}
# What its prompts and answers hold beside plain text, and what others call that.
_PYDANTIC_CONTENT: Final[Mapping[str, str]] = {
    **{kind: kind for kind in "audio-url binary cache-point document-url image-url uploaded-file video-url".split()},
    "text-content": "text",
}
_PROMPT_FIELDS: Final = name_set("""
    citations content context_id dynamic_ref id metadata part_kind provider_details provider_name scope signature
    timestamp
""")

# What it says itself of an answer that it could not use, and what a provider has left of a long conversation.
_PYDANTIC_OWN: Final = frozenset({"compaction", "retry-feedback", "retry-prompt"})
_OWN_FIELDS: Final = _PROMPT_FIELDS | {"retry", "tool_call_id", "tool_name"}


def as_chat_messages(message: Node) -> list[JsonValue]:
    """The messages that OpenAI's chat would have in place of this one. Raises `FormatError`."""
    if not isinstance(message.value, dict):
        return [message.value]
    plain = _with_role(_unwrap_envelope(message.value))
    if plain.get("kind") in ("request", "response"):
        rewritten = _pydantic_messages(replace(message, value=plain))
        return [message.value] if rewritten is None else rewritten
    is_result = plain.get("role") == "tool"
    plain = _plain_result(plain) if is_result else _with_lifted_calls(replace(message, value=plain))
    # What a tool says may look like calls and results, and is its own word.
    if (is_result and plain.get("tool_call_id")) or plain.get("role") == "tool-response" or plain.get("from") == "tool":
        return [plain]
    if isinstance(calls := plain.get("tool_calls"), list):
        plain = {**plain, "tool_calls": [_listed_call(call) for call in calls]}
    rewritten = _split_parts(replace(message, value=plain))
    return [plain] if rewritten is None else rewritten


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
        # AutoGen's agents speak to each other under the user's name.
        by_agent = kind == "UserMessage" and message.get("source") not in (None, "user")
        return {**({"from": "tool"} if by_agent else {}), **rest, "role": _ROLES.get(kind, kind)}
    # The Agent Framework wrote its roles as objects once.
    if isinstance(role, dict) and role.keys() <= {"type", "value"}:
        role = role.get("value")
    return {**message, "role": _ROLES.get(role, role)} if isinstance(role, str) else message


def _with_lifted_calls(place: Node) -> JsonObject:
    """A message with the calls that LlamaIndex keeps in its `additional_kwargs` and nowhere else."""
    message: JsonObject = place.value
    more = message.get("additional_kwargs")
    if not isinstance(more, dict):
        return message
    listed, invalid = message.get("tool_calls") or [], message.get("invalid_tool_calls") or []
    if not (isinstance(listed, list) and isinstance(invalid, list)):
        return message
    call_ids = _ids_of({"tool_calls": [*listed, *invalid, *_calls_in_parts(place)]})
    more_calls = calls if isinstance(calls := more.get("tool_calls"), list) else []
    lifted = [call for call in more_calls if not (isinstance(call, dict) and call.get("id") in call_ids)]
    if lifted:
        message = {**message, "tool_calls": [*listed, *lifted]}
    if more.get("function_call") and not (listed or lifted):
        message = {**message, "function_call": more["function_call"]}
    return message


def _typed_blocks(message: JsonObject) -> JsonObject:
    """The blocks of a result under the name that others give a part's type: else they would be the tool's records."""
    blocks = message.get("blocks")
    if not isinstance(blocks, list) or not all(isinstance(block, dict) and "block_type" in block for block in blocks):
        return {}
    return {"blocks": [{**block, "type": block["block_type"]} for block in blocks]}


def _calls_in_parts(message: Node) -> list[JsonValue]:
    events = _events_in(message)
    return [call for _, event in events for rewritten in event or () for call in rewritten.get("tool_calls") or ()]


def _pydantic_messages(message: Node) -> list[JsonValue] | None:
    """A request or response of Pydantic AI, part by part; None where it has none."""
    require_known(message, _PYDANTIC_FIELDS)
    parts, instructions = message.member("parts"), message.value.get("instructions")
    if not isinstance(parts.value, list):
        return None
    messages = [{"role": "system", "content": instructions}] if instructions else []
    messages += [rewritten for part in parts.items() for rewritten in _pydantic_part(part)]
    # What a tool returns beside its result (`ToolReturn.content`) is a prompt of the user's behind the results.
    first_result = next((at for at, rewritten in enumerate(messages) if rewritten["role"] == "tool"), len(messages))
    behind = ({**rewritten, "from": "tool"} if rewritten["role"] == "user" else rewritten for rewritten in messages)
    return [*messages[:first_result], *islice(behind, first_result, None)]


def _pydantic_part(part: Node) -> list[JsonObject]:
    fields = part.value if isinstance(part.value, dict) else {}
    kind = fields.get("part_kind")
    if isinstance(kind, str) and fields.keys() <= _PROMPT_FIELDS:
        if kind == "thinking":
            return []
        if kind in _PYDANTIC_ROLES:
            return [{"role": _PYDANTIC_ROLES[kind], "content": _typed_content(fields.get("content"))}]
    if kind in _PYDANTIC_OWN and not fields.get("tool_name") and fields.keys() <= _OWN_FIELDS:
        text = fields.get("content") or ""
        # Under the user's name it would be taken for what the user wants.
        return [{"role": "assistant", "content": text if isinstance(text, str) else record_json(text)}]
    if kind == "retry-prompt" and fields.get("tool_name"):
        part = replace(part, value={**fields, "part_kind": "tool-return", "outcome": "failed"})
    event = event_messages(part)
    if event is None:
        raise part.error("This is no part of a message that is read.")
    return event


def _typed_content(content: JsonValue) -> JsonValue:
    """Content whose parts say what they are under the name that others give a part's type."""
    match content:
        case list():
            return [_typed_content(part) for part in content]
        case {"kind": str(kind), **rest} if kind in _PYDANTIC_CONTENT and "type" not in rest:
            return {**rest, "type": _PYDANTIC_CONTENT[kind]}
    return content


def _place_of_parts(message: JsonObject) -> str | None:
    return next((name for name in _LISTS if isinstance(message.get(name), list)), None)


def _split_parts(message: Node) -> list[JsonValue] | None:
    """The message with the calls among its parts where OpenAI has them, and its results as messages of their own.

    None where it holds neither.
    """
    events = _events_in(message)
    if all(event is None for _, event in events):
        return None
    rest = {name: value for name, value in message.value.items() if name != _place_of_parts(message.value)}
    listed_ids = _ids_of(rest)
    answered = {rewritten.get("tool_call_id") for _, event in events for rewritten in event or ()}
    # With what is said last, as a model says it: before them stand the tools that its provider ran.
    listed = {"tool_calls": rest.pop("tool_calls")} if listed_ids and listed_ids.isdisjoint(answered) else {}
    spoken: list[JsonValue] = []
    messages: list[JsonValue] = []
    for part, event in events:
        if event is None:
            spoken += [] if part == {"type": "step-start"} or is_marker(part) else [part]
        # Some clients keep a call among the parts as well as in `tool_calls`.
        elif listed_ids.isdisjoint(call_id for rewritten in event for call_id in _ids_of(rewritten)):
            messages += [*_spoken_message(rest, spoken), *event]
            rest, spoken = {"role": rest.get("role")}, []
    return messages + _spoken_message({**rest, **listed}, spoken)


def _events_in(message: Node) -> list[tuple[JsonValue, list[JsonObject] | None]]:
    """The parts of a message, each with what it does as a call or a result."""
    place = _place_of_parts(message.value)
    events = [(part, event_messages(part)) for part in message.member(place).items()] if place else []
    for part, event in events if message.value.get("role") in _CALL_NOTHING else ():
        if any("tool_calls" in rewritten for rewritten in event or ()):
            raise part.error(CALL_OF_ANOTHER)
    return [(part.value, event) for part, event in events]


def _spoken_message(rest: JsonObject, parts: list[JsonValue]) -> list[JsonValue]:
    """What is said between two calls or results, with what else the message holds."""
    more = rest.get("tool_calls") or any(bears_words(value) for name, value in rest.items() if name != "role")
    return [{**rest, "content": parts}] if parts or more else []


def _ids_of(message: JsonObject) -> set[str]:
    calls = message.get("tool_calls")
    ids = [call.get("id") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return {call_id for call_id in ids if isinstance(call_id, str)}


def _listed_call(call: JsonValue) -> JsonValue:
    """A call of a message: LangChain's has a type of its own, and Inspect's `function` is the name."""
    match call:
        case {"type": "tool_call", "args": _}:
            return {name: value for name, value in call.items() if name != "type"}
        case {"function": str(name), "arguments": arguments}:
            rest = {member: value for member, value in call.items() if member != "arguments" and value is not None}
            return {**rest, "function": {"name": name, "arguments": arguments}}
    return call


def _plain_result(message: JsonObject) -> JsonObject:
    """A result with the call's id that LlamaIndex keeps in `additional_kwargs`, or Inspect's error beside it."""
    more = message.get("additional_kwargs")
    if isinstance(more, dict) and more.get("tool_call_id") and not message.get("tool_call_id"):
        message = {**message, **_typed_blocks(message), "tool_call_id": more["tool_call_id"]}
    if "error" not in message:
        return message
    rest = {name: value for name, value in message.items() if name not in ("error", "function")}
    error = message["error"]
    text = error.get("message") if isinstance(error, dict) else error
    return rest if error is None else {**rest, "content": mark_failure(str(text))}
