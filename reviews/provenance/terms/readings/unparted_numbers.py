"""Numbers with their scale or unit where a script does not part words: 500万 of 投资500万美金, 2小时 of 预订2小时."""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import Final

from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.boundaries import UNPARTED, Place
from reviews.provenance.values.durations import durations_in, seconds_of
from reviews.provenance.values.measures import is_converted, measures_in
from reviews.provenance.values.numbers import number_of, numbers_in

# Figures, behind which such a sign stands.
_FIGURES: Final = re.compile(rf"(?<![0-9.,:/-])[0-9]+(?:[.,][0-9]+)?(?={UNPARTED.pattern})")
# Signs of the longest scale or unit: 万亿, ミリリットル.
_MAX_UNIT: Final = 6
# Numbers of a text that are looked at, and what it takes to read one with each of these lengths.
_MAX_PLACES: Final = 32
_STEPS_A_PLACE: Final = 64


def find_unparted(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """The places at which figures say the value with as many of the signs behind them as are read."""
    number = number_of(leaf.value)
    lengths = seconds_of(leaf.text, leaf.name)
    if number is None and not lengths:
        return
    for hit in islice(_FIGURES.finditer(text.folded), _MAX_PLACES):
        text.budget.spend(_STEPS_A_PLACE)
        for end in range(min(hit.end() + _MAX_UNIT, len(text.folded)), hit.end(), -1):
            stretch = text.folded[hit.start() : end]
            if says := _says(stretch, Decimal(hit[0].replace(",", "")), number, lengths):
                yield hit.start(), end
            if says is not None:
                break


def _says(stretch: str, figures: Decimal, number: Decimal | None, lengths: tuple[Decimal, ...]) -> bool | None:
    """Whether a whole stretch reads as the number or the length of time; None where it reads as nothing."""
    whole = 0, len(stretch)
    if scaled := [reading.value for reading in numbers_in(stretch) if reading.place == whole]:
        return number in scaled
    if timed := [length.value for length in durations_in(stretch) if length.place == whole]:
        return not set(lengths).isdisjoint(timed)
    units = [measure.value for measure in measures_in(stretch)]
    return any(is_converted(figures, unit, number) for unit in units if number is not None) if units else None
