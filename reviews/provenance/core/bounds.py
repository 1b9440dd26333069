"""What a JSON value from a stranger must not be: nested too deep, or of parts that cannot be kept exactly."""

import math
import re
from collections.abc import Iterator
from typing import Final, TypeAlias, Union

from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.pointers import pointer_to

# Canonical JSON (RFC 8785), over which calls and tool documents are hashed, writes numbers as doubles. Beyond this one
# two different integers are the same double, and so would be the digests of two different calls.
LARGEST_EXACT: Final = 2**53 - 1
# PostgreSQL keeps no NUL, and half of a surrogate pair is not a character.
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")

_Path: TypeAlias = tuple[Union["_Path", None], str | int]
"""The parent's path and the last key. Extending it copies nothing, and most paths are never written out."""


def unacceptable(value: JsonValue, *, max_nesting: int, at: str = "", exact: bool = False) -> Iterator[tuple[str, str]]:
    """Pointer and message of each part of a value that is nested too deep or that the database cannot keep.

    `at` is the pointer at which the value stands. `exact`: also each number that canonical JSON cannot carry exactly.
    """
    # A list of its own instead of recursion: the value may be nested as deep as the decoder could go.
    waiting: list[tuple[JsonValue, _Path | None, int]] = [(value, None, 1)]
    while waiting:
        part, path, depth = waiting.pop()
        too_deep = isinstance(part, dict | list) and depth > max_nesting
        problem = nested_too_deep(max_nesting) if too_deep else _problem_of(part, exact=exact)
        if problem:
            yield at + _pointer(path), problem
        if not too_deep and isinstance(part, dict | list):
            members = part.items() if isinstance(part, dict) else enumerate(part)
            waiting.extend((member, (path, key), depth + 1) for key, member in members)


def deeper_than(value: JsonValue, max_nesting: int) -> bool:
    """Whether some container stands below `max_nesting` others."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(max_nesting):
        members = (part.values() if isinstance(part, dict) else part for part in level)
        level = [part for parts in members for part in parts if isinstance(part, dict | list)]
    return bool(level)


def nested_too_deep(max_nesting: int) -> str:
    """What is said of a container below `max_nesting` others."""
    return f"Nested deeper than {max_nesting} levels."


def _problem_of(part: JsonValue, *, exact: bool) -> str:
    """What is wrong with a part, apart from its members; empty when nothing is."""
    match part:
        case dict() if not all(map(_storable, part)):
            return "A name holds a NUL or half a surrogate pair."
        case str() if not _storable(part):
            return "The text holds a NUL or half a surrogate pair."
        case float() if not math.isfinite(part):
            return "The number is out of range."
        case int() | float() if exact and abs(part) > LARGEST_EXACT:
            return "The number is too large to be exact; send it as a string."
    return ""


def _pointer(path: _Path | None) -> str:
    keys: list[str | int] = []
    while path is not None:
        path, key = path
        keys.append(key)
    return pointer_to(*reversed(keys))


def _storable(text: str) -> bool:
    return _UNSTORABLE.search(text) is None
