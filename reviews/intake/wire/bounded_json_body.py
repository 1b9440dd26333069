"""JSON from a stranger: bounded in size and depth, and nothing in it that the database cannot keep."""

import json
import math
from collections import Counter
from itertools import islice
from typing import Final, NoReturn

from django.conf import settings

from reviews.errors import FieldProblem, InvalidError, ReviewError, TooLargeError
from reviews.intake.wire import nesting
from reviews.intake.wire.media import without_media
from reviews.provenance.core.bounds import find_unacceptable_parts, nested_too_deep
from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.shortening import shorten_text

MAX_PROBLEMS: Final = 50
"""How many problems one answer lists."""
# Every integer a double can hold at all has at most 309 digits. Python's own limit, 4,300, can be switched off by an
# environment variable, and up to there converting takes quadratic time.
_MAX_DIGITS: Final = 300
# A name in a message about it: enough to find it by.
_MAX_QUOTED_LENGTH: Final = 100
# Each stands in a body as often as in its shortest form, or more often there: an inline file holds none of them.
_STRUCTURE: Final = (b"[", b"{", b",", b":", b'"')


class MalformedJsonError(ReviewError, problem="malformed-json", title="Malformed JSON"):
    """The body is not JSON."""


def too_large(limit: int) -> TooLargeError:
    """The refusal of a body of more than `limit` bytes."""
    return TooLargeError(f"The request body is larger than {limit} bytes.")


def largest_body() -> int:
    """Bytes that are read of a body. Beyond MAX_BODY_BYTES everything but inline media has to fit into that bound."""
    return max(settings.GUARD.max_body_bytes, settings.GUARD.max_media_body_bytes)


def decode_submission(body: bytes) -> JsonValue:
    """The JSON value of a body without its inline media. Raises as `decode_json` does, and `TooLargeError`."""
    limit = settings.GUARD.max_body_bytes
    if len(body) > largest_body():
        raise too_large(largest_body())
    if len(body) <= limit:
        return decode_json(body)
    # Told before anything is made of it: a value of many parts takes fifty times the memory that its text does.
    if sum(map(body.count, _STRUCTURE)) > limit:
        raise _too_large_without_media(limit)
    value = without_media(decode_json(body))
    # As compact as it can be written: the sender's white space costs nobody anything.
    if len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) > limit:
        raise _too_large_without_media(limit)
    return value


def _too_large_without_media(limit: int) -> TooLargeError:
    return TooLargeError(f"Apart from inline images and files the request body is larger than {limit} bytes.")


def decode_json(body: bytes) -> JsonValue:
    """The JSON value of a body.

    Raises `MalformedJsonError`, and `InvalidError` for what `find_unacceptable_parts` names.
    """
    try:
        text = body.decode()
        value = json.loads(
            text, object_pairs_hook=_build_object, parse_constant=_refuse_constant, parse_int=_parse_integer
        )
    except UnicodeDecodeError as error:
        raise MalformedJsonError(f"The body is not UTF-8: byte {error.start} does not belong there.") from None
    except json.JSONDecodeError as error:
        message = f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        raise MalformedJsonError(message) from None
    except RecursionError:
        # The decoder has left nothing to walk through, so the place is found in the text.
        limit = settings.GUARD.max_nesting
        where = nesting.first_deeper_than(limit, text)
        raise InvalidError(FieldProblem(where, nested_too_deep(limit))) from None
    refuse_unacceptable(value)
    return value


def refuse_unacceptable(value: JsonValue) -> None:
    """Raises `InvalidError` for what is nested deeper than MAX_NESTING or cannot be kept, at most `MAX_PROBLEMS`."""
    problems = islice(find_unacceptable_parts(value, max_nesting=settings.GUARD.max_nesting), MAX_PROBLEMS)
    errors = [FieldProblem(*problem) for problem in problems]
    if errors:
        raise InvalidError(*errors)


def _build_object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        # Readers differ in which of the two they take: the reviewer must not see one and the tool run the other.
        counts = Counter(name for name, _ in pairs)
        twice = shorten_text(next(name for name, count in counts.items() if count > 1), _MAX_QUOTED_LENGTH)
        raise MalformedJsonError(f"The name {json.dumps(twice)} stands twice in one object.")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedJsonError(f"{name} is not JSON.")


def _parse_integer(digits: str) -> int | float:
    # An infinite one is reported with its place, like every other number that is out of range.
    return int(digits) if len(digits) <= _MAX_DIGITS else math.inf
