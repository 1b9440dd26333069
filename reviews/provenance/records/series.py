"""Numbers by day in a tool's output: an object from day to number, or records of a day and its numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from itertools import islice

from reviews.provenance.core.context import Span
from reviews.provenance.records.fields import Field
from reviews.provenance.records.index import Indexed
from reviews.provenance.records.records import Group
from reviews.provenance.values.moment import moment_of
from reviews.provenance.values.number import number_of

# Points of one source that are read.
_MANY = 20_000


@dataclass(frozen=True)
class Point:
    """What a series says about one day."""

    day: date
    value: Decimal
    span: Span
    """Where the day and its number stand."""


@dataclass(frozen=True)
class Series:
    """The numbers of one thing, by day, in order."""

    name: str
    """The field the numbers are in; empty where the text gives none."""
    points: tuple[Point, ...]


def series_in(text: Indexed) -> tuple[Series, ...]:
    """Every series of a text that holds data."""
    found = (series for group in text.groups for series in (*_maps(text, group), *_rows(text, group)))
    return tuple(islice(found, _MANY))


def _maps(text: Indexed, group: Group) -> Iterator[Series]:
    """Objects whose keys are days."""
    for record in group:
        points = [
            Point(day, value, _key_to_value(text, item))
            for item in islice(record.fields, _MANY)
            if (day := _day(item.key)) and (value := number_of(item.text)) is not None
        ]
        if points:
            yield Series("", _in_order(points))


def _rows(text: Indexed, group: Group) -> Iterator[Series]:
    """Records that each stand for a day of their own."""
    dated = []
    for record in group[:_MANY]:
        days = (_day(item.text) for item in record.fields)
        if day := next(filter(None, days), None):
            dated.append((day, record))
    if len(dated) < 2 or len({day for day, _ in dated}) < len(dated):  # noqa: PLR2004
        return
    columns: dict[str, list[Point]] = {}
    for day, record in dated:
        for item in record.fields:
            if (value := number_of(item.text)) is not None:
                columns.setdefault(item.key, []).append(Point(day, value, text.raw_span(item.start, item.end)))
    yield from (Series(key, _in_order(points)) for key, points in columns.items())


def _day(text: str) -> date | None:
    """The day a text means that speaks of the whole day."""
    moment = moment_of(text)
    return moment[0] if moment and moment[1] in (None, time(0)) else None


def _key_to_value(text: Indexed, item: Field) -> Span:
    raw = text.source.text
    at = raw.rfind(item.key, max(0, item.start - len(item.key) - 16), item.start)
    return text.raw_span(at if at >= 0 else item.start, item.end)


def _in_order(points: list[Point]) -> tuple[Point, ...]:
    return tuple(sorted(points, key=lambda point: point.day))
