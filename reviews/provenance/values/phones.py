"""Telephone numbers however they are grouped."""

import re
from contextlib import suppress
from typing import Final

import phonenumbers

_SEPARATORS: Final = re.compile(r"[^0-9]")
# Figures at its end that a number has in every spelling.
_TAIL: Final = 6
# The plus as people dial it.
_INTERNATIONAL: Final = re.compile(r"^\s*(\(?)00")


def same_phone(a: str, b: str) -> bool:
    """Whether two spellings are one number; a country's code that only one of them has does not part them."""
    # The library takes a hundred times as long as looking at the last figures.
    if last_figures(a) != last_figures(b):
        return False
    try:
        match = phonenumbers.is_number_match(*(_INTERNATIONAL.sub(r"\1+", number) for number in (a, b)))
    except phonenumbers.NumberParseException:
        return False
    return match in (phonenumbers.MatchType.EXACT_MATCH, phonenumbers.MatchType.NSN_MATCH)


def is_national_form(number: str, figures: str) -> bool:
    """Whether these figures are what people dial within the country of a number that begins with + and its code."""
    is_international = figures.startswith("+") or _INTERNATIONAL.match(figures)
    if is_international or last_figures(number) != last_figures(figures):
        return False
    national = national_figures(number)
    # A zero before it, which some countries drop abroad and Italy does not.
    return bool(national) and _SEPARATORS.sub("", figures) in (national, f"0{national}")


def national_figures(number: str) -> str:
    """The figures behind the country's code of a number that begins with + and that code; empty: it is no such one."""
    with suppress(phonenumbers.NumberParseException):
        return phonenumbers.national_significant_number(phonenumbers.parse(number)) if number.startswith("+") else ""
    return ""


def last_figures(number: str) -> str:
    """The figures at its end, which all spellings of one number have."""
    return _SEPARATORS.sub("", number)[-_TAIL:]
