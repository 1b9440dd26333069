"""A figure before another unit of its parameter's kind says no value of it: 2 hours are no 2 minutes.

The unit of a parameter is what words of its name are: `timeout_minutes`, `weight_kg`. What the figure comes to in that
one is read elsewhere.
"""

import re
from decimal import Decimal
from typing import Final

from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.boundaries import Place
from reviews.provenance.text.names import tokens_of
from reviews.provenance.values.durations import seconds_of_unit
from reviews.provenance.values.measures import unit_of_word
from reviews.provenance.values.numbers import number_of

# The word behind a number: 2 hours, 2-hour, 2시간.
_BEHIND: Final = re.compile(r"[ -]?([^\W\d_]{1,24})")
# Words of names that are units elsewhere.
_LEAST: Final = frozenset({"min"})


def is_in_other_unit(leaf: Leaf, place: Place, text: SourceText) -> bool:
    """Whether the number at this place is the value's, and of another unit of the kind that its parameter counts."""
    number, written = number_of(leaf.value), number_of(text.folded[slice(*place)])
    behind = _BEHIND.match(text.folded, place[1])
    if number is None or behind is None or written not in (None, number):
        return False
    own = {unit for word in tokens_of(leaf.name) if len(word) > 1 and word not in _LEAST for unit in _units_of(word)}
    said = _units_of(behind[1])
    return not {kind for kind, _ in own}.isdisjoint(kind for kind, _ in said) and own.isdisjoint(said)


def _units_of(word: str) -> frozenset[tuple[str, Decimal]]:
    """The kind of each unit that a folded word is, and what it comes to."""
    measure = unit_of_word(word)
    times = frozenset(("time", seconds) for seconds in seconds_of_unit(word))
    return times | {(measure.kind, measure.factor)} if measure else times
