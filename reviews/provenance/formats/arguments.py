"""A call's arguments where they come as JSON inside a string, or as one free text."""

import json
import math
from typing import Any

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.submission import Node

UNREADABLE = "unreadable_arguments"
"""Stands for the arguments of an earlier call that were no JSON object: the text is kept, as text."""


def proposed_arguments(arguments: Node, free_text: Node) -> dict[str, Any]:
    """The arguments of the proposed call: a custom tool's free text, an object, or one as text. All else is wrong."""
    if free_text.given:
        return {"input": free_text.text()}
    if not isinstance(arguments.value, str):
        return arguments.recorded()
    found = _object(arguments.value)
    if found is None:
        arguments.wrong("Must be a JSON object, as text.")
    return arguments.recorded(found or {})


def earlier_arguments(arguments: Node, free_text: Node | None = None) -> dict[str, Any]:
    """The arguments of an earlier call; those that are no JSON object are kept as text, under `UNREADABLE`."""
    if free_text is not None and free_text.given:
        return {"input": free_text.text()}
    if not isinstance(arguments.value, str):
        return arguments.recorded()
    found = _object(arguments.value)
    # Agents do send broken arguments. The call has happened, and the rest of the conversation still counts.
    return arguments.recorded({UNREADABLE: arguments.value} if found is None else found)


def _object(text: str) -> dict[str, Any] | None:
    """The JSON object a text is; an empty text is an empty one. None for anything else."""
    if not text.strip():
        return {}
    try:
        # Python's reader takes NaN and Infinity for numbers; no other JSON reader does.
        value = json.loads(text, parse_constant=_finite, parse_float=_finite, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """The members of an object. Raises ValueError when a name stands twice."""
    members = dict(pairs)
    # Readers differ in which of two equal names they take: what is reviewed must be what runs.
    if len(members) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return members


def _finite(digits: str) -> float:
    """A number with a fraction or an exponent. Raises ValueError for one that no double can hold, and for NaN."""
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is out of range")
    return number
