"""From what an agent holds, objects of any SDK among it, to the body of a submission."""

from __future__ import annotations

import dataclasses
import json
import re
from asyncio import CancelledError
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any
from uuid import UUID

from .errors import UnusableArgumentsError
from .values import Call, Provenance

FORMATS = ("action", "tool_call", "function_call", "tool_use", "call", "functionCall", "toolUse", "toolCall")
"""The fields under which the API takes a proposed call; each tells the shape of the rest."""
# By the type that a call says it is of.
_FORMAT_OF_TYPE = {
    "tool_use": "tool_use",
    "function_call": "function_call",
    "custom_tool_call": "function_call",
    "mcp_approval_request": "function_call",
    "function": "tool_call",
    "custom": "tool_call",
    "tool_call": "tool_call",
}
FREE_TEXT_TYPES = ("custom", "custom_tool_call")
"""The types of calls whose arguments are one free text."""
# Where the messages of a conversation stand, by the format of the call.
_TURNS = {"function_call": "input", "tool_call": "messages", "tool_use": "messages"}
# By a field of the past: the field of the call, and what its tool, its arguments and its id are called there.
_SHAPES = (
    ("query", "action", "tool", "arguments", "tool_call_id"),
    ("input", "function_call", "name", "arguments", "call_id"),
    ("contents", "function_call", "name", "args", "id"),
    ("system", "tool_use", "name", "input", "id"),
    ("", "tool_call", "name", "arguments", "id"),
)
# The last is Inspect's, whose calls have their name there.
_NAMES = ("tool", "name", "tool_name", "toolName", "function")
_WRAPPERS = ("function", "custom", "params", "functionCall", "toolUse")
_ARGUMENTS = ("arguments", "args", "input", "parameters")
_POINTER_TO_ARGUMENTS = re.compile(f"/({'|'.join(FORMATS)})(/({'|'.join(_WRAPPERS)}))?/({'|'.join(_ARGUMENTS)})(/|$)")
_IDS = ("tool_call_id", "call_id", "toolCallId", "id")
# What no guard can store; two halves of a pair are one character.
_UNSTORABLE = re.compile("\x00|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
# Less than a guard takes, unless it is configured otherwise, though each has twelve bytes in a body of ASCII.
MAX_BEGINNING_LENGTH = 80_000
# Of the 512 that a guard takes unless it is configured otherwise: calls under way stand there as well.
MAX_HISTORY_ENTRIES = 400
"""Entries of a history that a past is shortened to where nobody else bounds it."""


def to_json(value: Any) -> Any:
    """The value as JSON: mappings, sequences, pydantic models and dataclasses, all the way down.

    Raises TypeError for what has no JSON.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Mapping):
        return {_name(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (Sequence, set, frozenset)) and not isinstance(value, (bytes, bytearray)):
        return [to_json(item) for item in value]
    if hasattr(value, "model_dump") and not isinstance(value, type):
        # Nulls stay: among a call's arguments one may be meant.
        return to_json(value.model_dump(mode="json", by_alias=True, warnings=False))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return _plain_json(value)


def _plain_json(value: Any) -> Any:
    if isinstance(value, Enum):
        return to_json(value.value)
    if isinstance(value, (date, datetime, time)):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Decimal) and value.is_finite():
        number = float(value)
        # Beyond every float it is refused as no number. Written out, a few characters of a model's took all the memory.
        return int(value) if isfinite(number) and value == value.to_integral_value() else number
    raise TypeError(f"a {type(value).__name__} has no JSON; give its text, or a mapping")


def json_body(value: Any) -> bytes:
    """The value as a request's body."""
    # In ASCII: half a surrogate pair, which a tool may return, has an escape and no encoding.
    return json.dumps(value, allow_nan=False).encode()


def outcome_json(result: Any) -> Any:
    """What a tool returned, as the report of its outcome; what has no JSON is reported as its text. Never raises."""
    try:
        value = to_json(result)
        json_body(value)
    except Exception:  # noqa: BLE001 - objects say themselves how they read, and the call has run
        return outcome_repr(result)
    return "" if value is None else value


def beginning_of(outcome: Any, length: int = MAX_BEGINNING_LENGTH) -> str:
    """What a guard is told of an outcome that it does not take whole."""
    text = outcome_text(outcome)
    if len(text) <= length:
        return text
    left_out = len(text) - length
    return f"{text[:length]}\n[{left_out} more characters: too long for the guard]"


def outcome_repr(result: Any) -> str:
    """What a tool returned or raised, as text. Never raises."""
    if isinstance(result, CancelledError):
        # Its own words are of the tasks of this process, with the paths of their files.
        return "CancelledError()"
    try:
        return repr(result)
    except Exception as error:  # noqa: BLE001 - as above
        return f"a {type(result).__name__} that cannot be shown ({type(error).__name__})"


def outcome_text(result: Any) -> str:
    """What a tool returned, as its model is told and the guard keeps it: text as it is, anything else as JSON."""
    value = outcome_json(result)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def read_call(call: Any) -> tuple[Call, str]:
    """Tool, arguments and id of a call in any SDK's shape. Raises TypeError for what is no call."""
    if isinstance(call, tuple):
        tool, by_name = call
        return Call(tool, to_json(by_name)), ""
    described = _call_mapping(call)
    inner = _without_wrapper(described)
    tool = next((inner[name] for name in _NAMES if isinstance(inner.get(name), str)), None)
    arguments = {} if (raw := written_arguments(described)) is None else raw
    if isinstance(arguments, str) and described.get("type") not in FREE_TEXT_TYPES:
        arguments = json.loads(arguments) if arguments.strip() else {}
    if tool is None or not isinstance(arguments, (dict, str)):
        raise TypeError("a call names its tool and has arguments by name")
    call_id = next((described[name] for name in _IDS if described.get(name) is not None), "")
    return Call(tool, arguments if isinstance(arguments, dict) else {"input": arguments}), str(call_id)


def written_arguments(described: Mapping[str, Any]) -> Any:
    """The arguments of a call as the model wrote them, which may be text; None where it left them out."""
    inner = _without_wrapper(described)
    return next((inner[name] for name in _ARGUMENTS if inner.get(name) is not None), None)


def _without_wrapper(described: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((described[name] for name in _WRAPPERS if isinstance(described.get(name), dict)), described)


def points_to_arguments(pointer: str) -> bool:
    """Whether a pointer into a submission leads to what a model wrote: the arguments of the proposed call."""
    return _POINTER_TO_ARGUMENTS.match(pointer) is not None


def build_submission(call: Any, past: Any, *, provenance: Provenance | None = None, **fields: Any) -> dict[str, Any]:
    """The body that proposes this call after this past.

    `past` is a mapping of the fields the API reads (`query`, `tools` and `history`, or `messages` and `tools` …), or
    the messages alone. `fields` are added, such as `trace_id` or `metadata`. Raises `UnusableArgumentsError` for a
    number that is none, as a model may write it.
    """
    if not isinstance(past, (Mapping, Sequence)) or isinstance(past, str):
        raise TypeError("the past is a mapping such as {'query': …, 'tools': […]}, or a list of messages")
    listed = None if isinstance(past, Mapping) else past_json(past)
    body: dict[str, Any] = {} if listed is not None else past_json(past)
    body.update({name: to_json(value) for name, value in fields.items() if value is not None})
    form, proposed = _proposed(call, body)
    if listed is not None:
        if form not in _TURNS:
            raise TypeError("with a list of messages, the call is given as the model made it")
        body[_TURNS[form]] = listed
    body[form] = proposed
    _require_numbers(form, proposed)
    # Left out, they would be taken for forgotten.
    if not _holds_tools(body):
        body["tools"] = []
    if provenance is not None:
        body["provenance"] = to_json(provenance)
    return body


def _require_numbers(form: str, proposed: Any) -> None:
    """Refuse, as the API would, what Python reads as a number and JSON does not have: NaN, Infinity."""
    try:
        json_body(proposed)
    except ValueError:
        wrong = {"pointer": f"/{form}/arguments", "detail": "NaN and Infinity are no numbers of JSON."}
        raise UnusableArgumentsError(422, {"title": "Unprocessable Content", "errors": [wrong]}) from None


def past_json(past: Any) -> Any:
    """What came before as JSON that a guard can store, as it stores what is reported: with U+FFFD for what it cannot.

    A tool may return a NUL or half a character, and every later call of the conversation would be refused for it. The
    proposed call is never changed.
    """
    return _storable(to_json(past))


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_storable(name): _storable(item) for name, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list) else value


def _proposed(call: Any, body: Mapping[str, Any]) -> tuple[str, Any]:
    """The field of the proposed call, and the call as that format has it."""
    described = {} if isinstance(call, tuple) else _call_mapping(call)
    if len(described) == 1 and next(iter(described)) in FORMATS:
        return next(iter(described.items()))
    if "method" in described and "query" in body:
        return "call", described
    kind = "function" if "function" in described else str(described.get("type"))
    if kind in _FORMAT_OF_TYPE and "query" not in body:
        return _FORMAT_OF_TYPE[kind], described
    return _without_envelope(*read_call(call), body)


def _holds_tools(body: Mapping[str, Any]) -> bool:
    """Whether the tools stand in the body, or in what an agent holds in its request to the model."""
    holders = [body, body.get("config"), request := body.get("request")]
    if isinstance(request, Mapping):
        holders.append(request.get("config"))
    has_tools = any(isinstance(holder, Mapping) and holder.get("tools") is not None for holder in holders)
    return has_tools or "tools" in body or body.get("toolConfig") is not None


def _without_envelope(call: Call, call_id: str, body: Mapping[str, Any]) -> tuple[str, Any]:
    """A call that says nothing of its format: the fields of the past tell it."""
    form, name, arguments, identifier = next(shape for field, *shape in _SHAPES if field in body or not field)
    identified = {identifier: call_id} if call_id else {}
    return form, {name: call.tool, arguments: call.arguments, **identified}


def _call_mapping(call: Any) -> dict[str, Any]:
    described = to_json(call)
    if not isinstance(described, dict):
        raise TypeError(f"a {type(call).__name__} is no call")
    return described


def _name(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a name in JSON is text, not {type(key).__name__}")
    return key
