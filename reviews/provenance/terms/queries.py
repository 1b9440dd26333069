"""Runs the small query of a `Selected` term over the records of one kind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from decimal import Decimal
from functools import cmp_to_key
from typing import TypeAlias

from reviews.provenance.core.context import JsonValue
from reviews.provenance.data.document import ANY, Document
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
    selected = [
        record for record in records if all(_meets_condition(document, record, condition) for condition in query.where)
    ]
    if query.take is not None:
        chosen = _take_record(document, selected, query)
        if isinstance(chosen, str):
            return chosen
        selected = [chosen]
    rows = [Row(record, scalar) for record in selected for scalar in _scalars_of_field(document, record, query.field)]
    return rows or f"No record that the query takes has a field “{query.field}”."


def _take_record(document: Document, records: Sequence[int], query: Selected) -> int | str:
    """The record at the query's place, or why no one record is there."""
    ordered = _sort_records(document, records, query) if query.order else list(records)
    place = query.take or 1
    if not 0 < place <= len(ordered):
        return f"The query leaves {len(ordered)} records, and takes number {place}."
    if not query.order and place == 1 and len(ordered) > 1 and query.where:
        # Whoever names conditions means the one that fits them, not the first of several.
        return f"The query leaves {len(ordered)} records."
    if query.order and _is_tied(document, ordered, query):
        return f"Several records share the same “{query.order}”."
    return ordered[place - 1]


def _scalars_of_field(document: Document, record: int, field: str) -> Iterator[int]:
    # A key may hold the sign that separates keys: "sender/recipient".
    wanted = field.replace("/", ".").strip(".")
    for scalar in document.fields_of(record):
        path = document.field_of(scalar)
        if wanted in (".".join(part).replace("/", ".") for part in (path, path[-1:])):
            yield scalar


def _value_of_field(document: Document, record: int, field: str) -> str | None:
    scalar = next(_scalars_of_field(document, record, field), None)
    return None if scalar is None else document.value_of(scalar)


def _meets_condition(document: Document, record: int, condition: Condition) -> bool:
    value = _value_of_field(document, record, condition.field)
    return value is not None and is_comparison_true(value, condition.comparison, condition.value)


def is_comparison_true(value: str, comparison: Comparison, wanted: JsonValue) -> bool:
    """Whether the comparison holds: of numbers, of moments, else of texts without case."""
    if comparison == "contains":
        return fold(str(wanted)) in fold(value)
    first, second = _comparable_value(value), _comparable_value(wanted)
    if type(first) is not type(second):
        first, second = fold(value), fold(str(wanted))
    if comparison in ("equals", "differs"):
        return (first == second) == (comparison == "equals")
    order = _compare_values(first, second)
    return {
        "below": order < 0, "above": order > 0, "at_most": order <= 0, "at_least": order >= 0,
    }[comparison]  # fmt: skip


def _comparable_value(value: JsonValue) -> _Comparable:
    moment = moment_of(value) if isinstance(value, str) else None
    if moment and moment[0]:
        return datetime.combine(moment[0], moment[1] or time())
    number = number_of(value)
    return fold(str(value)) if number is None else number


def _compare_values(first: _Comparable, second: _Comparable) -> int:
    if isinstance(first, str) or isinstance(second, str):
        first, second = str(first), str(second)
    return (first > second) - (first < second)  # type: ignore[operator]


def _sort_records(document: Document, records: Sequence[int], query: Selected) -> list[int]:
    values = {
        record: value for record in records if (value := _value_of_field(document, record, query.order)) is not None
    }

    def by_value(record: int, next_record: int) -> int:
        first, second = _comparable_value(values[record]), _comparable_value(values[next_record])
        if type(first) is not type(second):
            first, second = fold(values[record]), fold(values[next_record])
        return _compare_values(first, second)

    return sorted(values, key=cmp_to_key(by_value), reverse=query.descending)


def _is_tied(document: Document, selected: Sequence[int], query: Selected) -> bool:
    """Whether a neighbour in the order has the same value: then the order takes neither of them."""
    place = (query.take or 1) - 1
    value = _value_of_field(document, selected[place], query.order)
    near = [selected[n] for n in (place - 1, place + 1) if 0 <= n < len(selected)]
    return any(_value_of_field(document, record, query.order) == value for record in near)
