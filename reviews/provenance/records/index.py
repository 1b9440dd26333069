"""One source made searchable; everything is computed at most once, and only when asked for."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import accumulate, islice
from typing import NamedTuple

from reviews.provenance.core.context import Source, SourceKind, Span
from reviews.provenance.records.fields import Field
from reviews.provenance.records.lazy_mapping import Lookup
from reviews.provenance.records.literals import literals_in
from reviews.provenance.records.records import Group, Record, groups_in
from reviews.provenance.records.tree import Tree, tree_of
from reviews.provenance.text.boundaries import occurrences
from reviews.provenance.text.fold import View, fold, folded_view, plain_view, unescape
from reviews.provenance.values.date import Calendar, calendar_of
from reviews.provenance.values.duration import Duration, durations_in, seconds_of
from reviews.provenance.values.moment import Moment, moment_of, told_in, written_in
from reviews.provenance.values.number import NumberMention, may_say, number_of, numbers_in, worded_in

# Fields that repeat what a call was made with, by the names tools give them.
_ECHOING = frozenset(
    {"query", "q", "search", "filter", "input", "request", "args", "arguments", "params", "parameters"}
)
LONGEST = 10**7
"""Lengths of time, in seconds, from here on are not lengths of anything scheduled."""
# Characters of a field that may be a length of time.
_LENGTH_DIGITS = 15
# Values that are looked for one by one: a look costs a fiftieth of a table of all fields, which takes much memory.
_MOST_LOOKED = 64
# Mentions of one kind in one text: a log may hold more, and what it lists thousands of times singles nothing out.
_MANY = 4096
# Lengths of time of one source that are put together with its times.
_LENGTHS = 32
# A field without any figure is no time: asking so spares the reading of most.
_FIGURE = re.compile(r"\d")
# Bounded as RFC 5321 bounds both parts: without bounds a long run of letters takes quadratic time.
_LOCAL = re.compile(r"[\w.+-]{1,64}")
_HOST = re.compile(r"@[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}")
# Characters before the @ that are looked at; the standard allows as many.
_LOCAL_LENGTH = 64
# Sources that may be literals of a language, in which escapes stand for characters.
_DATA = (SourceKind.TOOL_OUTPUT, SourceKind.RETRIEVED, SourceKind.MEMORY)


class Place(NamedTuple):
    """A field of a record of a group."""

    group: Group
    record: Record
    field: Field


class Places:
    """Where each folded field value stands.

    A large listing has as many fields as words: one number is kept for each, and its place made when asked for.
    """

    def __init__(self, groups: tuple[Group, ...]) -> None:
        self._records = [(group, record) for group in groups for record in group]
        self._ends = list(accumulate(len(record.keys) for _, record in self._records))
        self._hashes = array("q")
        for _, record in self._records:
            texts = record.texts
            # Nearly all are plain, and then nothing is done for each but what the interpreter does itself.
            plain = "".join(texts).isascii()
            alike = map(str.strip, map(str.lower, texts)) if plain else map(_compared, texts)
            self._hashes.extend(map(hash, alike))
        self._looked = 0

    def of(self, folded: str) -> tuple[Place, ...]:
        """The fields that are this value, in order."""
        return tuple(
            place for place in map(self._place, self._alike(hash(folded))) if _compared(place.field.text) == folded
        )

    def numbers(self) -> dict[Decimal, list[Place]]:
        """The fields that are each number, those of one spelling together."""
        spelled: dict[str, list[int]] = {}
        texts = (text for _, record in self._records for text in record.texts)
        for n, text in enumerate(texts):
            if _FIGURE.search(text):
                spelled.setdefault(_compared(text), []).append(n)
        found: dict[Decimal, list[Place]] = {}
        for text, places in spelled.items():
            if (number := number_of(text)) is not None:
                found.setdefault(number, []).extend(map(self._place, places))
        return found

    def _alike(self, wanted: int) -> Iterator[int]:
        self._looked += 1
        if self._looked > _MOST_LOOKED:
            yield from self._by_hash.get(wanted, ())
            return
        at = 0
        with suppress(ValueError):
            while True:
                at = self._hashes.index(wanted, at) + 1
                yield at - 1

    @cached_property
    def _by_hash(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for number, each in enumerate(self._hashes):
            found.setdefault(each, []).append(number)
        return found

    def _place(self, number: int) -> Place:
        at = bisect_right(self._ends, number)
        group, record = self._records[at]
        return Place(group, record, record.fields[number - self._ends[at]])


def _compared(text: str) -> str:
    return text.lower().strip() if text.isascii() else fold(text).strip()


@dataclass(frozen=True)
class End:
    """The fields that say when a record ends."""

    record: Record
    begun: Field
    length: Field


@dataclass(frozen=True)
class Indexed:
    """A source with what it mentions."""

    source: Source
    now: datetime | None
    asked: frozenset[str] = frozenset()
    """Folded values of the call this is the outcome of; repeating them proves nothing."""

    @cached_property
    def plain(self) -> View:
        """The text with string escapes resolved, where it holds data."""
        return plain_view(self.source.text, escaped=self._escaped)

    @cached_property
    def folded(self) -> View:
        """The text for comparison without case and typography."""
        return folded_view(self.source.text, escaped=self._escaped)

    @cached_property
    def numbers(self) -> Mapping[Decimal, NumberMention]:
        """The first mention of each number."""
        return Lookup(lambda number: self._may_say(number) or number in self._worded, self._read_numbers)

    @cached_property
    def ordered_numbers(self) -> tuple[Decimal, ...]:
        """Every number it mentions, the smallest first."""
        return tuple(sorted(self.numbers))

    def near_numbers(self, number: Decimal) -> tuple[Decimal, ...]:
        """The mentioned numbers next to this one: at most one that is no greater and one that is greater."""
        at = bisect_right(self.ordered_numbers, number)
        return self.ordered_numbers[max(at - 1, 0) : at + 1]

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """Days and times of day."""
        return (*written_in(self.folded.text, self.now), *self._told)

    @cached_property
    def _told(self) -> tuple[Moment, ...]:
        """Those among them that are told in words."""
        return tuple(told_in(self.folded.text, self.now))

    def may_name(self, first: date, last: date) -> bool:
        """Whether one of its moments may lie on one of these days; what cannot need not be read for them."""
        return self._calendar.may_name(first, last) or any(first <= m.day <= last for m in self._told if m.day)

    @cached_property
    def _calendar(self) -> Calendar:
        return calendar_of(self.folded.text)

    @cached_property
    def offsets_of_moments(self) -> frozenset[int]:
        """The offsets of the folded text that its days and times of day take up."""
        return frozenset(at for moment in self.moments for at in range(moment.start, moment.end))

    @cached_property
    def durations(self) -> tuple[Duration, ...]:
        """The first mention of each length of time, of a bounded number of them."""
        found: dict[Decimal, Duration] = {}
        for mention in islice(durations_in(self.folded.text), _MANY):
            found.setdefault(mention.seconds, mention)
        return tuple(found.values())[:_LENGTHS]

    @cached_property
    def days_before(self) -> Mapping[int, tuple[Moment, ...]]:
        """The days that end right before an offset, or one character before it."""
        found: dict[int, list[Moment]] = {}
        for moment in self.moments:
            for offset in (moment.end, moment.end + 1) if moment.day else ():
                found.setdefault(offset, []).append(moment)
        return {offset: tuple(days) for offset, days in found.items()}

    @cached_property
    def addresses(self) -> Mapping[str, int]:
        """Where each e-mail address is first mentioned in the folded text."""
        found: dict[str, int] = {}
        done = 0
        for host in _HOST.finditer(self.folded.text):
            # Backwards from the sign: looking for the part before it at every letter would cost more than all else.
            before = self.folded.text[max(done, host.start() - _LOCAL_LENGTH) : host.start()]
            if local := _LOCAL.match(before[::-1]):
                start, done = host.start() - local.end(), host.end()
                found.setdefault(self.folded.text[start:done], start)
        return found

    @property
    def groups(self) -> tuple[Group, ...]:
        """Lists of records, for a source that holds data."""
        return self._document[0] if self.source.kind in _DATA else ()

    @property
    def tree(self) -> Tree:
        """Its values, each under the keys that lead to it."""
        return self._document[1]

    @cached_property
    def _document(self) -> tuple[tuple[Group, ...], Tree]:
        """Read at once, for what both are made of is larger than either."""
        literals = tuple(literals_in(self.source.text))
        groups = groups_in(self.source.text, literals)
        return groups, tree_of(self.source.text, literals, groups)

    def places(self, folded: str) -> tuple[Place, ...]:
        """Where a folded field value stands."""
        return self._all_places.of(folded) if self._may_hold(folded) else ()

    @cached_property
    def numeric_places(self) -> Mapping[Decimal, Sequence[Place]]:
        """Where each field that is a number stands."""
        return Lookup(self._may_say, self._read_numeric_places)

    @cached_property
    def dated_fields(self) -> Mapping[datetime | None, Field]:
        """The first field for each day with a time of day."""
        return Lookup(
            lambda moment: moment is not None and self._may_write(moment, timedelta(0)),
            lambda: {moment: item for _, item, moment in reversed(self._timed)},
        )

    @cached_property
    def ends(self) -> Mapping[datetime | None, "End"]:
        """The moments at which records end, by their start and length."""
        return Lookup(
            lambda moment: moment is not None and self._may_write(moment, timedelta(seconds=LONGEST)),
            lambda: {
                end: End(record, begun, length)
                for record, begun, moment in self._timed
                for length, seconds in _lengths(record)
                if (end := _later(moment, seconds))
            },
        )

    def repeats(self, folded: str) -> bool:
        """Whether the agent itself put the value into the call, so that this text may only echo it."""
        return any(folded == value or any(occurrences(value, folded)) for value in self.asked)

    def echoes(self, folded: str, place: Place) -> bool:
        """Whether a field may only echo the call: a record with fields of its own shows that the thing exists."""
        alone = len(place.record.fields) == 1
        return self.repeats(folded) and (alone or place.field.name.lower() in _ECHOING)

    def folded_between(self, start: int, end: int) -> str:
        """A stretch of the raw text as it is compared."""
        raw = self.source.text[start:end]
        # Asked in this order, the whole text is looked at for few values only.
        return fold(unescape(raw) if "\\" in raw and self._escaped else raw).strip()

    def span(self, start: int, end: int) -> Span:
        """The raw span of a stretch of the folded text."""
        return self.raw_span(*self.folded.raw(start, end))

    def plain_span(self, start: int, end: int) -> Span:
        """The raw span of a stretch of the plain text."""
        return self.raw_span(*self.plain.raw(start, end))

    def raw_span(self, start: int, end: int) -> Span:
        """The span between two raw offsets."""
        return Span(self.source.id, start, end, self.source.text[start:end])

    def _may_hold(self, folded: str) -> bool:
        # Whether the way a source is read resolves an escape is not known before it is read.
        return folded in self.folded.text or "\\" in folded

    def _may_write(self, moment: datetime, before: timedelta) -> bool:
        """Whether a field may be this moment, or one up to so long before it."""
        try:
            return self._calendar.may_name((moment - before).date(), moment.date())
        except OverflowError:  # before the calendar
            return True

    def _may_say(self, number: Decimal) -> bool:
        return may_say(self.folded.text, number)

    @cached_property
    def _worded(self) -> frozenset[Decimal]:
        return frozenset(mention.value for mention in worded_in(self.folded.text))

    def _read_numbers(self) -> dict[Decimal, NumberMention]:
        found: dict[Decimal, NumberMention] = {}
        for mention in numbers_in(self.folded.text):
            found.setdefault(mention.value, mention)
        return found

    def _read_numeric_places(self) -> dict[Decimal, list[Place]]:
        return self._all_places.numbers()

    @cached_property
    def _all_places(self) -> Places:
        return Places(self.groups)

    @cached_property
    def _timed(self) -> tuple[tuple[Record, Field, datetime], ...]:
        return tuple(
            (record, item, datetime.combine(meant[0], meant[1]))
            for group in self.groups
            for record in group
            for item in record.fields
            if _FIGURE.search(item.text) and (meant := moment_of(item.text)) and meant[0] and meant[1] is not None
        )

    @property
    def _escaped(self) -> bool:
        return self.source.kind in _DATA and ("{" in self.source.text or "[" in self.source.text)


def _lengths(record: Record) -> list[tuple[Field, Decimal]]:
    short = [item for item in record.fields if len(item.text) <= _LENGTH_DIGITS]
    return [(item, seconds) for item in short for seconds in seconds_of(item.text, item.name) if seconds < LONGEST]


def _later(moment: datetime, seconds: Decimal) -> datetime | None:
    try:
        return moment + timedelta(seconds=float(seconds))
    except OverflowError:  # beyond the calendar
        return None
