"""JSON from a stranger: bounded in size and depth, and nothing in it that the database cannot keep."""

import json
import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import NoReturn, TypeAlias

from reviews.errors import FieldProblem, InvalidError, ReviewError, TooLargeError
from reviews.intake.wire import nesting
from reviews.intake.wire.pointers import Path, pointer_of
from reviews.provenance.core.context import JsonValue

MOST_PROBLEMS = 50
"""How many problems one answer lists."""

_MOST_DIGITS = 300

_Found: TypeAlias = tuple[Path | None, str]
# PostgreSQL keeps no NUL, and half of a surrogate pair is not a character.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class MalformedJsonError(ReviewError):
    """The body is not JSON."""

    status_code = 400
    problem = "malformed-json"
    title = "Malformed JSON"


def too_large(limit: int) -> TooLargeError:
    """The refusal of a body of more than `limit` bytes."""
    return TooLargeError(f"The request body is larger than {limit} bytes.")


def decode(body: bytes, *, max_nesting: int) -> JsonValue:
    """The JSON value of a body. Raises `MalformedJsonError` and `InvalidError`."""
    text = _text(body)
    try:
        value = _load(text)
    except RecursionError:
        where = nesting.first_deeper_than(max_nesting, text)
        raise InvalidError(FieldProblem(where, _too_deep(max_nesting))) from None
    refuse_unstorable(value, max_nesting=max_nesting)
    return value


def refuse_unstorable(value: JsonValue, *, max_nesting: int, at: str = "") -> None:
    """Raises `InvalidError` naming each part that is nested too deep or that the database cannot keep.

    `at` is the pointer at which the value stands.
    """
    found = list(islice(_unstorable(value, max_nesting), MOST_PROBLEMS))
    if found:
        raise InvalidError(*(FieldProblem(at + pointer_of(path), message) for path, message in found))


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise MalformedJsonError(f"The body is not UTF-8: byte {error.start} does not belong there.") from None


def _load(text: str) -> JsonValue:
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_int=_integer,
        )
    except json.JSONDecodeError as error:
        message = f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        raise MalformedJsonError(message) from None


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        # Readers differ in which of the two they take: the reviewer must not see one and the tool run the other.
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise MalformedJsonError(f"The name {json.dumps(twice)} stands twice in one object.")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedJsonError(f"{name} is not JSON.")


def _integer(digits: str) -> int | float:
    # Python refuses to convert very long integers; an infinite one is reported with its place like every other.
    return int(digits) if len(digits) <= _MOST_DIGITS else math.inf


def _unstorable(root: JsonValue, max_nesting: int) -> Iterator[_Found]:
    waiting: list[tuple[JsonValue, Path | None, int]] = [(root, None, 1)]
    while waiting:
        value, path, depth = waiting.pop()
        match value:
            case dict() | list() if depth > max_nesting:
                yield path, _too_deep(max_nesting)
            case dict():
                yield from ((path, "A name holds a NUL or half a surrogate pair.") for k in value if not _storable(k))
                waiting.extend((item, (path, key), depth + 1) for key, item in value.items())
            case list():
                waiting.extend((item, (path, index), depth + 1) for index, item in enumerate(value))
            case str() if not _storable(value):
                yield path, "The text holds a NUL or half a surrogate pair."
            case float() if not math.isfinite(value):
                yield path, "The number is out of range."


def _storable(text: str) -> bool:
    return _UNSTORABLE.search(text) is None


def _too_deep(max_nesting: int) -> str:
    return f"Nested deeper than {max_nesting} levels."
