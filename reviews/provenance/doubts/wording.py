"""How a hint quotes: quotation marks hold only what stands there, and what it is read as stands behind them.

A record is quoted by what a person would know it by: one of its fields that names it, as it stands.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, time
from itertools import islice
from typing import Final

from reviews.provenance.core.context import Span
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.document import ANY
from reviews.provenance.data.sources import Cell, SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.text.boundaries import Place
from reviews.provenance.text.fold import fold
from reviews.provenance.values.identifiers import is_identifier
from reviews.provenance.values.moments import moment_of
from reviews.provenance.values.money import currency_of
from reviews.provenance.values.numbers import readings_in

# Characters of a quotation, and of a name; longer texts are prose.
_MAX_QUOTE: Final = 60
_MAX_NAME: Final = 80
# Fields of a record among which one is looked for that names it, and records that may share a field's value.
_MAX_FIELDS: Final = 16
_MAX_RECORDS: Final = 64


def quote_words(span: Span, max_length: int = _MAX_QUOTE) -> str:
    """What stands there."""
    return f"“{shorten_text(span.quote, max_length)}”"


def quote_cell(cell: Cell, max_length: int = 40) -> str:
    """A field's value, where JSON writes its letters as escapes by the letters."""
    return f"“{shorten_text(cell.value.strip(), max_length)}”"


def quote_as_value(span: Span, leaf: Leaf, now: datetime | None) -> str:
    """Words that give a value, and the value where they spell it otherwise."""
    if fold(span.quote) == leaf.folded:
        return quote_words(span)
    moment = moment_of(leaf.value)
    return f"{quote_words(span)} ({word_moment(*moment, now) if moment else shorten_text(leaf.text, _MAX_QUOTE)})"


def quote_as_read(span: Span, text: SourceText) -> str:
    """Words of a text, and the day or the time of day that they are read as, where they are written otherwise."""
    text.budget.spend(1 + len(text.moments))
    days, clocks = set(), set()
    for moment in text.moments:
        # No year is known of such a day.
        if moment.day and not moment.any_year and _is_at(moment.day_place or moment.place, span, text):
            days.add(moment.day)
        if moment.clock and _is_at(moment.clock_place or moment.place, span, text):
            clocks.add(moment.clock)
    # What is read in two ways is left to the reader.
    if len(days) + len(clocks) != 1:
        return quote_words(span)
    day, clock = next(iter(days), None), next(iter(clocks), None)
    spelling = day.isoformat() if day else f"{clock:%H:%M}"
    return quote_words(span) if spelling in span.quote else f"{quote_words(span)} ({word_moment(day, clock, text.now)})"


def _is_at(place: Place, span: Span, text: SourceText) -> bool:
    there = text.span(*place)
    return there.start < span.end and span.start < there.end


def word_moment(day: date | None, clock: time | None, now: datetime | None) -> str:
    """Such as “28 Nov, 09:30”; the year where it is not that of the trace's clock."""
    year = f" {day.year}" if day and (now is None or day.year != now.year) else ""
    return ", ".join((*([f"{day.day} {day:%b}{year}"] if day else ()), *([f"{clock:%H:%M}"] if clock else ())))


def label_of(cell: Cell) -> Cell | None:
    """The other field that names the record of a field best; None where none does.

    One that no other record has comes first, then one of several words.
    """
    labels = [field for field in _other_fields(cell) if _is_label(field.value.strip())]
    counts = _count_values(cell) if len(labels) > 1 else Counter()
    return min(labels, key=lambda label: (counts[_identify(label)] > 1, " " not in label.value.strip()), default=None)


def is_shared(cell: Cell) -> bool:
    """Whether another record of the kind has the same in this field."""
    return _count_values(cell)[_identify(cell)] > 1


def key_of(cell: Cell) -> Cell | None:
    """What tells the record of a field from others: its label, else the first of its other fields that may be a key."""
    fields = ((field, field.value.strip()) for field in _other_fields(cell))
    keys = (field for field, value in fields if kind_of(Leaf(value)) in (Kind.TEXT, Kind.CODE) and _may_name(value))
    # One entry of a record's list says less of it than a field of its own.
    return label_of(cell) or min(keys, key=lambda field: ANY in field.field, default=None)


def _other_fields(cell: Cell) -> Iterator[Cell]:
    # What stands in one list with it is another thing, and tells nothing of it.
    return (field for field in islice(cell.text.cells_of(cell.record), _MAX_FIELDS) if field.field != cell.field)


def _may_name(value: str) -> bool:
    return 0 < len(value) <= _MAX_NAME and not _is_quantity(fold(value))


def _count_values(cell: Cell) -> Counter[tuple[object, str]]:
    """How many records of the kind have each value of each field."""
    counts: Counter[tuple[object, str]] = Counter()
    for record in islice(cell.text.document.records_of_kind(cell.kind), _MAX_RECORDS):
        fields = list(islice(cell.text.cells_of(record), _MAX_FIELDS))
        cell.text.budget.spend(1 + len(fields))
        counts.update({_identify(field) for field in fields})
    return counts


def _identify(cell: Cell) -> tuple[object, str]:
    return cell.field, cell.value.strip().casefold()


def _is_label(value: str) -> bool:
    """Whether a person would call a thing so: a name, and no code, no state, no day and no quantity."""
    is_name = value[:1].isalpha() and (not value.isascii() or (value[0].isupper() and not value.isupper()))
    is_worded = is_name or " " in value
    return is_worded and _may_name(value) and not is_identifier(value) and moment_of(value) is None


def _is_quantity(value: str) -> bool:
    """Whether it is a figure with at most one word or sign: "33 %", "EUR 30", "12 kg"."""
    number = next(readings_in(value), None)
    if number is None:
        return False
    before, behind = value[: number.start].strip(), value[number.end :].strip()
    return (not before or currency_of(before) is not None) and len(behind.split()) <= 1
