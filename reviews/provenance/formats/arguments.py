"""A call's arguments where they come as JSON inside a string, or as one free text."""

import json
import math
import sys
from collections.abc import Iterable
from typing import Any, Final

from reviews.provenance.core.bounds import find_unacceptable_parts
from reviews.provenance.core.canonical import NotCanonicalError, canonical_json
from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.formats.content import as_json
from reviews.provenance.formats.json_nodes import Node

TWICE: Final = "The arguments stand in two fields; one of the two must go."
UNREADABLE: Final = "unreadable_arguments"
"""Stands for the arguments of an earlier call that no call of ours can hold: they are kept as text."""
# Deeper ones than a submission may be are refused, as all of it.
_ANY_DEPTH: Final = sys.maxsize
# Keywords of a schema that may ask for arguments, or allow any.
_ASKING: Final = "properties $ref additionalProperties allOf anyOf if oneOf patternProperties required".split()


def require_arguments(arguments: Node, tool: str, tools: Iterable[ToolDoc]) -> None:
    """Note arguments that were left out as wrong, unless the tool's document says that it takes none.

    Otherwise a call whose arguments the agent has somewhere else would be reviewed as one without any.
    """
    value = arguments.value
    # An empty text is what some models write for no arguments, and some streams for arguments that are still to come.
    if arguments.present and not (isinstance(value, str) and not value.strip()):
        return
    schema = next((document.parameters for document in tools if document.name == tool), {})
    if not schema or any(map(schema.get, _ASKING)):
        arguments.note_problem("This field is required; {} stands for a call without arguments.")


def proposed_arguments(arguments: Node, free_text: Node, parsed: Node | None = None) -> dict[str, Any]:
    """The arguments of the proposed call: a custom tool's free text, an object, or one as text. All else is wrong.

    `parsed`: where some clients keep them as an object beside their text.
    """
    if arguments.present and free_text.present:
        free_text.note_problem(TWICE)
    read_arguments = _read_arguments(arguments, free_text)
    if read_arguments is None:
        arguments.note_problem("Must be a JSON object, as text.")
    else:
        arguments.record_object(read_arguments)
    if parsed is not None and parsed.present and not _is_same(parsed.value, read_arguments or {}):
        parsed.note_problem("Differs from the arguments; what is reviewed must be what runs.")
    return read_arguments or {}


def _is_same(first: JsonValue, second: JsonValue) -> bool:
    """Whether both are the same JSON: to Python 1 and true are equal, to a tool they are not."""
    try:
        return canonical_json(first) == canonical_json(second)
    except NotCanonicalError:
        # What no call can hold is refused for itself.
        return bool(first == second)


def earlier_arguments(arguments: Node, free_text: Node | None = None) -> dict[str, Any]:
    """The arguments of an earlier call: a custom tool's free text, an object, or one as text; as `earlier_object`."""
    read_arguments = _read_arguments(arguments, free_text)
    if read_arguments is None:
        return arguments.record_object({UNREADABLE: arguments.value})
    return earlier_object(arguments, read_arguments)


def earlier_object(arguments: Node, value: dict[str, Any] | None = None) -> dict[str, Any]:
    """The arguments of an earlier call, or the `value` that was read out of them; some are text, under `UNREADABLE`."""
    value = arguments.object() if value is None else value
    # Agents do send broken arguments, and identifiers as numbers beyond what a double holds. The call has happened, or
    # its model was told to write it otherwise, and the rest of the conversation still counts.
    if any(find_unacceptable_parts(value, max_nesting=_ANY_DEPTH, exact=True)):
        value = {UNREADABLE: arguments.value if isinstance(arguments.value, str) else as_json(arguments)}
    return arguments.record_object(value)


def _read_arguments(arguments: Node, free_text: Node | None) -> dict[str, Any] | None:
    """The free text, or the object; None for a text that is none."""
    if free_text is not None and free_text.present:
        return {"input": free_text.text()}
    return _parse_object(arguments.value) if isinstance(arguments.value, str) else arguments.object()


def _parse_object(text: str) -> dict[str, Any] | None:
    """The JSON object a text is; an empty text is an empty one. None for anything else."""
    if not text.strip():
        return {}
    try:
        # Python's reader takes NaN and Infinity for numbers; no other JSON reader does.
        value = json.loads(
            text, parse_constant=_parse_finite, parse_float=_parse_finite, object_pairs_hook=_refuse_repeated
        )
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refuse_repeated(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    # Readers differ in which of two equal names they take: what is reviewed must be what runs.
    if len(members) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return members


def _parse_finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is out of range")
    return number
