"""What stands right behind figures in scripts whose words are not set apart: 3万円, 1億2000万, 3만원.

In these scripts a scale multiplies the figures and a currency or a unit ends the number, and a scale never follows
them. So the figures mean what is read if their scale, and the whole of what then touches them, is known; letters that
are not understood may be another scale, or a part of a fraction (3分の1), and leave the number unread.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from itertools import pairwise, product, takewhile
from typing import Final

from babel.numbers import get_currency_name

from reviews.provenance.text.fold import fold
from reviews.provenance.values.currencies import SISTERS, currency_codes, currency_names
from reviews.provenance.values.locales import any_word_of, names_of_units, powers_of_scales, unit_abbreviations

# The languages of CLDR whose words stand right behind figures.
_JOINING: Final = ("ja", "zh", "zh_Hant", "ko")
# Ideographs, as in `UNSPACED`.
_IDEOGRAPHS: Final = range(0x3400, 0xA000)
_LETTERS: Final = re.compile(r"[^\W\d_]+")
# Above that of any scale.
_NO_POWER: Final = 99
_FIGURES: Final = re.compile(r"[0-9]+(?![.,]?[0-9])")
_POWER: Final = re.compile(r"10+")


def read_joined(text: str, end: int, number: Decimal) -> tuple[int, Decimal] | None:
    """Where a number ends and what it is, of figures that end here and have letters behind; None: not understood."""
    scaled = _read_scales(text, end, number) if joined_scales().match(text, end) else (end, number)
    return scaled if scaled and _ends_number(text, scaled[0]) else None


def end_of_letters(text: str, at: int) -> int:
    """Where the letters end that stand at a place, or behind one space there."""
    letters = _LETTERS.match(text, at + text.startswith(" ", at))
    return letters.end() if letters else at


def _read_scales(text: str, end: int, number: Decimal) -> tuple[int, Decimal] | None:
    """The number with its scales, from the greatest down: 1億2000万; None where they are in no such order."""
    total, above = Decimal(0), _NO_POWER
    while hit := joined_scales().match(text, end):
        power = _power_of(hit[1])
        if power is None or power >= above:
            return None
        total, end, above = total + number.scaleb(power), hit.end(), power
        figures = _FIGURES.match(text, end)
        if figures is None:
            return end, total
        if number != number.to_integral_value() or len(figures[0]) > power:
            return None
        end, number = figures.end(), Decimal(figures[0])
    # 3万5 are 35,000 to some and 30,005 to others.
    return (end, total + number) if number >= Decimal(10) ** (above - 1) else None


def _power_of(scales: str) -> int | None:
    """The power of ten of scales in a row, each greater than the one before: 百万."""
    powers = [_powers()[scale] for scale in re.findall(any_word_of(_powers()), scales)]
    return sum(powers) if all(low < high for low, high in pairwise(powers)) else None


def _ends_number(text: str, end: int) -> bool:
    """Whether nothing that is not understood touches the number that ends here."""
    letters = _LETTERS.match(text, end)
    if letters is None:
        return not text[end : end + 1].isdigit()
    return letters[0] in _units() or letters[0].upper() in currency_codes() or _currency().match(text, end) is not None


@cache
def joined_scales() -> re.Pattern[str]:
    """Scales in a row right behind figures, or behind one space."""
    return re.compile(rf" ?((?:{any_word_of(_powers())})+)")


@cache
def _powers() -> Mapping[str, int]:
    """The power of ten of each scale: of ideographs that mean one by Unicode, and of those that CLDR writes."""
    figures_by_sign = {chr(code): str(int(unicodedata.numeric(chr(code), 0))) for code in _IDEOGRAPHS}
    powers = {fold(sign): figures.count("0") for sign, figures in figures_by_sign.items() if _POWER.fullmatch(figures)}
    return powers | {
        word: power for word, power in powers_of_scales().items() if not word.isascii() and " " not in word
    }


@cache
def _units() -> frozenset[str]:
    return unit_abbreviations() | frozenset(name for locale in _JOINING for name in names_of_units(locale))


@cache
def _currency() -> re.Pattern[str]:
    """Currencies, also where other words go on behind them: the number has ended before."""
    names = {name for name in currency_names() if not name.isascii()} | set(_joined_currencies())
    return re.compile(any_word_of(name for name in names if _LETTERS.match(name)))


def _joined_currencies() -> Iterator[str]:
    """The nouns of currencies: what sister currencies' names end alike in, and the last words of the others."""
    for locale in _JOINING:
        for code in currency_codes():
            yield fold(get_currency_name(code, 1, locale)).split()[-1]
    for locale, (code, sisters) in product(_JOINING, SISTERS.items()):
        backwards = (reversed(fold(get_currency_name(name, 1, locale))) for name in (code, *sisters))
        alike = takewhile(lambda signs: len(set(signs)) == 1, zip(*backwards, strict=False))
        yield "".join(signs[0] for signs in alike)[::-1].strip()
