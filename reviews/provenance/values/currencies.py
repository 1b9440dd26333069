"""Signs, codes and names of currencies, by CLDR."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Final

from babel import Locale
from babel.numbers import get_currency_name, get_currency_symbol

from reviews.provenance.text.fold import fold
from reviews.provenance.values.locales import LOCALES, SPOKEN

EVERYDAY: Final = (
    "USD", "EUR", "GBP", "JPY", "INR", "CHF", "CAD", "AUD", "CNY", "SEK", "NOK", "DKK", "BRL", "MXN", "PLN", "CZK",
)  # fmt: skip
"""The currencies that are read by their names in every language, and whose codes stand against figures: usd20."""
SISTERS: Final = {"USD": ("CAD", "HKD"), "GBP": ("EGP", "LBP"), "INR": ("PKR", "LKR")}
"""Currencies that are called the same, of other countries."""
# Shorter words are "us" and other parts of longer names.
_SHORTEST: Final = 3
# Singular, plural, and the plural of Slavic languages from five on.
_COUNTS: Final = (1, 2, 5)


@cache
def currency_codes() -> frozenset[str]:
    """Every code of ISO 4217 that CLDR names, without those of the past, and that of no currency at all."""
    names = Locale(LOCALES[0]).currencies
    return frozenset(code for code, name in names.items() if "(" not in name and code != "XXX")


@cache
def currency_signs() -> Mapping[str, str]:
    """The currency of each sign; of a shared one the currency that has it to itself in English."""
    symbols = _codes_by_symbol().items()
    return {symbol: code for symbol, code in symbols if len(symbol) == 1 and not symbol.isalnum()}


@cache
def currency_names() -> Mapping[str, str]:
    """The currency of each full name, and of each noun that means one by itself: dollars, euros, yen."""
    names = {noun: code for code in EVERYDAY if code in currency_signs().values() for noun in _nouns_of_currency(code)}
    # English goes last: what it says of a word holds.
    for code, locale in (*product(EVERYDAY, LOCALES), *product(sorted(currency_codes()), LOCALES[:1])):
        names.update((fold(get_currency_name(code, count, locale)), code) for count in (None, *_COUNTS))
    return names | _codes_by_symbol()


def _codes_by_symbol() -> dict[str, str]:
    return {fold(get_currency_symbol(code, LOCALES[0])): code for code in sorted(currency_codes())}


def _nouns_of_currency(code: str) -> Iterator[str]:
    """The noun of a currency's names: English puts it last, elsewhere it is what sister currencies have in common."""
    for count in _COUNTS:
        yield _words_of_name(code, count, LOCALES[0])[-1]
        for sister, locale in product(SISTERS.get(code, ()), SPOKEN):
            yield from set(_words_of_name(code, count, locale)) & set(_words_of_name(sister, count, locale))


def _words_of_name(code: str, count: int, locale: str) -> list[str]:
    return [word for word in re.split(r"[ -]", fold(get_currency_name(code, count, locale))) if len(word) >= _SHORTEST]
