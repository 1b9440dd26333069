"""Whether the record a value was taken from is the one the request selects.

"Cancel my next meeting with Kim" selects by name, by the clock and by order. The clauses of the request are held
against every record of the same kind in the tool outputs. What rules cannot check stays undecided.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from reviews.provenance.core.context import SourceId, Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Competing, Found
from reviews.provenance.records.index import Indexed, Place
from reviews.provenance.records.records import Group
from reviews.provenance.request.clause_reader import clauses_in
from reviews.provenance.request.clauses import Clause
from reviews.provenance.request.entities import Thing, kind_of
from reviews.provenance.request.filters import Filters, Reason
from reviews.provenance.request.mentions import References
from reviews.provenance.request.ranking import Ranked, Reading, leading, readings
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.stems import stem

# Records of one kind compared; where there are more, nothing is said about any.
_MOST = 2000
# Others that are named in a note: a person reads no more.
_MOST_NAMED = 8
# Fields a record needs, at least, for one of them to tell something about another.
_TELLING = 2
# Kinds of records, keys of a record and characters of a name that are compared: more come from tables that say
# nothing about what is selected.
_MOST_KINDS, _MOST_KEYS, _LONGEST_NAME = 64, 64, 200


@dataclass(frozen=True)
class Taken:
    """A place that a value may have been taken from."""

    text: Indexed
    place: Place

    @property
    def thing(self) -> Thing:
        """The record there."""
        return Thing(self.text, self.place.record)


@dataclass(frozen=True)
class Selections:
    """The selections of one request. What it reads of a list it reads once."""

    references: References
    data: tuple[Indexed, ...]
    now: datetime | None
    names: Mapping[SourceId, str]
    """What returned each source: the name of the tool."""
    _read: dict[tuple[frozenset[str], frozenset[str]], tuple[Filters, ...]] = field(default_factory=dict, compare=False)
    """By the fields and the kind of a list."""

    def judge(self, places: Sequence[Taken]) -> Found | None:
        """What the request's selections make of a value that stands at these places; None where they say nothing."""
        selected = [(taken, clauses) for taken in places if (clauses := self._clauses(taken))]
        if not selected or any(self._named(taken) for taken in places):
            return None
        found = [self._verdict(filters, taken) for taken, clauses in selected for filters in clauses]
        resolved = next((one for one in found if one and one.how is Grounding.RESOLVE), None)
        return resolved if resolved or None in found else found[0]

    def _named(self, taken: Taken) -> bool:
        """Whether the user names the value itself, or its record where nothing is selected."""
        if self._clauses(taken):
            own = map(stem, words_of(taken.place.field.text[:_LONGEST_NAME]))
            return any(word in self.references.mentions for word in own)
        return bool(self.references.shared(taken.place.group)[taken.place.record.position - 1])

    def _clauses(self, taken: Taken) -> tuple[Filters, ...]:
        keys = _keys(taken.place.group)
        kind = kind_of(taken.place.group, self.names.get(taken.text.source.id, ""))
        if len(keys) < _TELLING or not kind:
            return ()
        if (keys, kind) not in self._read:
            self._read[keys, kind] = tuple(self._select(keys, kind)) if len(self._read) < _MOST_KINDS else ()
        return self._read[keys, kind]

    def _select(self, keys: frozenset[str], kind: frozenset[str]) -> Iterator[Filters]:
        things = tuple(self._things(keys))
        if len(things) > _MOST:
            return
        values = frozenset(value for thing in things for value in thing.kinds)
        for text in self.references.texts:
            for clause in clauses_in(text, kind, values - kind):
                yield Filters(clause, things, self.now)

    def _things(self, keys: frozenset[str]) -> Iterator[Thing]:
        """Every record with mostly the same fields; of one that is told twice the latest."""
        identities: set[tuple[str, ...]] = set()
        groups = ((text, group) for text in self.data for group in text.groups if _share_most_keys(keys, _keys(group)))
        for text, group in groups:
            for thing in (Thing(text, record) for record in group):
                if thing.identity not in identities and len(identities) <= _MOST:
                    identities.add(thing.identity)
                    yield thing

    def _verdict(self, filters: Filters, taken: Taken) -> Found | None:
        thing, order = taken.thing, filters.clause.order
        if reason := filters.failed_by(thing):
            return _failed(filters, taken, reason, self.now)
        if filters.open:
            return None
        if order is None:
            return _selected(filters.clause, taken)
        found = readings(order, filters.fitting, self.now)
        leads = [leading(reading, order.count) for reading in found]
        inside = [lead for lead in leads if any(one.thing.identity == thing.identity for one in lead)]
        if any(len(lead) <= order.count for lead in inside):
            return _selected(filters.clause, taken)
        if inside:
            return _tied(filters.clause, taken, inside[0])
        ranked = [one for reading in found for one in reading if one.thing.identity == thing.identity]
        return _outranked(filters.clause, taken, leads[0], ranked[0]) if ranked else None


