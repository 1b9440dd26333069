"""A value that records hold under the name of another argument of the call, and nowhere under its own."""

from collections.abc import Iterator, Sequence

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.collections import Collections, Place
from reviews.provenance.records.tree import ANY
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.values.number import number_of

# Arguments that are compared: longer calls are lists of records, whose items share one name.
_MOST_ARGUMENTS = 24

Name = tuple[str, ...]


def misplaced(leaves: Sequence[Leaf], collections: Collections, budget: Budget) -> Iterator[tuple[Leaf, Found]]:
    """Each argument whose value is, by every record that holds it, what another parameter of the call asks for.

    The record must have a field of the argument's own name, too: only then is the value known to be something else.
    Numbers and options are left out: the same one may well be two things.
    """
    named = {tokens_of(leaf.name) for leaf in leaves}
    words = [leaf for leaf in leaves if leaf.text and not leaf.choices and number_of(leaf.value) is None]
    if not 1 < len(named) <= _MOST_ARGUMENTS:
        return
    for leaf in words:
        budget.spend()
        own = tokens_of(leaf.name)
        places = [place for place in collections.places(leaf.folded) if not place.echoed]
        keys = ((place, next((key for key in reversed(place.pattern) if key != ANY), "")) for place in places)
        named_places = [(place, name) for place, key in keys if (name := tokens_of(key))]
        elsewhere = [(place, name) for place, name in named_places if name in named and name != own]
        if not elsewhere or len(elsewhere) < len(named_places) or any(set(own) & set(name) for _, name in named_places):
            continue
        place, name = elsewhere[0]
        if own in _fields_beside(place):
            source, value = where(place.document.text.source.id), shortened(leaf.text, 40)
            note = f"“{value}” is the {' '.join(name)} in {source}, not the {' '.join(own)}."
            yield leaf, Found(Grounding.UNGROUNDED, (), note, nearest=place.span, against=(place.span,))


def _fields_beside(place: Place) -> frozenset[Name]:
    """The names of the fields of the record that the place is a field of."""
    parent = place.pattern[:-1]
    patterns = (pattern for pattern in place.document.by_pattern if pattern[:-1] == parent and pattern != place.pattern)
    return frozenset(tokens_of(pattern[-1]) for pattern in patterns)
