"""Hours of a dial in words, as many languages tell them: пять вечера, o piątej, الخامسة. What judges quote is read so.

The numerals are those that libraries read or write, and the ordinals those that `num2words` writes, with what languages
set before them, behind them or in place of their last letters.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import chain
from typing import Final

from num2words import CONVERTER_CLASSES, num2words

from reviews.provenance.text.boundaries import UNPARTED, overlaps
from reviews.provenance.text.fold import fold
from reviews.provenance.values.found import Found
from reviews.provenance.values.numerals import lone_numerals_in, written_numerals_in

_HOURS: Final = range(1, 13)
_WORD: Final = re.compile(r"[^\W\d_]+")
# Letters of an ordinal that are no other word's, and of its end that changes: седьмой, седьмого.
_MIN_LETTERS: Final = 4
_ENDING: Final = 2
# Letters that an hour's numeral has at least, and at most behind it: nyolckor, yediye, তিনটায়.
_MIN_NUMERAL: Final = 3
_CASE: Final = 3


def worded_hours_in(folded: str) -> Iterator[Found[int]]:
    """Every word of a few that may be an hour."""
    numerals = list(chain(lone_numerals_in(folded), written_numerals_in(folded)))
    # Short ones, and the word for one, are other words elsewhere: to, um, a.
    told = (said for said in numerals if said.end - said.start > _ENDING or not folded.isascii())
    yield from (Found(*said.place, int(said.value)) for said in told if said.value in _HOURS and said.value != 1)
    for hit in _WORD.finditer(folded):
        hours = {hour for ordinal, hour in _ordinals().items() if _is_form_of(ordinal, hit[0])}
        if not hours and not overlaps((said.place for said in numerals), *hit.span()):
            hours = set(_hours_inflected(hit[0]))
        if len(hours) == 1:
            yield Found(*hit.span(), hours.pop())


def _hours_inflected(word: str) -> Iterator[int]:
    """The hour of a word that is its numeral with a few letters behind."""
    for length in range(max(len(word) - _CASE, _MIN_NUMERAL + word.isascii()), len(word)):
        # Where spaces part no words, what stands behind is another one.
        said = () if UNPARTED.search(word) else written_numerals_in(word[:length])
        yield from (int(each.value) for each in said if each.end == length and each.value in _HOURS)


def _is_form_of(ordinal: str, word: str) -> bool:
    stem = ordinal[:-_ENDING]
    is_inflected = len(stem) >= _MIN_LETTERS - (not stem.isascii()) and word.startswith(stem)
    return ordinal in word or (is_inflected and len(word) <= len(ordinal) + _ENDING)


@cache
def _ordinals() -> Mapping[str, int]:
    """The folded ordinals of one word each that are that of one hour alone."""
    meant: dict[str, set[int]] = {}
    for language in sorted(CONVERTER_CLASSES):
        for hour in _HOURS:
            # Some languages write no ordinals.
            with suppress(NotImplementedError, OverflowError, LookupError, TypeError):
                meant.setdefault(fold(num2words(hour, ordinal=True, lang=language)), set()).add(hour)
    words = ((word, hours) for word, hours in meant.items() if _WORD.fullmatch(word) and len(word) >= _MIN_LETTERS)
    return {word: min(hours) for word, hours in words if len(hours) == 1}
