"""Values against signs of a script without spaces, or beside a sign that multiplies: 1200x630, 2.5時間."""

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.readings.conversions import MAX_PLACES
from reviews.provenance.text.boundaries import UNPARTED, Place, overlaps
from reviews.provenance.values.numbers import number_of

# Signs of scripts whose words are not set apart, or that grow by what is written behind them: Thai to Khmer, kana,
# Chinese characters, Hangul by its letters, as folding leaves it.
_UNPARTED: Final = re.compile(rf"[\u1100-\u11ff]|{UNPARTED.pattern}")
# Letters of Hangul that end a syllable, which begins before them.
_WITHIN_SYLLABLE: Final = re.compile(r"[\u1160-\u11ff]")
# A sign that multiplies, between two figures: also the letter that Cyrillic keyboards have in its place.
_TIMES_BEFORE: Final = re.compile(r"[0-9][x\u0445×*]")
_TIMES_BEHIND: Final = re.compile(r"[x\u0445×*][0-9]")
# What makes two stretches one word, number, address or path.
_GLUED_BEFORE: Final = re.compile(r"(?:\w|\w[.,:/@+-])$")
_GLUED_BEHIND: Final = re.compile(r"\w|[.,:/@+-]\w")
# To make the pattern of a value, or to look at one of its places.
_STEPS_A_PLACE: Final = 16


def find_joined(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """A value against signs of a script without spaces; a number also beside one that multiplies: 1200x630, 2.5時間."""
    number = number_of(leaf.value)
    beside = (_TIMES_BEFORE, _TIMES_BEHIND) if number is not None else ()
    # The figures of 3万 say no 3.
    read = () if number is None else tuple(chain.from_iterable(text.numbers.values()))
    text.budget.spend(1 + len(read))
    for hit in islice(re.finditer(re.escape(leaf.folded), text.folded), MAX_PLACES):
        text.budget.spend(_STEPS_A_PLACE)
        if _has_edges(text.folded, *hit.span(), beside=beside) and not overlaps(read, *hit.span()):
            yield hit.span()


def _has_edges(text: str, start: int, end: int, *, beside: tuple[re.Pattern[str], ...]) -> bool:
    """Whether words may end at both places, and at one of them only to whoever reads them."""
    before, behind = text[max(0, start - 2) : start], text[end : end + 2]
    is_read_before = _parts_words(text, start) or bool(beside and beside[0].fullmatch(before))
    is_read_behind = _parts_words(text, end) or bool(beside and beside[1].fullmatch(behind))
    return (
        (is_read_before or is_read_behind)
        and (is_read_before or not _GLUED_BEFORE.search(before))
        and (is_read_behind or not _GLUED_BEHIND.match(behind))
    )


def _parts_words(text: str, at: int) -> bool:
    """Whether a word may end before this character in a script that does not part them."""
    pair = text[max(at - 1, 0) : at + 1]
    is_inside = 0 < at < len(text) and all(sign.isalnum() for sign in pair)
    return is_inside and _UNPARTED.search(pair) is not None and not _WITHIN_SYLLABLE.match(pair, 1)
