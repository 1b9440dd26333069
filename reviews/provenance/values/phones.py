"""Telephone numbers however they are grouped, national or with a country's code."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from phonenumbers import (
    Leniency,
    MatchType,
    NumberParseException,
    PhoneNumberFormat,
    PhoneNumberMatcher,
    format_number,
    is_number_match,
)

# Seven to fifteen figures (E.164) with the signs that people group them by: the library is asked about nothing else.
_SHAPE: Final = re.compile(r"(?<![\w.])(?:\+|\(\+?)?[0-9](?:[ ()./-]{0,3}[0-9]){6,16}(?![\w])")
_SEPARATORS: Final = re.compile(r"[^0-9]")
# Figures at its end that a number has in every spelling.
_TAIL: Final = 6
# International numbers need no region.
_NOWHERE: Final = "ZZ"


class Phone(NamedTuple):
    """A telephone number in a text."""

    start: int
    end: int
    e164: str


def phones_in(text: str, region: str | None = None, *, like: str = "") -> Iterator[Phone]:
    """Every valid number of a text; one without a country's code is read as the region's, and as none without one.

    `like`: only where the last figures of this number stand, which all spellings of one number have.
    """
    tail = last_figures(like)
    for hit in _SHAPE.finditer(text):
        # The library takes a hundred times as long as looking for the figures.
        if tail not in _SEPARATORS.sub("", hit.group()):
            continue
        for start, end, e164 in _read_phones(hit.group(), region or _NOWHERE):
            yield Phone(hit.start() + start, hit.start() + end, e164)


def last_figures(number: str) -> str:
    """The figures at its end, which all spellings of one number have."""
    return _SEPARATORS.sub("", number)[-_TAIL:]


def same_phone(a: str, b: str) -> bool:
    """Whether two spellings are one number; a country's code that only one of them has does not part them."""
    try:
        match = is_number_match(_with_plus(a), _with_plus(b))
    except NumberParseException:
        return False
    return match in (MatchType.EXACT_MATCH, MatchType.NSN_MATCH)


# A record's numbers are read for each of its arguments.
@lru_cache(maxsize=4096)
def _read_phones(stretch: str, region: str) -> tuple[Phone, ...]:
    matches = PhoneNumberMatcher(stretch, region, leniency=Leniency.VALID)
    return tuple(Phone(m.start, m.end, format_number(m.number, PhoneNumberFormat.E164)) for m in matches)


def _with_plus(number: str) -> str:
    return re.sub(r"^\s*(\(?)00", r"\1+", number)
