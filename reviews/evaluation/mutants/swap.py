"""Two arguments of one kind, each with the other's value."""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Final

from reviews.evaluation.mutants.short_values import kind_of
from reviews.provenance.core.context import Case, JsonValue

# What counts the operands of a call whose order means nothing: add(a, b), diff(file_name1, file_name2).
_ORDINAL: Final = re.compile(r"\d+|(?<![a-z])[a-z](?![a-z])|first|second|third|one|other|another|left|right", re.I)

Object = Mapping[str, JsonValue]


def arguments_swapped(case: Case) -> Iterator[Object]:
    """The arguments with two members of one object swapped, for each two that can be mistaken for each other."""
    document = case.context.tool(case.action.tool)
    schema = document.parameters if document else {}
    yield from _swapped(dict(case.action.arguments), schema)


def _swapped(value: JsonValue, schema: Mapping[str, Any]) -> Iterator[Any]:
    match value:
        case dict():
            declared = schema.get("properties") or {}
            for one, other in combinations(value, 2):
                if _could_be_swapped(value, declared, one, other):
                    yield {**value, one: value[other], other: value[one]}
            for name, item in value.items():
                for changed in _swapped(item, declared.get(name) or {}):
                    yield {**value, name: changed}
        case list():
            for place, item in enumerate(value):
                for changed in _swapped(item, schema.get("items") or {}):
                    yield [*value[:place], changed, *value[place + 1 :]]


def _could_be_swapped(value: Object, declared: Mapping[str, Any], one: str, other: str) -> bool:
    """Whether both have one kind and type, each may have the other's value, and their order has a meaning."""
    first, second = declared.get(one) or {}, declared.get(other) or {}
    if kind_of(value[one]) is None or kind_of(value[one]) != kind_of(value[other]):
        return False
    if first.get("enum") != second.get("enum") or first.get("type") != second.get("type"):
        return False
    return _part(one, first) != _part(other, second)


def _part(name: str, schema: Mapping[str, Any]) -> tuple[str, str]:
    """Name and description without what only counts: operands that nothing else tells apart play one part."""
    return _ORDINAL.sub("", name), " ".join(_ORDINAL.sub("", str(schema.get("description", ""))).split()).strip(". ")
