"""What a clause of the request demands of each thing it selects, and how a thing fails it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from reviews.provenance.core.context import Span
from reviews.provenance.records.fields import Field
from reviews.provenance.request.clauses import Clause, Demand, Phrase, Trait
from reviews.provenance.request.entities import Thing, When, date_label
from reviews.provenance.request.superlatives import By

# Characters before a word in which the verb that governs it stands.
_REACH = 40
# Verbs that act on something that is there: what they name selects.
_CHANGING = re.compile(
    r"\b(?:cancel|delete|remove|move|reschedule|postpone|push|delay|rename|attend|join|remind|decline)"
)


@dataclass(frozen=True)
class Reason:
    """Why a thing is not what a clause selects."""

    words: Span
    """What the user said."""
    field: Field
    """What the thing says instead."""
    note: str


@dataclass(frozen=True)
class _Term:
    phrase: Phrase
    keys: frozenset[str]
    """The fields in which things of this kind hold the phrase."""


@dataclass(frozen=True)
class Filters:
    """One clause, held against the things it may select."""

    clause: Clause
    things: tuple[Thing, ...]
    now: datetime | None

    @cached_property
    def fitting(self) -> tuple[Thing, ...]:
        """The things that meet every demand."""
        return tuple(thing for thing in self.things if self.failed_by(thing) is None)

    @cached_property
    def open(self) -> bool:
        """Whether the clause demands something that rules cannot check."""
        needs_clock = self.now is None and any(demand.trait not in (None, Trait.OPEN) for demand in self.clause.demands)
        return self.clause.open or needs_clock or any(not term.keys and not term.phrase.owner for term in self._terms)

    def failed_by(self, thing: Thing) -> Reason | None:
        """The first demand that the thing does not meet."""
        return next(self._failures(thing), None)

    def _failures(self, thing: Thing) -> Iterator[Reason]:
        for demand in self.clause.demands:
            note_field = self._by_day(demand, thing) if demand.days else self._by_trait(demand, thing)
            if note_field:
                yield Reason(self._span(demand), note_field[1], note_field[0])
        for term in self._terms:
            if (item := self._lacks(term, thing)) is not None:
                name = item.name[:40] or "value"
                words = self._span(term.phrase)
                note = f"The request asks for “{words.quote[:60]}”; this one's {name} is {item.text[:60] or 'empty'}."
                yield Reason(words, item, note)

    def _by_trait(self, demand: Demand, thing: Thing) -> tuple[str, Field] | None:
        word, when = f"“{self._span(demand).quote[:40]}”", thing.when
        if demand.trait in (Trait.OVERDUE, Trait.OPEN) and thing.done:
            return f"{word} leaves out what is done; this one is {thing.done.text[:40]}.", thing.done
        if self.now is None or demand.trait is Trait.OPEN:
            return None
        if demand.trait is Trait.OVERDUE:
            due = thing.due or (when if len(thing.dated) == 1 else None)
            late = due is None or due.before(self.now)
            note = f"{word} asks for what was due before {date_label(self.now.date())}; this one is due on {due}."
            return None if late or due is None else (note, due.field)
        if when is None or when.before(self.now) is (demand.trait is Trait.PAST):
            return None
        what = "the earliest after" if self.clause.order and self.clause.order.by is By.NEXT else "what is after"
        what = "what was before" if demand.trait is Trait.PAST else what
        verb = "is" if demand.trait is Trait.PAST else "was"
        return f"{word} asks for {what} {date_label(self.now.date())}; this one {verb} on {when}.", when.field

    def _by_day(self, demand: Demand, thing: Thing) -> tuple[str, Field] | None:
        when = thing.when or next(iter(thing.dated), None)
        if when is None:
            return None
        if any(each.day in demand.days for each in thing.dated):
            return self._passed(demand, thing, when)
        return f"The request asks for “{self._span(demand).quote[:40]}”; this one is on {when}.", when.field

    def _passed(self, demand: Demand, thing: Thing, when: When) -> tuple[str, Field] | None:
        """What is over can hardly be cancelled or moved, where the same words name a day to come."""
        ahead = [day for day in demand.days if self.now and day >= self.now.date()]
        before = self.clause.text.folded.text[max(0, self.clause.start - _REACH) : self.clause.start]
        if not (ahead and thing.begins and self.now and when.before(self.now) and _CHANGING.search(before)):
            return None
        return f"“{self._span(demand).quote}” may be {date_label(min(ahead))}; this one was over on {when}.", when.field

    def _lacks(self, term: _Term, thing: Thing) -> Field | None:
        """The field that should hold the phrase and does not."""
        # Phrases that speak of the same field stand for one another: "either qualified or in proposal".
        for words in (each.phrase.words for each in self._terms if each is term or each.keys & term.keys):
            if any(words <= field_words for _, field_words in thing.words) or words <= thing.prose:
                return None
        if not term.keys:
            return thing.person if term.phrase.owner else None
        return next((item for key in sorted(term.keys) if (item := thing.at(key))), None)

    @cached_property
    def _terms(self) -> tuple[_Term, ...]:
        return tuple(term for phrase in self.clause.phrases for term in self._split(phrase))

    def _split(self, phrase: Phrase) -> Iterator[_Term]:
        """The phrase, or its words one by one where no field holds it as a whole."""
        keys = _keys(phrase.words, self.things)
        if keys or len(phrase.words) == 1:
            yield _Term(phrase, keys)
            return
        for word in sorted(phrase.words):
            alone = Phrase(phrase.start, phrase.end, frozenset({word}))
            yield _Term(alone, _keys(alone.words, self.things))

    def _span(self, part: Demand | Phrase) -> Span:
        return self.clause.text.span(part.start, part.end)


def _keys(words: frozenset[str], things: Sequence[Thing]) -> frozenset[str]:
    return frozenset(key for thing in things for key, field_words in thing.words if words <= field_words)
