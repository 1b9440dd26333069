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


def swap_arguments(case: Case) -> Iterator[Object]:
    """The arguments with two members of one object swapped, for each two that can be mistaken for each other."""
    document = case.context.tool(case.action.tool)
    schema = document.parameters if document else {}
    yield from _swap_members(dict(case.action.arguments), schema)


def _swap_members(value: JsonValue, schema: Mapping[str, Any]) -> Iterator[Any]:
    match value:
        case dict():
            declared = schema.get("properties") or {}
            for first, second in combinations(value, 2):
                if _could_be_swapped(value, declared, first, second):
                    yield {**value, first: value[second], second: value[first]}
            for name, item in value.items():
                for changed in _swap_members(item, declared.get(name) or {}):
                    yield {**value, name: changed}
        case list():
            for place, item in enumerate(value):
                for changed in _swap_members(item, schema.get("items") or {}):
                    yield [*value[:place], changed, *value[place + 1 :]]


def _could_be_swapped(value: Object, declared: Mapping[str, Any], name: str, partner: str) -> bool:
    """Whether both have one kind and type, each may have the other's value, and their order has a meaning."""
    first, second = declared.get(name) or {}, declared.get(partner) or {}
    if kind_of(value[name]) is None or kind_of(value[name]) != kind_of(value[partner]):
        return False
    if first.get("enum") != second.get("enum") or first.get("type") != second.get("type"):
        return False
    return _argument_role(name, first) != _argument_role(partner, second)


def _argument_role(name: str, schema: Mapping[str, Any]) -> tuple[str, str]:
    """Name and description without what only counts: operands that nothing else tells apart play one part."""
    return _ORDINAL.sub("", name), " ".join(_ORDINAL.sub("", str(schema.get("description", ""))).split()).strip(". ")