def _selected(clause: Clause, taken: Taken) -> Found:
    words, item = _clause_span(clause), taken.place.field
    note = f"“{words.quote[:60]}” selects record {taken.place.record.position} of {where(taken.text.source.id)}."
    return Found(Grounding.RESOLVE, (words, taken.thing.span(item)), note)


def _failed(filters: Filters, taken: Taken, reason: Reason, now: datetime | None) -> Found:
    """One thing is asked for and others meet the demand: they are the other readings. Else nothing speaks for it."""
    order = filters.clause.order
    found = readings(order, filters.fitting, now) if order and not filters.open else ()
    lead = [one.thing for one in leading(found[0], order.count)] if found and order else list(filters.fitting)
    rivals = _competing(taken, lead) if order else ()
    spans = (reason.words, taken.thing.span(reason.field))
    own = taken.thing.span(taken.place.field)
    if rivals:
        return Found(Grounding.COMPETING, (*spans, own), reason.note, rivals)
    return Found(Grounding.UNGROUNDED, (), reason.note, against=tuple(dict.fromkeys((*spans, own))))


def _tied(clause: Clause, taken: Taken, lead: Reading) -> Found:
    words = _order_span(clause)
    note = f"“{words.quote}” fits {len(lead)} records equally ({lead[0].label}); this is one of them."
    rivals = _competing(taken, [one.thing for one in lead])
    return Found(Grounding.COMPETING, (words, taken.thing.span(taken.place.field)), note, rivals)


def _outranked(clause: Clause, taken: Taken, lead: Reading, own: Ranked) -> Found | None:
    words, by = _order_span(clause), clause.order.by if clause.order else ""
    note = f"“{words.quote}” asks for {by}, {lead[0].label}; this one says {own.label}."
    spans = (words, taken.thing.span(own.field), taken.thing.span(taken.place.field))
    rivals = _competing(taken, [one.thing for one in lead])
    return Found(Grounding.COMPETING, tuple(dict.fromkeys(spans)), note, rivals) if rivals else None


def _competing(taken: Taken, things: Sequence[Thing]) -> tuple[Competing, ...]:
    """The same field of the rightful records."""
    own = taken.place.field
    found = ((thing, item) for thing in things if (item := thing.at(own.key)) and item.text != own.text)
    return tuple(
        Competing(item.text, (thing.span(item),), thing.record.label)
        for thing, item in islice(found, _MOST_NAMED)
        if item.end > item.start
    )


def _clause_span(clause: Clause) -> Span:
    return clause.text.span(clause.start, clause.end)


def _order_span(clause: Clause) -> Span:
    return clause.text.span(clause.order.start, clause.order.end) if clause.order else _clause_span(clause)


def _keys(group: Group) -> frozenset[str]:
    return frozenset(item.key for item in group[0].fields[:_MOST_KEYS])


def _share_most_keys(one: frozenset[str], other: frozenset[str]) -> bool:
    return 2 * len(one & other) >= max(len(one), len(other))
