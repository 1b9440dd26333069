"""Runs the small query of a `Selected` term over the records of one kind."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from operator import eq, ge, gt, le, lt, ne

from reviews.provenance.core.context import JsonValue
from reviews.provenance.data.document import ANY
from reviews.provenance.data.sources import Cell, SourceText
from reviews.provenance.terms.expressions import is_result
from reviews.provenance.terms.same_value import unit_of_text
from reviews.provenance.terms.terms import Comparison, Condition, Selected
from reviews.provenance.text.boundaries import cuts_figure
from reviews.provenance.text.fold import fold
from reviews.provenance.values.moments import datetime_of, zone_of
from reviews.provenance.values.numbers import number_of

# Of how a value stands to another one, and zero.
_HOLDS: Mapping[Comparison, Callable[[int, int], bool]] = {
    "equals": eq, "differs": ne, "below": lt, "above": gt, "at_most": le, "at_least": ge
}  # fmt: skip


def run_query(query: Selected, text: SourceText) -> Sequence[Cell] | str:
    """The fields that the query takes, or why it cannot be run."""
    kind = tuple(ANY if key == ANY or key.isdigit() else key for key in query.kind.split("/") if key)
    records = [record for record in text.document.records_of_kind(kind) if text.document.fields_of(record)]
    if not records:
        return f"There are no records at “{query.kind}”."
    selected = [
        record for record in records if all(_meets_condition(text, record, condition) for condition in query.where)
    ]
    if query.take is not None:
        chosen = _take_record(text, selected, query)
        if isinstance(chosen, str):
            return chosen
        selected = [chosen]
    cells = [cell for record in selected for cell in _cells_called(query.field, text, record)]
    return cells or f"No record that the query takes has a field “{query.field}”."


def run_total(query: Selected, text: SourceText, value: JsonValue) -> Sequence[Cell] | str:
    """The fields of all records, whose number or sum the value is, or why it is not."""
    cells = run_query(replace(query, take=None), text)
    if isinstance(cells, str):
        return cells
    one_each = list({cell.record: cell for cell in cells}.values())
    numbers = [number for cell in cells if (number := number_of(cell.value)) is not None]
    is_summed = len(numbers) == len(cells) == len(one_each) and len({_kind_of(cell.value) for cell in cells}) == 1
    if query.total == "sum" and not is_summed:
        return f"“{query.field}” is not one number in each record, all in one unit."
    total = sum(map(Fraction, numbers), Fraction()) if query.total == "sum" else Fraction(len(one_each))
    return one_each if is_result(value, total) else f"The query gives {float(total):g}, not “{value}”."


def _take_record(text: SourceText, records: Sequence[int], query: Selected) -> int | str:
    """The record at the query's place, or why no one record is there."""
    ordered, place = list(records), query.take or 1
    values = {record: _value_of(query.order, text, record) for record in records} if query.order else {}
    if query.order:
        by_value = cmp_to_key(_compare_values)
        valued = [record for record in records if values[record]]
        if len({_kind_of(values[record]) for record in valued}) > 1:
            return f"“{query.order}” is not of one kind and unit in all records."
        ordered = sorted(valued, key=lambda record: by_value(values[record]), reverse=query.descending)
    if not 0 < place <= len(ordered):
        return f"The query leaves {len(ordered)} records, and takes number {place}."
    if not query.order and place == 1 and len(ordered) > 1 and query.where:
        # Whoever names conditions means the one that fits them, not the first of several.
        return f"The query leaves {len(ordered)} records."
    # Where a neighbour in the order has the same value, the order takes neither of them.
    near = [*ordered[max(place - 2, 0) : place - 1], *ordered[place : place + 1]]
    if query.order and any(not _compare_values(values[record], values[ordered[place - 1]]) for record in near):
        return f"Several records share the same “{query.order}”."
    return ordered[place - 1]


def _cells_called(field: str, text: SourceText, record: int) -> Iterator[Cell]:
    # A key may hold the sign that separates keys: "sender/recipient".
    wanted = field.replace("/", ".").strip(".")
    for cell in text.cells_of(record):
        if wanted in (".".join(path).replace("/", ".") for path in (cell.field, cell.field[-1:])):
            yield cell


def _value_of(field: str, text: SourceText, record: int) -> str | None:
    return next((cell.value for cell in _cells_called(field, text, record)), None)


def _meets_condition(text: SourceText, record: int, condition: Condition) -> bool:
    """Whether the record, or else the nearest one around it that has the field, is such."""
    around = (record, *text.document.ancestors_of(record))
    value = next(filter(None, (_value_of(condition.field, text, holder) for holder in around)), None)
    return value is not None and is_comparison_true(value, condition.comparison, condition.value)


def is_comparison_true(value: str, comparison: Comparison, wanted: JsonValue) -> bool:
    """Whether the comparison holds: of numbers, of moments, else of texts without case.

    What is of another kind is neither more nor less, and figures are held against whole ones.
    """
    text, part = fold(value), fold(str(wanted))
    if comparison == "contains":
        places = ((hit.start(), hit.end()) for hit in re.finditer(re.escape(part), text))
        return any(not cuts_figure(text, *place) for place in places)
    if _kind_of(value)[0] is not _kind_of(wanted)[0]:
        return comparison in ("equals", "differs") and (text == part) is (comparison == "equals")
    return _HOLDS[comparison](_compare_values(value, wanted), 0)


def _compare_values(first: JsonValue, second: JsonValue) -> int:
    """Negative, zero or positive as the first value stands before, with or behind the second one of its kind."""
    zones = zone_of(str(first)), zone_of(str(second))
    first_key, second_key = (
        _comparable_value(value, zone if None not in zones else None)
        for value, zone in zip((first, second), zones, strict=True)
    )
    return (first_key > second_key) - (first_key < second_key)  # type: ignore[operator]


def _comparable_value(value: JsonValue, zone: timedelta | None) -> Decimal | datetime | str:
    """A moment by its own clock, or, with its offset from UTC, by that."""
    number, moment = number_of(value), datetime_of(value)
    if moment:
        return moment - (zone or timedelta())
    return fold(str(value)) if number is None else number


def _kind_of(value: JsonValue) -> tuple[type, str]:
    """What a value is compared as, and the unit of a number."""
    read = _comparable_value(value, None)
    return type(read), unit_of_text(fold(str(value))) if isinstance(read, Decimal) else ""
