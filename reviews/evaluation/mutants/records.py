"""The fields of the records that tools returned, by where they stand, so that siblings can be told."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from reviews.provenance.core.context import Context, JsonValue, Step

# A field of a text that is no JSON: “name: value” on its own line, of a list item or not.
_LINE: Final = re.compile(r"^[ \t]*(?:[-*][ \t]+)?(\w[\w .-]{0,40}?)[ \t]*[:=][ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
# Stands for a position in a list, or for the key of a record among others of its form.
_ANY: Final = "*"
# The same results stand in the history of every later call of a run.
_RESULTS: Final = 256

Field = tuple[tuple[str, ...], JsonValue]
"""The path pattern of a field, with `*` for whatever counts the records, and its value."""


def field_values(context: Context) -> Mapping[tuple[str, ...], Sequence[JsonValue]]:
    """The values of each field over all results of one tool, in order: the pattern begins with the tool's name."""
    values: dict[tuple[str, ...], list[JsonValue]] = defaultdict(list)
    for item in context.history:
        if isinstance(item, Step) and item.outcome:
            for pattern, value in _parse_fields(item.outcome):
                values[item.tool, *pattern].append(value)
    return values


@lru_cache(maxsize=_RESULTS)
def _parse_fields(text: str) -> tuple[Field, ...]:
    """The fields of one result, in order."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return tuple(((name.casefold(),), value.strip("'\"")) for name, value in _LINE.findall(text))
    return tuple(_walk_fields(value, ()))


def _walk_fields(value: JsonValue, pattern: tuple[str, ...]) -> Iterator[Field]:
    match value:
        case list():
            for item in value:
                yield from _walk_fields(item, (*pattern, _ANY))
        case dict() if _is_collection(value):
            for key, item in value.items():
                # The key names its record as well as a field would.
                yield (*pattern, _ANY, "key"), key
                yield from _walk_fields(item, (*pattern, _ANY))
        case dict():
            for key, item in value.items():
                yield from _walk_fields(item, (*pattern, key.casefold()))
        case str() | int() | float() if not isinstance(value, bool):
            yield pattern, value


def _is_collection(value: Mapping[str, JsonValue]) -> bool:
    """Whether the members are records of one form, each under its own key: {"W1": {...}, "W2": {...}}."""
    records = [item for item in value.values() if isinstance(item, dict) and item]
    if len(records) != len(value) or len(records) < 2:  # noqa: PLR2004  # one alone has no sibling
        return False
    # Records of one form may lack a field each; objects that only share a few names are no records.
    shared = set(records[0]).intersection(*records[1:])
    return len(shared) * 2 > max(map(len, records))
