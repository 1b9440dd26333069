"""Entries of a calendar: records with a start, and an end or a length."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice

from reviews.provenance.core.context import Span
from reviews.provenance.records.index import LONGEST, Indexed
from reviews.provenance.records.records import Record
from reviews.provenance.values.duration import seconds_of
from reviews.provenance.values.moment import instant_of, moment_of

# Entries of one day that are looked at.
_MANY = 500
# Figures of a number of minutes or seconds that are read; longer ones are identifiers.
_DIGITS = 15


@dataclass(frozen=True)
class Entry:
    """Something that takes up time."""

    start: datetime
    end: datetime
    span: Span
    """Where the start stands."""


def entries_on(text: Indexed, day: date) -> Iterator[Entry]:
    """The entries of a tool's output that start on that day and say how long they last."""
    found = (entry for group in text.groups for record in group if (entry := _entry(text, record, day)))
    yield from islice(found, _MANY)


def _entry(text: Indexed, record: Record, day: date) -> Entry | None:
    timed = [(moment, item) for item in record.fields if (moment := instant_of(item.text))]
    if not timed or min(timed)[0].date() != day:
        return None
    start, item = min(timed)
    end = max(timed)[0] if len(timed) > 1 else _after(start, record)
    return Entry(start, end, text.raw_span(item.start, item.end)) if end and end > start else None


def _after(start: datetime, record: Record) -> datetime | None:
    short = (item for item in record.fields if len(item.text) <= _DIGITS and not moment_of(item.text))
    lengths = (seconds for item in short for seconds in seconds_of(item.text, item.name))
    length = next((seconds for seconds in lengths if 0 < seconds < LONGEST), None)
    return start + timedelta(seconds=float(length)) if length else None
