"""Whether words of a message are written as a value is, so that they may be said in its place."""

import re
from datetime import time

from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.words import ARTICLES, PREPOSITIONS, counts_anything
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import NAMING
from reviews.provenance.text.boundaries import Place, overlaps
from reviews.provenance.text.fold import fold, unescape, words_of
from reviews.provenance.text.names import tokens_of
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.dates import Moment
from reviews.provenance.values.locales import percent_signs
from reviews.provenance.values.measures import is_measure
from reviews.provenance.values.moments import moment_of

# A day in figures, with or without its year, or a fraction: either is no code but where codes have such a sign.
_DAY = re.compile(r"\d{1,2}([/.])\d{1,2}(?:\1\d{2,4})?")
# What makes of a figure no count: the "th" of a day, the "h" of an hour.
_ENDING = re.compile("[a-z]")
# How much longer a text may be that is said in place of another: a quoted sentence is no name. Short values count as so
# many characters: "EU" may be said as "Europe".
_MAX_TIMES_LONGER, _MIN_LENGTH = 4, 6
# A file's name has an ending, and no folder's or person's has.
_FILE = re.compile(r"\w\.[a-z][a-z0-9]{0,4}$")
# What was measured: nobody says whole figures in the place of a coordinate.
_MEASURED = re.compile(r"[-+]?\d+[.,]\d{4,}")
# Characters in which the word before or behind a value stands.
_MAX_WORD = 40


def is_of_shape(place: Place, leaf: Leaf, text: SourceText) -> bool:
    """Whether one may stand for the other: an address is no other path, a time of day no day, a code no word."""
    kind, word = kind_of(leaf), text.folded[slice(*place)]
    if kind is Kind.NUMBER:
        # Size 9 is no order 1001.
        is_identifier = isinstance(leaf.value, str) and not NAMING.isdisjoint(tokens_of(leaf.name)[-1:])
        is_other = is_identifier and len(word) != len(leaf.text)
        return _is_count(place, leaf, text) and not (is_other or (word.isdigit() and _MEASURED.fullmatch(leaf.text)))
    if kind is Kind.MOMENT:
        day, clock = moment_of(leaf.value) or (None, None)
        clocks = clocks_at(place, text)
        days = days_at(place, text)
        # The same day, said otherwise, is nothing else.
        is_other_day = bool(day and days) and not any(day and moment.on(day) for moment in days)
        return is_other_day or (bool(clock and clocks) and clock not in clocks)
    if kind is Kind.CODE and _DAY.fullmatch(word) and not {"/", "."}.intersection(leaf.folded):
        return False
    is_text = kind in (Kind.CODE, Kind.TEXT)
    if is_text and (len(word) > _MAX_TIMES_LONGER * max(_MIN_LENGTH, len(leaf.text)) or _is_within(word, leaf)):
        return False
    is_file = is_text and " " not in word and _is_file(word) != _is_file(leaf.folded)
    if (is_file and _stem(word) != _stem(leaf.folded)) or (kind is Kind.TEXT and _is_other_code(place, leaf, text)):
        return False
    return ("@" in word) == ("@" in leaf.text) and not (is_text and (" " in word) != (" " in leaf.text))


def _is_other_code(place: Place, leaf: Leaf, text: SourceText) -> bool:
    """Whether a code stands there that has no word of the value."""
    span = text.span(*place)
    return kind_of(Leaf(span.quote)) is Kind.CODE and set(leaf.words).isdisjoint(words_of(fold(span.quote)))


def clocks_at(place: Place, text: SourceText) -> list[time]:
    """The times of day that are said in a place, alone or with their day. Raises `OutOfBudgetError`."""
    text.budget.spend(1 + len(text.moments))
    return [moment.clock for moment in text.moments if moment.clock and place in (moment.clock_place, moment.place)]


def days_at(place: Place, text: SourceText) -> list[Moment]:
    """The days that are said in a place, alone or with their time of day. Raises `OutOfBudgetError`."""
    text.budget.spend(1 + len(text.moments))
    return [moment for moment in text.moments if moment.day and place in (moment.day_place, moment.place)]


def _are_people(place: Place, text: SourceText) -> bool:
    """Whether a number stands for those whom an article and a preposition make of it: "the four of us"."""
    start, end = place
    before, behind = (words_in(part) for part in (text.folded[max(0, start - _MAX_WORD) : start],
                                                  text.folded[end : end + _MAX_WORD]))  # fmt: skip
    return bool(before and behind) and before[-1] in ARTICLES and behind[0] in PREPOSITIONS


def _is_within(word: str, leaf: Leaf) -> bool:
    """Whether the value has these words in a row, be they typed with escapes: then nothing else is said."""
    return f" {' '.join(words_of(unescape(word)))} " in f" {' '.join(leaf.words)} "


def _is_file(word: str) -> bool:
    return _FILE.search(word) is not None


def _stem(word: str) -> str:
    return word.partition(".")[0]


def _is_count(place: Place, leaf: Leaf, text: SourceText) -> bool:
    """Whether figures may be a number: the 5 of "the 5th", the 20 of "20:30" and the 23 of "111 23" count nothing.

    Nor are the 250 of "250 g" a quantity, whatever has that weight, or the 2 of "2% milk", and "the four of us" are
    people.
    """
    start, end = place
    beside = text.folded[max(0, start - 2) : start], text.folded[end : end + 2]
    is_group = any(part.strip().isdigit() and len(part) > 1 for part in beside)
    is_share = text.folded.startswith(percent_signs(), end) or text.folded.endswith(percent_signs(), start, end)
    is_weight = counts_anything(leaf.name) and (is_share or is_measure(text.folded, start, end))
    is_other = _ENDING.match(text.folded, end) is not None or is_group or is_weight or _are_people(place, text)
    return not is_other and not overlaps([moment.place for moment in text.moments], *place)
