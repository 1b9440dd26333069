"""A call's arguments as JSON text that a reviewer edits."""

import json
from collections.abc import Mapping
from typing import Final, NoReturn

from reviews.provenance.core.bounds import UNSTORABLE
from reviews.provenance.core.context import JsonValue, leaves
from reviews.provenance.core.invisible import is_unseen
from reviews.provenance.core.pointers import replace_values

# From a private-use area, and always written as an escape: its position in a text is unmistakable.
_STAND_IN: Final = "\ue000"


class UnreadableError(ValueError):
    """The text is not one JSON object; the message says where."""


def parse_arguments(text: str) -> dict[str, JsonValue]:
    """The arguments object. Raises `UnreadableError` for what is not JSON, ambiguous, or cannot be stored."""
    try:
        value = json.loads(text, object_pairs_hook=_refuse_repeats, parse_constant=_refuse_constant)
    except UnreadableError:
        raise
    except json.JSONDecodeError as error:
        raise UnreadableError(f"Line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except RecursionError:
        raise UnreadableError("The arguments are nested too deeply.") from None
    except ValueError:
        # What is left: Python refuses to read a number of more than 4,300 digits.
        raise UnreadableError("A number has too many digits.") from None
    if not isinstance(value, dict):
        raise UnreadableError("The arguments are one JSON object, such as {“amount”: 30}.")
    for pointer, leaf in leaves(value):
        if UNSTORABLE.search(f"{pointer}{leaf}"):
            raise UnreadableError(f"{pointer or '/'} holds a character that no text may hold (U+0000 or half a pair).")
    return value


def write_arguments(arguments: Mapping[str, JsonValue]) -> str:
    """The arguments as indented JSON. Characters an eye would miss are written as escapes, which mean the same."""
    return _escape_unseen(json.dumps(dict(arguments), indent=2, ensure_ascii=False))


def find_place(pointer: str, arguments: Mapping[str, JsonValue]) -> tuple[int, int]:
    """Start and end of a leaf's value in the written arguments, in characters and without quotes.

    (0, 0) when there is no such leaf or the value does not stand where it should.
    """
    values = dict(leaves(dict(arguments)))
    if pointer not in values:
        return 0, 0
    # Written once more with a stand-in that occurs nowhere else: its place is the value's place.
    marked = write_arguments(replace_values(arguments, {pointer: _STAND_IN}))
    start = marked.find(json.dumps(_STAND_IN, ensure_ascii=True))
    value = _escape_unseen(json.dumps(values[pointer], ensure_ascii=False))
    if start < 0 or write_arguments(arguments)[start : start + len(value)] != value:
        return 0, 0
    quote = int(isinstance(values[pointer], str))
    return start + quote, start + len(value) - quote


def _escape_unseen(text: str) -> str:
    """The JSON text with invisible characters as escapes; the line breaks of its indentation stay."""
    return "".join(
        json.dumps(character)[1:-1] if character != "\n" and is_unseen(character) else character for character in text
    )


def _refuse_repeats(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """The object with these members. Raises `UnreadableError` where a name is repeated.

    JSON parsers disagree about which of two values counts: the reviewer might read one and the agent run the other.
    """
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise UnreadableError(f"“{repeated}” appears twice in one object.")
    return value


def _refuse_constant(name: str) -> NoReturn:
    # Python reads NaN and Infinity, which are not JSON.
    raise UnreadableError(f"{name} is not a JSON value.")
