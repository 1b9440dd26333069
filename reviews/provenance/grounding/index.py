"""One source made searchable; everything is computed at most once, and only when asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import islice

from reviews.provenance.context import Source, SourceKind, Span
from reviews.provenance.grounding.boundaries import occurrences
from reviews.provenance.grounding.dates import Moment, moment_of, moments_in
from reviews.provenance.grounding.durations import Duration, durations_in, seconds_of
from reviews.provenance.grounding.normal import View, fold, folded_view, plain_view
from reviews.provenance.grounding.numbers import NumberMention, number_of, numbers_in
from reviews.provenance.grounding.records import Field, Group, Record, groups_in

_ECHOING = frozenset(
    {"query", "q", "search", "filter", "input", "request", "args", "arguments", "params", "parameters"}
)
LONGEST = 10**7
"""Lengths of time, in seconds, from here on are not lengths of anything scheduled."""
_LENGTH_DIGITS = 15
_MANY = 4096
_LENGTHS = 32
"""Lengths of time of one source that are put together with its times."""
_DATA = (SourceKind.TOOL_OUTPUT, SourceKind.RETRIEVED, SourceKind.MEMORY)


@dataclass(frozen=True)
class Place:
    """A field of a record of a group."""

    group: Group
    record: Record
    field: Field


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
        found: dict[Decimal, NumberMention] = {}
        for mention in numbers_in(self.folded.text):
            found.setdefault(mention.value, mention)
        return found

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """Days and times of day."""
        return moments_in(self.folded.text, self.now)

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
    def groups(self) -> tuple[Group, ...]:
        """Lists of records, for a source that holds data."""
        return groups_in(self.source.text) if self.source.kind in _DATA else ()

    @cached_property
    def places(self) -> Mapping[str, tuple[Place, ...]]:
        """Where each folded field value stands."""
        found: dict[str, list[Place]] = {}
        for group in self.groups:
            for record in group:
                for item in record.fields:
                    found.setdefault(fold(item.text).strip(), []).append(Place(group, record, item))
        return {text: tuple(places) for text, places in found.items()}

    @cached_property
    def numeric_places(self) -> Mapping[Decimal, tuple[Place, ...]]:
        """Where each field that is a number stands."""
        found: dict[Decimal, tuple[Place, ...]] = {}
        for text, places in self.places.items():
            if (number := number_of(text)) is not None:
                found[number] = (*found.get(number, ()), *places)
        return found

    @cached_property
    def dated_fields(self) -> Mapping[datetime | None, Field]:
        """The first field for each day with a time of day."""
        return {moment: item for _, item, moment in reversed(self._timed)}

    @cached_property
    def ends(self) -> Mapping[datetime | None, "End"]:
        """The moments at which records end, by their start and length."""
        return {
            end: End(record, begun, length)
            for record, begun, moment in self._timed
            for length, seconds in _lengths(record)
            if (end := _later(moment, seconds))
        }

    @cached_property
    def _timed(self) -> tuple[tuple[Record, Field, datetime], ...]:
        return tuple(
            (record, item, datetime.combine(meant[0], meant[1]))
            for group in self.groups
            for record in group
            for item in record.fields
            if (meant := moment_of(item.text)) and meant[0] and meant[1] is not None
        )

    def repeats(self, folded: str) -> bool:
        """Whether the agent itself put the value into the call, so that this text may only echo it."""
        return any(folded == value or any(occurrences(value, folded)) for value in self.asked)

    def echoes(self, folded: str, place: Place) -> bool:
        """Whether a field may only echo the call: a record with fields of its own shows that the thing exists."""
        alone = len(place.record.fields) == 1
        return self.repeats(folded) and (alone or place.field.name.lower() in _ECHOING)

    def span(self, start: int, end: int) -> Span:
        """The raw span of a stretch of the folded text."""
        return self.raw_span(*self.folded.raw(start, end))

    def plain_span(self, start: int, end: int) -> Span:
        """The raw span of a stretch of the plain text."""
        return self.raw_span(*self.plain.raw(start, end))

    def raw_span(self, start: int, end: int) -> Span:
        """The span between two raw offsets."""
        return Span(self.source.id, start, end, self.source.text[start:end])

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
