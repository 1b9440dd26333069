"""A call's arguments where they come as JSON inside a string."""

import json
import math
from typing import Any

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.reading import Node

UNREADABLE = "unreadable_arguments"
"""Stands for the arguments of an earlier call that were no JSON object: the text is kept, as text."""


def proposed_arguments(arguments: Node) -> dict[str, Any]:
    """The arguments of the proposed call, as text or as an object; anything else is wrong."""
    if not isinstance(arguments.value, str):
        return arguments.kept()
    found = _object(arguments.value)
    if found is None:
        arguments.wrong("Must be a JSON object, as text.")
    return arguments.keep(found or {})


def earlier_arguments(arguments: Node) -> dict[str, Any]:
    """An earlier call is not refused for its broken arguments: agents do send such, and the rest still counts."""
    if not isinstance(arguments.value, str):
        return arguments.kept()
    found = _object(arguments.value)
    return arguments.keep({UNREADABLE: arguments.value} if found is None else found)


def _object(text: str) -> dict[str, Any] | None:
    """The JSON object a text is; an empty text is an empty one. None for anything else."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    # Readers differ in which of two equal names they take: what is reviewed must be what runs.
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return members


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is out of range")
    return number


def _refuse(constant: str) -> JsonValue:
    raise ValueError(f"{constant} is not JSON")
