"""What "the other one" stands for: of the records that are left, the one that the user does not name."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.decide import Why
from reviews.provenance.grounding.evidence import Evidence, asked_with
from reviews.provenance.grounding.results import Found
from reviews.provenance.language.base import either, languages_of, phrases
from reviews.provenance.records.index import Indexed, Place
from reviews.provenance.records.records import Group, Record
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.naming import STOP
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.stems import stem

# Records of a list in which one is the other: of more, nobody says so.
_MOST_RECORDS = 12
# Lists that are looked at.
_MOST_LISTS = 100
# Characters of a message that are read.
_READ = 8_000
# Characters of a field that names something.
_LONGEST = 80

WHY = Why.DENIED


def against(leaf: Leaf, evidence: Evidence, budget: Budget) -> Found | None:
    """The value as one of the record that the user does name, where the other one is asked for."""
    budget.spend()
    for asking, place, meant in _asked_for(leaf, evidence):
        if place.record is not meant:
            note = f"The user asks for “{asking.quote}”, which is {shortened(meant.label, 60)}."
            return Found(Grounding.UNGROUNDED, (), note, against=(asking,))
    return None


def the_other(leaf: Leaf, evidence: Evidence) -> Found | None:
    """The value as a field of the one record that is left."""
    for asking, place, meant in _asked_for(leaf, evidence):
        if place.record is meant:
            source = next(text for text in evidence.data if place in text.places(leaf.folded))
            span = source.raw_span(place.field.start, place.field.end)
            return Found(Grounding.RESOLVE, (asking, span), f"“{asking.quote}” is the one that is not named.")
    return None


def _asked_for(leaf: Leaf, evidence: Evidence) -> Iterator[tuple[Span, Place, Record]]:
    """Where the last message asks for the other one, each place of the value, and the record that is meant there."""
    text = evidence.spoken[0] if evidence.spoken and leaf.text else None
    asking = _asking(text) if text else None
    if text is None or asking is None:
        return
    used = frozenset(value for step in evidence.steps.values() for value in asked_with(step))
    groups = islice((group for source in evidence.data for group in source.groups), _MOST_LISTS)
    pairs = []
    for group in groups:
        # For each value anew: a call of thousands of values must not look at every list for each of them unbounded.
        evidence.budget.spend()
        pairs += [pair] if (pair := _pair(group, text, used)) else []
    # "Helena is ill, send the other one to Mrs Beck" is of fitters, whatever else there are two of.
    pairs = [pair for pair in pairs if pair.at < asking.start] if len(pairs) > 1 else pairs
    for source in evidence.data if len(pairs) == 1 else ():
        places = source.places(leaf.folded)[:_MOST_RECORDS]
        yield from ((asking, place, pairs[0].other) for place in places if place.group is pairs[0].group)


def _asking(text: Indexed) -> Span | None:
    folded = text.folded.text[:_READ]
    for language in languages_of(folded):
        pattern = phrases(language.others) if language.spaced else re.compile(either(language.others))
        if hit := pattern.search(folded):
            return text.span(*hit.span())
    return None


class _Pair(NamedTuple):
    """A list of which the user names one record."""

    group: Group
    other: Record
    """The one record like it that is not named."""
    at: int
    """Where the named one stands in the message; -1 where an earlier call used it."""


def _pair(group: Group, text: Indexed, used: frozenset[str]) -> _Pair | None:
    """None where none or several are named, or left."""
    if not 1 < len(group) <= _MOST_RECORDS:
        return None
    spoken = {stem(word): n for n, word in reversed(list(enumerate(words_of(text.source.text[:_READ]))))}
    naming = [_words_of(record) & spoken.keys() - STOP for record in group]
    own = [words.difference(*(other for m, other in enumerate(naming) if m != n)) for n, words in enumerate(naming)]
    named = [n for n, words in enumerate(own) if words]
    by_words = bool(named)
    named = named or [n for n, record in enumerate(group) if used & {fold(text).strip() for text in record.texts}]
    if len(named) != 1:
        return None
    # "The other booking of Ana" is one of hers.
    shared = naming[named[0]] - own[named[0]]
    rest = [record for n, record in enumerate(group) if n not in named and shared <= naming[n]]
    at = text.source.text.lower().find(min(own[named[0]], key=lambda word: spoken[word])) if by_words else -1
    return _Pair(group, rest[0], at) if len(rest) == 1 else None


def _words_of(record: Record) -> frozenset[str]:
    return frozenset(stem(word) for text in record.texts if len(text) <= _LONGEST for word in words_of(text))
