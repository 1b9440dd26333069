"""A call as a reviewer types it: JSON text in, JSON text out, never evaluated and never ambiguous."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from reviews.provenance.core.context import JsonValue, leaves
from reviews.provenance.core.invisible import hides

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


class UnreadableError(ValueError):
    """The text is not one JSON object; the message says where."""


def parse_arguments(text: str) -> dict[str, JsonValue]:
    """The arguments object. Raises `UnreadableError`."""
    value = _loaded(text)
    if not isinstance(value, dict):
        raise UnreadableError("The arguments are one JSON object, such as {“amount”: 30}.")
    for pointer, leaf in leaves(value):
        if _UNSTORABLE.search(f"{pointer}{leaf}"):
            raise UnreadableError(f"{pointer or '/'} holds a character that no text may hold (U+0000 or half a pair).")
    return value


def write_arguments(arguments: Mapping[str, JsonValue]) -> str:
    """The arguments as indented JSON. Characters an eye would miss are written as escapes, which mean the same."""
    return "".join(map(_visible, json.dumps(dict(arguments), indent=2, ensure_ascii=False)))


def place_of(pointer: str, arguments: Mapping[str, JsonValue]) -> tuple[int, int]:
    """Where a leaf's value stands in the written arguments, without quotes; (0, 0) when it cannot be told."""
    found = dict(leaves(dict(arguments)))
    if pointer not in found:
        return 0, 0
    # Written once more with a stand-in that occurs nowhere: its place is the value's place.
    text, stand_in = write_arguments(arguments), "\ue000"
    value = "".join(map(_visible, json.dumps(found[pointer], ensure_ascii=False)))
    start = write_arguments(_with(arguments, pointer, stand_in)).find(json.dumps(stand_in, ensure_ascii=True))
    if start < 0 or text[start : start + len(value)] != value:
        return 0, 0
    quoted = isinstance(found[pointer], str)
    return start + quoted, start + len(value) - quoted


def _loaded(text: str) -> JsonValue:
    try:
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
    except UnreadableError:
        raise
    except json.JSONDecodeError as error:
        raise UnreadableError(f"Line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except RecursionError:
        raise UnreadableError("The arguments are nested too deeply.") from None
    except ValueError:
        raise UnreadableError("A number has too many digits.") from None


def _with(arguments: Mapping[str, JsonValue], pointer: str, value: JsonValue) -> dict[str, JsonValue]:
    copy: Any = json.loads(json.dumps(dict(arguments)))
    *path, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    holder = copy
    for part in path:
        holder = holder[int(part) if isinstance(holder, list) else part]
    holder[int(last) if isinstance(holder, list) else last] = value
    result: dict[str, JsonValue] = copy
    return result


def _visible(character: str) -> str:
    if character == "\n" or not hides(character):
        return character
    return json.dumps(character)[1:-1]


def _without_repeats(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise UnreadableError(f"“{repeated}” appears twice in one object.")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise UnreadableError(f"{name} is not a JSON value.")
