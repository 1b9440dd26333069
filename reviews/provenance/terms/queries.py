"""Runs the small query of a `Selected` term over the records of one kind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from decimal import Decimal
from functools import cmp_to_key
from typing import TypeAlias

from reviews.provenance.core.context import JsonValue
from reviews.provenance.data.document import ANY, Document, Pattern
from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.terms import Comparison, Condition, Selected
from reviews.provenance.text.fold import fold
from reviews.provenance.values.moments import moment_of
from reviews.provenance.values.numbers import number_of

_Comparable: TypeAlias = Decimal | datetime | str


@dataclass(frozen=True, slots=True)
class Row:
    """A record that the query takes: where its asked-for field stands."""

    record: int
    scalar: int


def run_query(query: Selected, text: SourceText) -> Sequence[Row] | str:
    """The rows that the query takes, or why it cannot be run."""
    document = text.document
    kind = tuple(ANY if key == ANY or key.isdigit() else key for key in query.kind.split("/") if key)
    records = [record for record in document.records_of_kind(kind) if document.fields_of(record)]
    if not records:
        return f"There are no records at “{query.kind}”."
    kept = [record for record in records if all(_fits(document, record, condition) for condition in query.where)]
    if query.take is not None:
        taken = _take(document, kept, query)
        if isinstance(taken, str):
            return taken
        kept = [taken]
    rows = [Row(record, scalar) for record in kept for scalar in _scalars(document, record, query.field)]
    return rows or f"No record that the query takes has a field “{query.field}”."


def _take(document: Document, records: Sequence[int], query: Selected) -> int | str:
    """The record at the query's place, or why no one record is there."""
    ordered = _ordered(document, records, query) if query.order else list(records)
    place = query.take or 1
    if not 0 < place <= len(ordered):
        return f"The query leaves {len(ordered)} records, and takes number {place}."
    if not query.order and place == 1 and len(ordered) > 1 and query.where:
        # Whoever names conditions means the one that fits them, not the first of several.
        return f"The query leaves {len(ordered)} records."
    if query.order and _is_tied(document, ordered, query):
        return f"Several records share the same “{query.order}”."
    return ordered[place - 1]


def _scalars(document: Document, record: int, field: str) -> Iterator[int]:
    path: Pattern = tuple(part for part in field.replace("/", ".").split(".") if part)
    for scalar in document.fields_of(record):
        own = document.field_of(scalar)
        if own == path or (len(path) == 1 and own[-1:] == path):
            yield scalar


def _value(document: Document, record: int, field: str) -> str | None:
    scalar = next(_scalars(document, record, field), None)
    return None if scalar is None else document.value_of(scalar)


def _fits(document: Document, record: int, condition: Condition) -> bool:
    own = _value(document, record, condition.field)
    return own is not None and compare(own, condition.comparison, condition.value)


def compare(own: str, comparison: Comparison, wanted: JsonValue) -> bool:
    """Whether the comparison holds: of numbers, of moments, else of texts without case."""
    if comparison == "contains":
        return fold(str(wanted)) in fold(own)
    left, right = _comparable(own), _comparable(wanted)
    if type(left) is not type(right):
        left, right = fold(own), fold(str(wanted))
    if comparison in ("equals", "differs"):
        return (left == right) == (comparison == "equals")
    order = _order(left, right)
    return {
        "below": order < 0, "above": order > 0, "at_most": order <= 0, "at_least": order >= 0,
    }[comparison]  # fmt: skip


def _comparable(value: JsonValue) -> _Comparable:
    moment = moment_of(value) if isinstance(value, str) else None
    if moment and moment[0]:
        return datetime.combine(moment[0], moment[1] or time())
    number = number_of(value)
    return fold(str(value)) if number is None else number


def _order(left: _Comparable, right: _Comparable) -> int:
    if isinstance(left, str) or isinstance(right, str):
        left, right = str(left), str(right)
    return (left > right) - (left < right)  # type: ignore[operator]


def _ordered(document: Document, records: Sequence[int], query: Selected) -> list[int]:
    known = {record: value for record in records if (value := _value(document, record, query.order)) is not None}

    def by_value(one: int, other: int) -> int:
        left, right = _comparable(known[one]), _comparable(known[other])
        if type(left) is not type(right):
            left, right = fold(known[one]), fold(known[other])
        return _order(left, right)

    return sorted(known, key=cmp_to_key(by_value), reverse=query.descending)


def _is_tied(document: Document, kept: Sequence[int], query: Selected) -> bool:
    """Whether a neighbour in the order has the same value: then the order takes neither of them."""
    place = (query.take or 1) - 1
    own = _value(document, kept[place], query.order)
    near = [kept[n] for n in (place - 1, place + 1) if 0 <= n < len(kept)]
    return any(_value(document, record, query.order) == own for record in near)
