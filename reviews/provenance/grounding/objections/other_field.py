"""Another field of the same record fits the parameter, or what the user says, better than the one the value is from."""

import re
from collections.abc import Iterator

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.results import Competing, Found
from reviews.provenance.language.base import languages_of
from reviews.provenance.records.collections import Place
from reviews.provenance.records.tree import ANY, Pattern
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.stems import stem
from reviews.provenance.values.moment import MONTHS, WEEKDAYS, moment_of
from reviews.provenance.values.number import number_of

# Fields of a record that are compared: a longer one is a map.
_MOST = 64
# Arguments of the call that may be from one record with this one.
_MOST_ARGUMENTS = 64
# Columns of a calendar are headed by the first letters of its days.
_CALENDAR = {word[:3]: stem(word) for word in (*MONTHS, *WEEKDAYS)}
# A word of two parts.
_JOINED = re.compile(r"(?<![\w-])([^\W\d_]+)-([^\W\d_]+)(?![\w-])")
# Keys of a path that say what a field is: its own, and that of the part it lies in.
_TELLING = 2
# What it counts that a field has every word of the parameter's name, beside each word that the user says of it.
_NAMED = 2


def other_field(call: Call, leaf: Leaf, place: Place, evidence: Evidence, budget: Budget) -> Found | None:
    """The field that is meant instead; an open answer where several fit alike and nothing tells which is meant.

    A field that another argument of the call is from, as the manager whom something goes to, is meant for that one.
    """
    parameter = frozenset(map(stem, tokens_of(leaf.name)))
    own = _words_of_path(place.pattern)
    if not parameter:
        return None
    spoken = _words_said(evidence)
    # What the list is of, such as "customers", is said of each record and of none of its fields.
    said = spoken - parameter - frozenset(map(stem, tokens_of(place.document.tool)))
    fields = {place.scalar: _fit(place.pattern, parameter, said)}
    # What the user says of the record is what it is known by.
    taken = {other.folded for other in call.leaves[:_MOST_ARGUMENTS] if other is not leaf}
    fields_alike = (
        other
        for other in _alike(place, budget)
        if not said.issuperset(map(stem, words_of(other.value))) and other.value not in taken
    )
    others = {other: other.document.pattern(other.scalar) for other in fields_alike}
    # A field that is named like the parameter is meant, unless another part of the record has one of that name.
    named = parameter == frozenset(map(stem, words_of(_last(place.pattern))))
    if named and not any(_last(pattern) == _last(place.pattern) for pattern in others.values()):
        return None
    fields |= {other.scalar: _fit(pattern, parameter, said) for other, pattern in others.items()}
    best = max(fields.values())
    leading = [other for other in others if fields[other.scalar] == best]
    called = _words_of_path(others[leading[0]]) if len(leading) == 1 else frozenset()
    # The parameter's own word tells its field from another one: "the width of the shelf" is not its height.
    if fields[place.scalar] < best and (said & called or parameter & spoken & called - own):
        rival, name = leading[0], _last(others[leading[0]])
        quote = shortened(rival.span.quote, 40)
        note = f"The user speaks of “{shortened(name, 40)}”, which is “{quote}”; this is “{_last(place.pattern)[:40]}”."
        return Found(Grounding.COMPETING, (place.span,), note, (Competing(rival.span.quote, (rival.span,), name),))
    undecided = leading and not said & own and best >= _NAMED
    note = f"“{_last(place.pattern)[:40]}” is one of several fields of the record that this may be."
    return Found(Grounding.COPY, (place.span,), note, open=True) if undecided else None


def _fit(pattern: Pattern, parameter: frozenset[str], said: frozenset[str]) -> int:
    path, last = _words_of_path(pattern), frozenset(map(stem, tokens_of(_last(pattern))))
    # Of "visits" the "id" or the "visit_id" is a visit's: that the "keeper_id" stands there, too, makes it none.
    is_own = path == parameter or parameter <= last
    return (_NAMED + is_own) * (parameter <= path) + len(said & path - parameter)


def _words_said(evidence: Evidence) -> frozenset[str]:
    """The stems of the user's last message without words that only join others."""
    for text in evidence.spoken[:1]:
        empty = frozenset[str]().union(*(each.function | each.small for each in languages_of(text.folded.text)))
        # "The check-in of Lena's flight" is the field "checkin".
        joined = [one + other for one, other in _JOINED.findall(text.folded.text)]
        words = (*words_of(text.folded.text), *joined)
        # "The person who reported it" is its reporter.
        doers = (f"{word[:-1]}r" for word in words if word.endswith("ed"))
        return frozenset(stem(word) for word in (*words, *doers) if word not in empty)
    return frozenset()


def _alike(place: Place, budget: Budget) -> Iterator[Place]:
    """The other fields of the record whose values are of the same kind, and are not the same."""
    tree, kind = place.document.tree, _kind(place.span.quote)
    record = tree.records[place.scalar]
    first = place.scalar
    while first and tree.records[first - 1] == record and place.scalar - first < _MOST:
        first -= 1
    for scalar in range(first, min(first + 2 * _MOST, len(tree.records))):
        budget.spend()
        if tree.records[scalar] != record:
            break
        other = Place(place.document, scalar)
        differs = tree.patterns[scalar] != tree.patterns[place.scalar] and other.value != place.value
        if differs and _kind(other.span.quote) == kind:
            yield other


def _kind(text: str) -> str:
    """How a value is written: a number, a time, an address, figures in some places, or words."""
    if number_of(text) is not None:
        return "number"
    if moment_of(text):
        return "time"
    if "@" in text:
        return "address"
    code = any(map(str.isdigit, text)) and " " not in text
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", fold(text))) if code else "words"


def _words_of_path(pattern: Pattern) -> frozenset[str]:
    keys = [key for key in pattern if key != ANY][-_TELLING:]
    return frozenset(_CALENDAR.get(word) or stem(word) for key in keys for word in tokens_of(key))


def _last(pattern: Pattern) -> str:
    return next((key for key in reversed(pattern) if key != ANY), "")
