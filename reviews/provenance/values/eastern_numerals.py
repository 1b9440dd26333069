"""Numbers in the signs of Chinese and Japanese, and as Korean writes them by their sounds: 两千五百, 사만육천, 다섯.

Unicode says what each ideograph means, and `num2words` how Korean writes it. Whatever counts, and every ending, stands
right behind a Korean number: 오만원을, 다섯명이.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cache
from typing import Final

from num2words import num2words

from reviews.provenance.text.boundaries import Occurrence
from reviews.provenance.text.fold import fold
from reviews.provenance.values.locales import any_word_of

# Of the ideographs that mean a number by Unicode those that people write, and the common form of 兩, which lacks one.
_IDEOGRAPHS: Final = {sign: int(unicodedata.numeric(sign)) for sign in "零\u3007一二兩三四五六七八九十百千万萬亿億"} | {
    "两": 2
}
_IDEOGRAPHIC: Final = re.compile(f"[{''.join(_IDEOGRAPHS)}]+")
_ZEROS: Final = frozenset(sign for sign, value in _IDEOGRAPHS.items() if not value)
_TEN: Final = 10
_HUNDRED: Final = 100
_MYRIAD: Final = 10_000
_KOREAN: Final = "ko"
# Letters of Hangul that begin no syllable, as folding leaves it: a word of them goes on.
_WITHIN_SYLLABLE: Final = r"[\u1160-\u11ff]"
# Numbers that Korean has words of its own for; those of one syllable begin many other words, and stand apart: 두 판.
_COUNTED: Final = range(2, 100)


def eastern_numerals_in(text: str) -> Iterator[Occurrence[Decimal]]:
    """Every such number of a folded text, whatever its signs may mean beside others."""
    for hit in _IDEOGRAPHIC.finditer(text):
        if (value := read_ideographs(hit[0])) is not None:
            yield Occurrence(*hit.span(), Decimal(value))
    for hit in _sounds().finditer(text):
        values = [_sounded()[sign] for sign in re.findall(any_word_of(_sounded()), hit[0])]
        # Figures alone are other words as often: 사이, 오이.
        if max(values) >= _TEN:
            yield Occurrence(*hit.span(), Decimal(_add_up(values)[0]))
    for hit in _counting().finditer(text):
        yield Occurrence(hit.start(), hit.start() + len(hit[0].rstrip()), Decimal(_counted()[hit[0]]))


def read_ideographs(signs: str) -> int | None:
    """The number that ideographs write: 两千五百; None for 两千五, which is 2,500 to some and 2,005 to others."""
    total, is_short = _add_up([_IDEOGRAPHS[sign] for sign in signs])
    return None if is_short and not _ZEROS & set(signs) else total


def _add_up(values: Sequence[int]) -> tuple[int, bool]:
    """The number of figures and scales in a row, and whether figures end it that a scale may have been left out of."""
    total = section = figures = 0
    scale = 1
    for at, value in enumerate(values):
        if value < _TEN:
            figures = figures * 10 + value
            continue
        scale = value
        if value < _MYRIAD:
            section += (figures if at and figures else 1) * value
        else:
            total += (section + figures or 1) * value
            section = 0
        figures = 0
    return total + section + figures, scale >= _HUNDRED and figures > 0


@cache
def _sounded() -> Mapping[str, int]:
    """What Korean writes for each of the ideographs in one syllable, folded."""
    one = num2words(1, lang=_KOREAN)
    words = {value: num2words(value, lang=_KOREAN) for value in sorted(set(_IDEOGRAPHS.values())) if value}
    # Of the greatest it says how many: 일억.
    syllables = {value: word.removeprefix(one) or one for value, word in words.items()}
    return {fold(word): value for value, word in syllables.items() if len(word) == 1}


@cache
def _sounds() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_word_of(_sounded())}){{2,}}(?!{_WITHIN_SYLLABLE})")


@cache
def _counted() -> Mapping[str, int]:
    """The words before what is counted, folded: those that stand before one more word in its ordinals."""
    words: dict[str, int] = {}
    for number in _COUNTED:
        with suppress(LookupError):
            word, _, _ = num2words(number, ordinal=True, lang=_KOREAN).rpartition(" ")
            words |= {fold(word if len(word) > 1 else f"{word} "): number}
    return words


@cache
def _counting() -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\w)(?:{any_word_of(_counted())})(?:(?!{_WITHIN_SYLLABLE})(?<! )|(?<= )(?=[\u1100-\u11ff]))"
    )
