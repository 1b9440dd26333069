"""Columns of numbers in what was looked up, each summed up once a call however many values are held against it."""

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import islice

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span
from reviews.provenance.grounding.notes import where
from reviews.provenance.records.index import Indexed
from reviews.provenance.records.records import Record
from reviews.provenance.request.mentions import References
from reviews.provenance.values.number import number_of

IDENTIFIER = re.compile(r"(?:^|[_.])(?:id|uuid|number|no|phone|zip|year)$", re.I)
"""Names of fields whose numbers count nothing."""
# Of a list, of a record and of a context that are read: a longer list is a page of something, and its sum no total.
_MOST_ROWS, _MOST_COLUMNS, _MOST_LISTS = 2000, 32, 16
# Numbers of a column that are shown for its sum.
_MOST_CITED = 16


@dataclass(frozen=True)
class Number:
    """A number with where it stands."""

    value: Decimal
    span: Span


@dataclass(frozen=True)
class Column:
    """The numbers of one field over several records. Only the first are kept: a list may have thousands."""

    name: str
    place: str
    """What it was looked up in, for a person to read."""
    count: int
    total: Decimal
    numbers: tuple[Number, ...]
    last: Number

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where its first numbers stand."""
        return tuple(number.span for number in self.numbers)


@dataclass(frozen=True)
class Rows:
    """One list of records."""

    text: Indexed
    records: Sequence[Record]
    named: Sequence[Record]
    """Those that the request names best."""
    budget: Budget

    @property
    def some_named(self) -> bool:
        """Whether the request names some of the records, and so does not speak of all of them."""
        return 0 < len(self.named) < len(self.records)

    @cached_property
    def whole_columns(self) -> tuple[Column, ...]:
        """Those over every record."""
        return tuple(_columns_of(self.text, self.records, self.budget))

    @cached_property
    def named_columns(self) -> tuple[Column, ...]:
        """Those over the records that the request names."""
        return tuple(_columns_of(self.text, self.named, self.budget))


def rows_of(data: Sequence[Indexed], references: References, budget: Budget) -> Iterator[Rows]:
    """The lists that were looked up, a bounded number of them."""
    groups = ((text, group) for text in data for group in islice(text.groups, _MOST_LISTS) if group)
    for text, group in islice(groups, _MOST_LISTS):
        records, shared = group[:_MOST_ROWS], references.shared(group)[:_MOST_ROWS]
        if coded := tuple(record for record in records if _is_coded(record, references)):
            # An identifier names its record, and no other.
            yield Rows(text, records, coded, budget)
            continue
        best = max(map(len, shared), default=0)
        named = tuple(record for record, words in zip(records, shared, strict=True) if best and len(words) == best)
        # What was looked up by itself is what is spoken of.
        named = named or tuple(records if len(records) == 1 else ())
        yield Rows(text, records, named, budget)


def _is_coded(record: Record, references: References) -> bool:
    """Whether the user says an identifier that is a field of the record."""
    codes = references.codes
    return bool(codes) and any(each.lower() in codes for each in record.texts)


@dataclass
class _Cells:
    """A column while it is read: its sum, and the places of what is shown of it."""

    total: Decimal
    values: list[Decimal]
    places: "array[int]"
    count: int = 0

    def add(self, value: Decimal, start: int, end: int) -> None:
        self.total += value
        self.count += 1
        if self.count > _MOST_CITED + 1:
            # The place behind the ones that are shown is the last number's.
            del self.values[-1], self.places[-2:]
        self.values.append(value)
        self.places.extend((start, end))

    def numbers(self, text: Indexed) -> tuple[Number, ...]:
        places = zip(self.places[::2], self.places[1::2], strict=True)
        return tuple(Number(value, text.raw_span(*place)) for value, place in zip(self.values, places, strict=True))


def _columns_of(text: Indexed, records: Sequence[Record], budget: Budget) -> Iterator[Column]:
    """The fields, by the first record's, that are numbers in all the records that have them."""
    keys = dict.fromkeys(item.key for record in records[:1] for item in record.fields)
    counting = (key for key in keys if not IDENTIFIER.search(key))
    columns = {key: _Cells(Decimal(0), [], array("I")) for key in islice(counting, _MOST_COLUMNS)}
    for record in records if columns else ():
        budget.spend()
        for item in record.fields:
            if (cells := columns.get(item.key)) is None:
                continue
            if (value := number_of(item.text)) is None:
                del columns[item.key]
            else:
                cells.add(value, item.start, item.end)
    for key, cells in columns.items():
        numbers = cells.numbers(text)
        yield Column(key, where(text.source.id), cells.count, cells.total, numbers[:_MOST_CITED], numbers[-1])
