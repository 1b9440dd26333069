"""Hours of a dial and days of a month in words, as many languages tell them: пять вечера, am fünften Dezember.

What judges quote is read so. The numerals are those that libraries read or write, and the ordinals those that
`num2words` writes, with what languages set before them, behind them or in place of their last letters.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain, product
from typing import Final

from num2words import CONVERTER_CLASSES

from reviews.provenance.text.boundaries import UNPARTED, Occurrence, blank_places, overlaps
from reviews.provenance.values.locales import QuotedNames, quoted_month_names, sole_meanings
from reviews.provenance.values.numerals import lone_numerals_in, write_number, written_numerals_in

_HOURS: Final = 12
_DAYS: Final = 31
# Tens to which another word adds the rest: twenty-fifth, двадцать пятого.
_TENS: Final = (20, 30)
_WORD: Final = re.compile(r"[^\W\d_]+")
# Letters of an ordinal that are no other word's, and of its end that changes: седьмой, седьмого.
_MIN_LETTERS: Final = 4
_ENDING: Final = 2
# Letters that a numeral has at least, and at most behind it: nyolckor, yediye, তিনটায়.
_MIN_NUMERAL: Final = 3
_CASE: Final = 3


def worded_hours_in(folded: str) -> Iterator[Occurrence[int]]:
    """Every word of a few that may be an hour."""
    return _ranks_in(folded, _HOURS)


def worded_days_in(folded: str) -> frozenset[tuple[int, int]]:
    """The month and the day of it that a few words may tell, which name one month."""
    months = list(_months().found_in(folded))
    rest = blank_places(folded, [month.place for month in months])
    ranks = [rank.value for rank in sorted(_ranks_in(rest, _DAYS))] if len(months) == 1 else []
    match list(dict.fromkeys(ranks)):
        case [tens, ones] if tens in _TENS and ones < min(_TENS):
            ranks = [tens + ones]
    return frozenset((months[0].value, rank) for rank in ranks)


def _ranks_in(folded: str, most: int) -> Iterator[Occurrence[int]]:
    numerals = list(chain(lone_numerals_in(folded), written_numerals_in(folded)))
    # Short ones, and the word for one, are other words elsewhere: to, um, a.
    telling = (numeral for numeral in numerals if numeral.end - numeral.start > _ENDING or not folded.isascii())
    yield from (Occurrence(*numeral.place, int(numeral.value)) for numeral in telling if 1 < numeral.value <= most)
    for hit in _WORD.finditer(folded):
        forms = {ordinal: rank for ordinal, rank in _ordinals(most).items() if _is_form_of(ordinal, hit[0])}
        # The tenth is a part of the thirteenth: dreizehnten.
        longest = max(map(len, forms), default=0)
        ranks = {rank for ordinal, rank in forms.items() if len(ordinal) == longest}
        if not ranks and not overlaps((numeral.place for numeral in numerals), *hit.span()):
            ranks = set(_ranks_inflected(hit[0], most))
        if len(ranks) == 1:
            yield Occurrence(*hit.span(), ranks.pop())


def _ranks_inflected(word: str, most: int) -> Iterator[int]:
    """The number of a word that is its numeral with a few letters behind."""
    for length in range(max(len(word) - _CASE, _MIN_NUMERAL + word.isascii()), len(word)):
        # Where spaces part no words, what stands behind is another one.
        numerals = () if UNPARTED.search(word) else written_numerals_in(word[:length])
        yield from (int(rank) for _, end, rank in numerals if end == length and 1 < rank <= most)


def _is_form_of(ordinal: str, word: str) -> bool:
    stem = ordinal[:-_ENDING]
    is_inflected = len(stem) >= _MIN_LETTERS - (not stem.isascii()) and word.startswith(stem)
    return ordinal in word or (is_inflected and len(word) <= len(ordinal) + _ENDING)


@cache
def _ordinals(most: int) -> Mapping[str, int]:
    """The folded ordinals up to a number, of one word each, that are that of one number alone."""
    ranks = product(sorted(CONVERTER_CLASSES), range(1, most + 1))
    ordinals = ((word, rank) for language, rank in ranks for word in write_number(rank, language, ordinal=True))
    return sole_meanings((word, rank) for word, rank in ordinals if _WORD.fullmatch(word) and len(word) >= _MIN_LETTERS)


@cache
def _months() -> QuotedNames[int]:
    return QuotedNames(quoted_month_names())
