"""Whether the record a value was taken from is the one the request selects.

"Cancel my next meeting with Kim" selects by name, by the clock and by order. The clauses of the request are held
against every record of the same kind in the tool outputs. What rules cannot check stays undecided.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from reviews.provenance.core.context import SourceId, Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Competing, Found
from reviews.provenance.records.fields import Field
from reviews.provenance.records.index import Indexed, Place
from reviews.provenance.records.records import Group
from reviews.provenance.request.choosing import Choice, choices_in
from reviews.provenance.request.clause_reader import clauses_in
from reviews.provenance.request.clauses import Clause
from reviews.provenance.request.entities import Thing, kind_of
from reviews.provenance.request.filters import Filters, Reason
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.listing import Listing, Records, alike_nouns
from reviews.provenance.request.mentions import References
from reviews.provenance.request.naming import STOP
from reviews.provenance.request.negation import in_denial, is_denied
from reviews.provenance.request.ranking import Ranked, Reading, leading, readings
from reviews.provenance.text.fold import words_of, words_of_name
from reviews.provenance.text.stems import stem
from reviews.provenance.values.identifier import is_identifier

# Records of one kind compared; where there are more, nothing is said about any.
_MOST = 2000
# Records of a list that people describe one of: longer lists are searched by name.
_MOST_DESCRIBED = 200
# Others that are named in a note: a person reads no more.
_SHOWN = 8
# Fields a record needs, at least, for one of them to tell something about another.
_TELLING = 2
# Kinds of records, keys of a record and characters of a name that are compared: more come from tables that say
# nothing about what is selected.
_MOST_KINDS, _MOST_KEYS, _LONGEST_NAME = 64, 64, 200

# Characters before a comparison in which what turns it stands, and what does.
_REACH = 16
_TURNING = re.compile(
    r"\b(?:(?:second|third|fourth|fifth|next|2nd|3rd|4th)(?:[\s-]+(?:to|but))?|(?:before|after)(?:\s+the)?)[\s-]+$"
)
# Words of the names of parameters that tell no kind of thing.
_OF_NO_KIND = frozenset(
    "id ids no nr number code key identifier identification reference value history outcome".split()
)
_NONE: frozenset[Span] = frozenset()


@dataclass(frozen=True)
class Taken:
    """A place that a value may have been taken from."""

    text: Indexed
    place: Place

    @property
    def thing(self) -> Thing:
        """The record there."""
        return Thing(self.text, self.place.record)


# Words that name no kind of record, and choose one of several kinds.
_AMBIGUOUS = Found(Grounding.UNGROUNDED, (), "The request may choose a record of another list.", open=True)


@dataclass(frozen=True)
class Selections:
    """The selections of one request. What it reads of a list it reads once."""

    references: References
    data: tuple[Indexed, ...]
    now: datetime | None
    names: Mapping[SourceId, str]
    """What returned each source: the name of the tool."""
    _listed: dict[tuple[frozenset[str], frozenset[str]], Listing] = field(default_factory=dict, compare=False)
    """The same, for what is described rather than named."""
    _records: dict[frozenset[str], Records] = field(default_factory=dict, compare=False)
    _chosen: dict[tuple[object, ...], tuple[tuple[Indexed, Choice], ...]] = field(default_factory=dict, compare=False)
    _read: dict[tuple[frozenset[str], frozenset[str]], tuple[Filters, ...]] = field(default_factory=dict, compare=False)
    """By the fields and the kind of a list."""

    def judge(self, places: Sequence[Taken], leaf: Leaf | None = None, used: frozenset[Span] = _NONE) -> Found | None:
        """What the request's selections make of a value that stands at these places; None where they say nothing.

        `used` are the stretches of the request that other arguments use.
        """
        described = self._described(places, leaf, used) if leaf else None
        if described is _AMBIGUOUS:
            return None
        return described or self._by_clause(places)

    def _by_clause(self, places: Sequence[Taken]) -> Found | None:
        selected = [(taken, clauses) for taken in places if (clauses := self._clauses(taken))]
        if not selected or any(self._named(taken) for taken in places):
            return None
        found = [self._verdict(filters, taken) for taken, clauses in selected for filters in clauses]
        held = next((one for one in found if one and one.how is Grounding.RESOLVE), None)
        return held if held or None in found else found[0]

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
                if not (clause.order and _another_order(text.folded.text, clause.order.start)):
                    yield Filters(clause, things, self.now)

    def _things(self, keys: frozenset[str]) -> Iterator[Thing]:
        """Every record with mostly the same fields; of one that is told twice the latest."""
        known: set[tuple[str, ...]] = set()
        groups = ((text, group) for text in self.data for group in text.groups if _alike(keys, _keys(group)))
        for text, group in groups:
            for thing in (Thing(text, record) for record in group):
                if thing.identity not in known and len(known) <= _MOST:
                    known.add(thing.identity)
                    yield thing

    def _described(self, places: Sequence[Taken], leaf: Leaf, used: frozenset[Span]) -> Found | None:
        """What the one description that the request gives of a record of this list makes of the value."""
        taken = places[0]
        identities = {each.thing.identity for each in places}
        if len(identities) > 1 or len(taken.place.group) > _MOST_DESCRIBED or not _fits(leaf, taken):
            return None
        listing = self._listing(taken, leaf)
        every = self._choices(listing, used)
        for text, choice in every:
            if choice.left_out and any(thing.identity in identities for thing in choice.picked):
                return _left_out(text, choice, taken)
        choices = [(text, choice) for text, choice in every if not choice.left_out]
        picked = [(text, choice) for text, choice in choices if choice.picked]
        if len({tuple(thing.identity for thing in choice.picked) for _, choice in picked}) != 1:
            return None
        text, choice = picked[0]
        if choice.generic and self._may_mean_another(listing, used):
            return _AMBIGUOUS
        if any(thing.identity in identities for thing in choice.picked):
            return _described(text, choice, taken)
        # Where something else is described that rules cannot read, this may be it.
        open_ = len(picked) < len(choices) or self._named_apart(taken, choice)
        return None if open_ else _another(text, choice, taken)

    def _listing(self, taken: Taken, leaf: Leaf) -> Listing:
        keys = _keys(taken.place.group)
        kind = kind_of(taken.place.group, self.names.get(taken.text.source.id, ""))
        nouns = kind | _nouns(f"{leaf.hint} {taken.place.field.key}")
        if (keys, nouns) not in self._listed:
            document = leaf.tool
            names = document.parameters.get("properties") if document else None
            parameters = " ".join(names) if isinstance(names, Mapping) else ""
            familiar = _nouns(f"{document.name} {document.description} {parameters}") if document else nouns
            self._listed[keys, nouns] = Listing(self._described_things(keys), alike_nouns(nouns), familiar)
        return self._listed[keys, nouns]

    def _described_things(self, keys: frozenset[str]) -> Records:
        """The records with these fields; none of a list that is too long to be described from."""
        if keys not in self._records:
            things = tuple(islice(self._things(keys), _MOST_DESCRIBED + 1))
            self._records[keys] = Records(things if len(things) <= _MOST_DESCRIBED else ())
        return self._records[keys]

    def _choices(self, listing: Listing, used: frozenset[Span]) -> tuple[tuple[Indexed, Choice], ...]:
        """What the descriptions choose, worked out once for all values of a call."""
        key = (listing.nouns, id(listing.records), used)
        if key not in self._chosen:
            self._chosen[key] = tuple(
                (text, choice)
                for text in self.references.texts
                for choice in choices_in(
                    text, listing, [(span.start, span.end) for span in used if span.source == text.source.id]
                )
            )
        return self._chosen[key]

    def _may_mean_another(self, listing: Listing, used: frozenset[Span]) -> bool:
        """Whether words that name no kind of record choose one of another list as well."""
        known = {frozenset(thing.record.keys) for thing in listing.records.things}
        for text in self.data:
            for group in text.groups:
                keys = _keys(group) if len(group) > 1 else frozenset[str]()
                if len(keys) < _TELLING or any(_alike(keys, each) for each in known):
                    continue
                known.add(keys)
                other = Listing(self._described_things(keys), listing.nouns, listing.familiar)
                if any(choice.picked for _, choice in self._choices(other, used)):
                    return True
        return False

    def _named_apart(self, taken: Taken, choice: Choice) -> bool:
        """Whether the user has words for the record of the value that the chosen one has not."""
        mine = self.references.shared(taken.place.group)[taken.place.record.position - 1]
        theirs = frozenset[str]().union(*(held for thing in choice.picked for _, held in thing.words))
        return bool(mine - theirs)

    def _verdict(self, filters: Filters, taken: Taken) -> Found | None:
        thing, order = taken.thing, filters.clause.order
        if reason := filters.failed_by(thing):
            return _failed(filters, taken, reason, self.now)
        if filters.open:
            return None
        if order is None:
            return _held(filters.clause, taken)
        found = readings(order, filters.fitting, self.now)
        leads = [leading(reading, order.count) for reading in found]
        inside = [lead for lead in leads if any(one.thing.identity == thing.identity for one in lead)]
        if any(len(lead) <= order.count for lead in inside):
            return _held(filters.clause, taken)
        if inside:
            return _tied(filters.clause, taken, inside[0])
        ranked = [one for reading in found for one in reading if one.thing.identity == thing.identity]
        return _outranked(filters.clause, taken, leads[0], ranked[0]) if ranked else None


def _another_order(folded: str, start: int) -> bool:
    """Whether what stands before a comparison turns it: "not the last", "second to last", "the second cheapest"."""
    before = folded[max(0, start - _REACH) : start]
    return is_denied(folded, start) or in_denial(folded, start) or _TURNING.search(before) is not None


def _described(text: Indexed, choice: Choice, taken: Taken) -> Found:
    asked = text.span(choice.start, choice.end)
    thing = taken.thing
    telling = thing.at(choice.key)
    spans = (asked, *([thing.span(telling)] if telling else []), thing.span(taken.place.field))
    note = f"“{asked.quote[:60]}” chooses {_called(taken.place.field, thing, choice.key)}."
    return Found(Grounding.RESOLVE, tuple(dict.fromkeys(spans)), note)


def _left_out(text: Indexed, choice: Choice, taken: Taken) -> Found:
    asked, thing = text.span(choice.start, choice.end), taken.thing
    note = f"The user leaves out “{asked.quote[:60]}”, and that is {_called(taken.place.field, thing, choice.key)}."
    return Found(Grounding.UNGROUNDED, (), note, against=(asked, thing.span(taken.place.field)))


def _another(text: Indexed, choice: Choice, taken: Taken) -> Found | None:
    rivals = _competing(taken, choice.picked)
    if not rivals:
        return None
    asked, own, thing = text.span(choice.start, choice.end), taken.place.field, choice.picked[0]
    right = thing.at(own.key)
    if right is None:
        return None
    note = (
        f"“{asked.quote[:60]}” chooses {_called(right, thing, choice.key)}, "
        f"not {_called(own, taken.thing, choice.key)}."
    )
    told = taken.thing.at(choice.key)
    spans = (asked, *([taken.thing.span(told)] if told else []), taken.thing.span(own))
    return Found(Grounding.COMPETING, tuple(dict.fromkeys(spans)), note, rivals)


def _called(item: Field, thing: Thing, key: str) -> str:
    """A value with what tells its record from the others."""
    told = thing.at(key)
    if told is None or told == item:
        return f"“{shortened(item.text, 40)}” (number {thing.record.position} of the list)"
    return f"“{shortened(item.text, 40)}” ({told.name}: {shortened(told.text, 30)})"


def _fits(leaf: Leaf, taken: Taken) -> bool:
    """Whether the parameter is named as the field is, or as the records are; a number may stand there by chance."""
    named = _nouns(leaf.hint)
    if is_identifier(leaf.text):
        return True
    field_named = _nouns(taken.place.field.key)
    # A field that is only called a number says whose by the list it is in.
    return bool(named & field_named) or not (named and field_named)


def _nouns(name: str) -> frozenset[str]:
    """The stems of a name that may be what people call the thing."""
    plain = words_of_name(name)
    return frozenset(stem(word) for word in plain if word not in STOP | _OF_NO_KIND and len(word) > 1)


def _held(clause: Clause, taken: Taken) -> Found:
    asked, item = _asked(clause), taken.place.field
    note = f"“{asked.quote[:60]}” selects record {taken.place.record.position} of {where(taken.text.source.id)}."
    return Found(Grounding.RESOLVE, (asked, taken.thing.span(item)), note)


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
    asked = _order_span(clause)
    note = f"“{asked.quote}” fits {len(lead)} records equally ({lead[0].told}); this is one of them."
    rivals = _competing(taken, [one.thing for one in lead])
    return Found(Grounding.COMPETING, (asked, taken.thing.span(taken.place.field)), note, rivals)


def _outranked(clause: Clause, taken: Taken, lead: Reading, own: Ranked) -> Found | None:
    asked, by = _order_span(clause), clause.order.by if clause.order else ""
    note = f"“{asked.quote}” asks for {by}, {lead[0].told}; this one says {own.told}."
    spans = (asked, taken.thing.span(own.field), taken.thing.span(taken.place.field))
    rivals = _competing(taken, [one.thing for one in lead])
    return Found(Grounding.COMPETING, tuple(dict.fromkeys(spans)), note, rivals) if rivals else None


def _competing(taken: Taken, things: Sequence[Thing]) -> tuple[Competing, ...]:
    """The same field of the rightful records."""
    own = taken.place.field
    found = ((thing, item) for thing in things if (item := thing.at(own.key)) and item.text != own.text)
    return tuple(
        Competing(item.text, (thing.span(item),), thing.record.label)
        for thing, item in islice(found, _SHOWN)
        if item.end > item.start
    )


def _asked(clause: Clause) -> Span:
    return clause.text.span(clause.start, clause.end)


def _order_span(clause: Clause) -> Span:
    return clause.text.span(clause.order.start, clause.order.end) if clause.order else _asked(clause)


def _keys(group: Group) -> frozenset[str]:
    return frozenset(item.key for item in group[0].fields[:_MOST_KEYS])


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    # Of two fields one may be the key that links the records of two lists.
    return 2 * len(one & other) > max(len(one), len(other))
