"""Money: the currency that a text names, and the amounts that stand with one."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final, NamedTuple

from reviews.provenance.text.boundaries import Occurrence
from reviews.provenance.text.fold import fold
from reviews.provenance.values.currencies import EVERYDAY, currency_codes, currency_names, currency_signs
from reviews.provenance.values.numbers import numbers_in

# One space at most: what stands farther away is not the amount's.
_BEFORE: Final = re.compile(r"(?:(?<![^\W\d_])([^\W\d_]{1,3}\$?)|([^\w\s.,;:()])) ?$")
_BEHIND: Final = re.compile(r" ?(?:([^\w\s.,;:()])|([^\W\d_]{1,24}\$?(?:[ -][^\W\d_]{1,24}){0,2}))(?!\w)")
# Characters before an amount that are looked at.
_NEAR: Final = 6


class Amount(NamedTuple):
    """An amount of money in a text."""

    start: int
    end: int
    value: Decimal
    currency: str
    """By its code of ISO 4217."""


def currency_of(text: str) -> str | None:
    """The currency that a whole text means by its code, sign or name in any language; None for anything else."""
    spelling = fold(text).strip()
    code = spelling.upper()
    return code if code in currency_codes() else currency_signs().get(spelling) or currency_names().get(spelling)


def amounts_in(text: str) -> Iterator[Amount]:
    """Every number of a folded text that stands with a currency; of a shared sign the one that has it in English."""
    return amounts_among(numbers_in(text), text)


def amounts_among(numbers: Iterable[Occurrence[Decimal]], text: str) -> Iterator[Amount]:
    """Those of the numbers of a folded text that stand with a currency."""
    for number in numbers:
        if currency := _find_currency(text, *number.place):
            yield Amount(currency.start, currency.end, number.value, currency.value)


def _told_by(spelling: str) -> str | None:
    """The currency of a word beside a number: without their capitals, codes such as ALL, TRY and MAD are words."""
    currency = currency_of(spelling)
    return currency if currency in EVERYDAY or spelling.upper() != currency else None


def _find_currency(text: str, start: int, end: int) -> Occurrence[str] | None:
    """The currency within a number, before it or behind it, at the place of both."""
    for sign in text[start : start + 2]:
        if currency := currency_signs().get(sign):
            return Occurrence(start, end, currency)
    if text[max(0, start - 2) : start].removesuffix(" ")[-1:].isdecimal() and (
        text[end : end + 2].removeprefix(" ")[:1].isdecimal()
    ):
        # One of many numbers in a row.
        return None
    at = max(0, start - _NEAR)
    before = _BEFORE.search(text[at:start])
    if before and (currency := _told_by(before[1] or before[2])):
        return Occurrence(at + before.start(), end, currency)
    behind = _BEHIND.match(text, end)
    if behind and behind[1]:
        currency = currency_signs().get(behind[1])
        return Occurrence(start, behind.end(), currency) if currency else None
    words = re.split(r"(?<=\w)(?=[ -])", behind[2]) if behind else []
    while words:
        name = "".join(words)
        if behind and (currency := _told_by(name)):
            return Occurrence(start, behind.start(2) + len(name), currency)
        words.pop()
    return None
