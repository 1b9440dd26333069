"""JSON from a stranger: bounded in size and depth, and nothing in it that the database cannot keep."""

import json
import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NoReturn, TypeAlias, Union

from reviews.errors import FieldProblem, InvalidError, ReviewError, TooLargeError
from reviews.intake.wire import nesting
from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.pointers import pointer_to

MOST_PROBLEMS: Final = 50
"""How many problems one answer lists."""
# Canonical JSON (RFC 8785), over which calls and tool documents are hashed, writes numbers as doubles. Beyond this one
# two different integers are the same double, and so would be the digests of two different calls.
LARGEST_EXACT: Final = 2**53 - 1
# Every integer a double can hold at all has at most 309 digits. Python's own limit, 4,300, can be switched off by an
# environment variable, and up to there converting takes quadratic time.
_MOST_DIGITS: Final = 300
# PostgreSQL keeps no NUL, and half of a surrogate pair is not a character.
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")

_Path: TypeAlias = tuple[Union["_Path", None], str | int]
"""The parent's path and the last key. Extending it copies nothing, and most paths are never written out."""


class MalformedJsonError(ReviewError):
    """The body is not JSON."""

    status_code = 400
    problem = "malformed-json"
    title = "Malformed JSON"


def too_large(limit: int) -> TooLargeError:
    """The refusal of a body of more than `limit` bytes."""
    return TooLargeError(f"The request body is larger than {limit} bytes.")


def decode(body: bytes, *, max_nesting: int) -> JsonValue:
    """The JSON value of a body. Raises `MalformedJsonError`, and `InvalidError` for what `unacceptable` names."""
    try:
        text = body.decode()
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant, parse_int=_integer)
    except UnicodeDecodeError as error:
        raise MalformedJsonError(f"The body is not UTF-8: byte {error.start} does not belong there.") from None
    except json.JSONDecodeError as error:
        message = f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        raise MalformedJsonError(message) from None
    except RecursionError:
        # The decoder has left nothing to walk through, so the place is found in the text.
        where = nesting.first_deeper_than(max_nesting, text)
        raise InvalidError(FieldProblem(where, _too_deep(max_nesting))) from None
    refuse_unacceptable(value, max_nesting=max_nesting)
    return value


def refuse_unacceptable(value: JsonValue, *, max_nesting: int) -> None:
    """Raises `InvalidError` for what `unacceptable` names, at most `MOST_PROBLEMS` of it."""
    problems = list(islice(unacceptable(value, max_nesting=max_nesting), MOST_PROBLEMS))
    if problems:
        raise InvalidError(*problems)


def unacceptable(value: JsonValue, *, max_nesting: int, at: str = "", exact: bool = False) -> Iterator[FieldProblem]:
    """Each part of a value that is nested too deep or that the database cannot keep.

    `at` is the pointer at which the value stands. `exact`: also each number that canonical JSON cannot carry exactly.
    """
    # A list of its own instead of recursion: the value may be nested as deep as the decoder could go.
    waiting: list[tuple[JsonValue, _Path | None, int]] = [(value, None, 1)]
    while waiting:
        part, path, depth = waiting.pop()
        too_deep = isinstance(part, dict | list) and depth > max_nesting
        problem = _too_deep(max_nesting) if too_deep else _problem_of(part, exact=exact)
        if problem:
            yield FieldProblem(at + _pointer(path), problem)
        if not too_deep and isinstance(part, dict | list):
            members = part.items() if isinstance(part, dict) else enumerate(part)
            waiting.extend((member, (path, key), depth + 1) for key, member in members)


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        # Readers differ in which of the two they take: the reviewer must not see one and the tool run the other.
        names = [name for name, _ in pairs]
        twice = next(name for position, name in enumerate(names) if name in names[:position])
        raise MalformedJsonError(f"The name {json.dumps(twice)} stands twice in one object.")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedJsonError(f"{name} is not JSON.")


def _integer(digits: str) -> int | float:
    # An infinite one is reported with its place, like every other number that is out of range.
    return int(digits) if len(digits) <= _MOST_DIGITS else math.inf


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


def _too_deep(max_nesting: int) -> str:
    return f"Nested deeper than {max_nesting} levels."
