"""What a JSON value from a stranger must not be: nested too deep, or of parts that cannot be kept exactly."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.pointers import pointer_to

# Canonical JSON (RFC 8785), over which calls and tool documents are hashed, writes numbers as doubles. Beyond this one
# two different integers are the same double, and so would be the digests of two different calls.
MAX_EXACT: Final = 2**53 - 1
MAX_POINTER_LENGTH: Final = 2_000
"""Characters of a pointer, more or less: what a log's line and an answer with fifty of them can hold."""
_CONTAINERS: Final = (dict, list)
# PostgreSQL keeps no NUL, and half of a surrogate pair is not a character.
UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
"""A character that no database keeps."""


def find_unacceptable_parts(
    value: JsonValue, *, max_nesting: int, at: str = "", exact: bool = False
) -> Iterator[tuple[str, str]]:
    """Pointer and message of each part of a value that is nested too deep or that the database cannot keep.

    `at` is the pointer at which the value stands. `exact`: also each number that canonical JSON cannot carry exactly.
    """
    if not _has_unacceptable_parts(value, max_nesting, exact=exact):
        return
    # An iterator for each container on the way down, instead of recursion: the value may be nested as deep as the
    # decoder could go. And instead of a list of all that waits, which would take more memory than a large value.
    path: list[str | int] = []
    levels: list[Iterator[tuple[str | int, JsonValue]]] = [iter([("", value)])]
    while levels:
        for key, part in levels[-1]:
            container = isinstance(part, dict | list)
            too_deep = container and len(levels) > max_nesting
            problem = nested_too_deep(max_nesting) if too_deep else _problem_of(part, exact=exact)
            if problem:
                yield at + _pointer_to_part([*path, key]), problem
            if container and part and not too_deep:
                path.append(key)
                levels.append(iter(part.items() if isinstance(part, dict) else enumerate(part)))
                break
        else:
            levels.pop()
            # The value itself has no key.
            del path[-1:]


def deeper_than(value: JsonValue, max_nesting: int) -> bool:
    """Whether some container stands below `max_nesting` others."""
    level = [value]
    for _ in range(max_nesting):
        level = _members_of(level)
    return any(isinstance(part, _CONTAINERS) for part in level)


def _has_unacceptable_parts(value: JsonValue, max_nesting: int, *, exact: bool) -> bool:
    """Whether there are any, by a walk that keeps no places: of a million parts there are none as a rule."""
    level = [value]
    for _ in range(max_nesting):
        # Most values end a few levels down.
        if not level:
            return False
        if _some_are_unacceptable(level, exact=exact):
            return True
        level = _members_of(level)
    return any(isinstance(part, _CONTAINERS) for part in level) or _some_are_unacceptable(level, exact=exact)


def _some_are_unacceptable(parts: Sequence[JsonValue], *, exact: bool) -> bool:
    """Whether something is wrong with some of the parts, apart from their members."""
    # All texts and names as one: nothing that could not be kept comes about where two of them meet.
    texts = [part for part in parts if isinstance(part, str)]
    texts += ["".join(part) for part in parts if isinstance(part, dict)]
    numbers = (part for part in parts if isinstance(part, int | float))
    return bool(UNSTORABLE.search("".join(texts))) or any(_problem_of(part, exact=exact) for part in numbers)


def _members_of(level: Sequence[JsonValue]) -> list[JsonValue]:
    members = (part.values() if isinstance(part, dict) else part for part in level if isinstance(part, _CONTAINERS))
    return [part for parts in members for part in parts]


def nested_too_deep(max_nesting: int) -> str:
    """What is said of a container below `max_nesting` others."""
    return f"Nested deeper than {max_nesting} levels."


def _problem_of(part: JsonValue, *, exact: bool) -> str:
    """What is wrong with a part, apart from its members; empty when nothing is."""
    match part:
        # All names as one text: there may be a hundred thousand, and as a rule none is wrong.
        case dict() if UNSTORABLE.search("".join(part)):
            return "A name holds a NUL or half a surrogate pair."
        case str() if UNSTORABLE.search(part):
            return "The text holds a NUL or half a surrogate pair."
        case float() if not math.isfinite(part):
            return "The number is out of range."
        case int() | float() if exact and abs(part) > MAX_EXACT:
            return "The number is too large to be exact; send it as a string."
    return ""


def _pointer_to_part(path: Sequence[str | int]) -> str:
    """The pointer to a part; to the nearest container around it whose pointer a message can hold."""
    keys = path[1:]  # the value itself has none
    # One name may be as long as a body, and stand above fifty problems.
    lengths = accumulate(len(str(key)) + 1 for key in keys)
    return pointer_to(*(key for key, length in zip(keys, lengths, strict=True) if length <= MAX_POINTER_LENGTH))
