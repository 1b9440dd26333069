"""Money: the signs, codes and names of currencies, and the currencies that stand beside an amount."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Final

from babel.numbers import get_currency_name, get_currency_symbol, list_currencies

from reviews.provenance.language.base import languages
from reviews.provenance.text.fold import fold

# Signs that stand against the figures.
SIGNS: Final = "$€£¥₹"
CODES: Final = "usd eur gbp jpy inr chf cad aud cny sek nok dkk".split()
"""Codes that may stand right against the figures, as in usd20; further ones are read only when set apart."""
MONEY: Final = re.compile(rf" ?(?:[{SIGNS}]|(?:{'|'.join(CODES)}|euros?|dollars?|pounds?|francs?)\b)")
"""What makes the number in front of it an amount of money."""
# The one currency whose amounts are often written in the European way without saying so.
EURO: Final = re.compile(r"€|eur")
# One space at most: what stands farther away is not the amount's.
_BEFORE = re.compile(r"(?:([^\W\d_]{1,3}) ?|([^\w\s.,;:()]) ?)$")
_BEHIND = re.compile(r" ?([^\w\s.,;:()])| ?([^\W\d_]{1,12})(?![\w])")
# Signs of several currencies, and the last word of the names of those.
_SHARED = {"$": "dollar", "£": "pound", "¥": "yen yuan", "kr": "krona krone kroner", "₹": "rupee"}
# Names and signs of currencies as English texts write them.
_LOCALE = "en"
# Currencies that are read by their names in every language: those of other countries are called like other things.
_EVERYDAY = (*(code.upper() for code in CODES), "BRL", "MXN", "PLN", "CZK", "HUF", "TRY")


def is_amount(text: str, start: int, end: int) -> bool:
    """Whether the number that stands there in a folded text is an amount of money."""
    before = text[max(0, start - 2) : start + 1].replace(" ", "")
    return any(sign in before for sign in SIGNS) or MONEY.match(text, end) is not None or text[end - 1] in SIGNS


def currencies_beside(before: str, behind: str, raw: str) -> frozenset[str]:
    """The currencies that the folded texts around an amount name; `raw` is the same with its capitals."""
    for hit in (_BEFORE.search(before), _BEHIND.match(behind)):
        spelling = hit[1] or hit[2] if hit else ""
        if spelling.upper() in currency_codes():
            # A code counts in capitals only: ALL and TRY are currencies, all and try are not.
            codes = frozenset({spelling.upper()} if spelling.upper() in raw else ())
        else:
            codes = _by_name().get(spelling, frozenset())
        if hit and codes:
            return codes
    return frozenset()


def currency_spellings(code: str) -> Iterator[str]:
    """How people write a currency, the longest spelling first.

    A sign or a last word alone means the currency that has it to itself in English.
    """
    names = {fold(get_currency_name(code, count, _LOCALE)) for count in (None, 1, 2)}
    yield from sorted(names, key=len, reverse=True)
    symbol = fold(get_currency_symbol(code, _LOCALE))
    if symbol != code.lower():
        yield symbol
        yield from {name.rpartition(" ")[2] for name in names} if len(symbol) == 1 else ()


@cache
def by_sign_alone() -> frozenset[str]:
    """The currencies that have a sign of one character to themselves in English: a bare "dollar" is the American."""
    return frozenset(code for code in currency_codes() if len(get_currency_symbol(code, _LOCALE)) == 1)


@cache
def currency_codes() -> frozenset[str]:
    """Every code of ISO 4217 that CLDR names."""
    return frozenset(list_currencies(_LOCALE))


@cache
def _by_name() -> Mapping[str, frozenset[str]]:
    """The codes that each sign, and each last word of a name, may mean."""
    found: dict[str, set[str]] = {}
    for code in currency_codes():
        found.setdefault(fold(get_currency_symbol(code, _LOCALE)), set()).add(code)
        for count in (1, 2):
            word = fold(get_currency_name(code, count, _LOCALE)).rpartition(" ")[2]
            found.setdefault(word, set()).add(code)
    for locale, code in product((each.code for each in languages()), _EVERYDAY):
        for count in (1, 2):
            # "Dólares estadounidenses", "US-Dollar", "Schweizer Franken": the noun comes first or last.
            nouns = re.split(r"[ -]", fold(get_currency_name(code, count, locale)))
            for word in (nouns[0], nouns[-1]):
                found.setdefault(word, set()).add(code)
    for sign, words in _SHARED.items():
        found.setdefault(sign, set()).update(*(found.get(word, set()) for word in words.split()))
    return {name: frozenset(codes) for name, codes in found.items() if not name.isdigit()}
