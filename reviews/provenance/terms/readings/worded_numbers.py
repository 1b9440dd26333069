"""What whole words say without a figure: an hour and a half, one gram, nobody but me, half of them. Never a proof.

Languages say one, none, a half and a double by words of which there is no list. A judge names them, and code holds
against them what it can: that no figure says otherwise, that the unit of a length stands there, and that the value is
one that is said so.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Final

from reviews.provenance.core.context import Span
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.boundaries import Occurrence, blank_places
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import tokens_of
from reviews.provenance.values.durations import durations_in, seconds_of, seconds_of_units_in
from reviews.provenance.values.locales import quoted_scales
from reviews.provenance.values.measures import is_converted, unit_named_in
from reviews.provenance.values.numbers import number_of, numbers_in
from reviews.provenance.values.numerals import lone_numerals_in, written_numerals_in

MAX_WORDS: Final = 40
"""Characters of words that say a value: a sentence says more."""
# How much of a unit is told by words alone: up to two of it, and two and a half; of a minute one, or a half.
_PARTS: Final = tuple(Decimal(quarters) / 4 for quarters in (1, 2, 3, 4, 5, 6, 7, 8, 10))
_QUARTERS: Final = _PARTS[:3]
_PARTS_OF_MINUTE: Final = (Decimal("0.5"), Decimal(1))
_MINUTE: Final = 60
# Names of parameters that count something of which there may be one or none.
_COUNTS: Final = frozenset(
    "quantity qty count guests guest passengers adults children kids infants people persons party bags luggage seats "
    "tickets copies packs units items nights rooms participants times".split()
)
# A number beside other words may count dozens.
_DOZEN: Final = 12
# Letters of a short numeral that elsewhere is another word: to, on, um.
_SHORT: Final = 2
_WORD: Final = re.compile(r"[^\W\d_]+")
# The parts and multiples that are told by words alone.
_RATIOS: Final = frozenset({Fraction(parts, 12) for parts in (3, 4, 6, 8, 9, 24, 36)})


def may_mean_number(leaf: Leaf, quote: str) -> bool:
    """Whether words may mean this length of time or measure, or without a figure one of something, or none."""
    if not quoted_lengths_in(quote).isdisjoint(seconds_of(leaf.text, leaf.name)) or _is_measured(leaf, quote):
        return True
    number = number_of(leaf.value)
    if number is None or isinstance(leaf.value, str) or not _has_words_alone(quote):
        return False
    folded = fold(quote)
    read = _numerals_in(folded)
    if _is_part_of_scale(number, folded, read):
        return True
    if _COUNTS.isdisjoint(tokens_of(leaf.name)):
        return False
    if not read:
        return number in (0, 1)
    # What is counted says nothing of dozens: two people.
    beside = set(tokens_of(blank_places(folded, [number.place for number in read])))
    return {number.value for number in read} == {number / _DOZEN} and not beside <= _COUNTS


def _numerals_in(folded: str) -> Sequence[Occurrence[Decimal]]:
    """The numbers that words say in any language, but for one, which elsewhere is an article."""
    worded = (*lone_numerals_in(folded), *written_numerals_in(folded))
    telling = (word for word in worded if word.end - word.start > _SHORT or not folded.isascii())
    return [*numbers_in(folded), *(word for word in telling if word.value != 1)]


def _is_part_of_scale(number: Decimal, folded: str, read: Sequence[Occurrence[Decimal]]) -> bool:
    """Whether words name a scale and no other number, of which this is some quarters: полторы тысячи, ढाई लाख."""
    scales = filter(None, map(quoted_scales().get, _WORD.findall(folded)))
    numbers = {numeral.value for numeral in read}
    return any(number.scaleb(-scale) in _PARTS and numbers <= {Decimal(10) ** scale} for scale in scales)


def quoted_lengths_in(quote: str) -> frozenset[Decimal]:
    """The lengths, in seconds, that words may mean that name a unit of any language: so many of it as they say.

    Without a number they may mean one, or a part or a few quarters of it. What code reads by itself is no such length.
    """
    folded = fold(quote[:MAX_WORDS])
    numerals = {numeral.value for numeral in written_numerals_in(folded)}
    units = seconds_of_units_in(folded, days=bool(numerals)) if len(quote) <= MAX_WORDS else ()
    numbers = {number.value for number in numbers_in(folded)} if units else set()
    if not units or any(durations_in(folded)) or len(numbers) > 1 or (not numbers and not _has_words_alone(quote)):
        return frozenset()
    counts = {unit: _PARTS if unit > _MINUTE else _PARTS_OF_MINUTE for unit in units}
    return frozenset(
        unit * count for unit, parts in counts.items() for count in numbers or {*_counts_told(folded, parts), *numerals}
    )


def _counts_told(folded: str, parts: Sequence[Decimal]) -> Sequence[Decimal]:
    """How many of a unit words may say: what a numeral says, and beside more words some quarters; else a part."""
    numerals = _numerals_in(folded)
    beside = _WORD.findall(blank_places(folded, [numeral.place for numeral in numerals]))
    more = _QUARTERS if len(beside) > 1 else ()
    numbers = (numeral.value for numeral in numerals)
    counts = ((number, *(number + part for part in more), *([number / 4] if more else ())) for number in numbers)
    return list(chain.from_iterable(counts)) or parts


def _is_measured(leaf: Leaf, quote: str) -> bool:
    """Whether words that name a unit may mean this number, in it or in another of its kind: half a litre for 500."""
    number, folded = number_of(leaf.value), fold(quote[:MAX_WORDS])
    unit = unit_named_in(folded) if number is not None and _has_words_alone(quote) else None
    if number is None or unit is None:
        return False
    return any(number == count or is_converted(count, unit, number) for count in _counts_told(folded, _PARTS))


def ratios_in(words: str) -> frozenset[Fraction]:
    """The shares and multiples that words may tell without a figure: half, double, in any language."""
    return _RATIOS if _has_words_alone(words) and not any(numbers_in(fold(words))) else frozenset()


def is_counted(text: str, span: Span) -> bool:
    """Whether a number stands right beside these words of a text: without it they say something else."""
    before = fold(text[max(0, span.start - MAX_WORDS) : span.start]).rstrip(" -")
    behind = fold(text[span.end : span.end + MAX_WORDS]).lstrip(" -")
    ends = {number.end for number in numbers_in(before)} if before else set()
    return before[-1:].isdigit() or behind[:1].isdigit() or len(before) in ends


def _has_words_alone(quote: str) -> bool:
    return len(quote) <= MAX_WORDS and any(map(str.isalpha, quote)) and not any(map(str.isdigit, quote))
