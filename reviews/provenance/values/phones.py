"""Telephone numbers however they are grouped."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import phonenumbers

from reviews.provenance.text.boundaries import Place

# Seven to fifteen figures (E.164) with the signs that people group them by: the library is asked about nothing else.
_SHAPE: Final = re.compile(r"(?<![\w.])(?:\+|\(\+?)?[0-9](?:[ ()./-]{0,3}[0-9]){6,16}(?![\w])")
_SEPARATORS: Final = re.compile(r"[^0-9]")
# Figures at its end that a number has in every spelling.
_TAIL: Final = 6
# The plus as people dial it.
_INTERNATIONAL: Final = re.compile(r"^\s*(\(?)00")


def phones_in(text: str, like: str) -> Iterator[Place]:
    """Where a text has valid numbers with a country's code, as far as they end in the last figures of this one."""
    tail = last_figures(like)
    for hit in _SHAPE.finditer(text):
        # The library takes a hundred times as long as looking for the figures.
        if tail not in _SEPARATORS.sub("", hit.group()):
            continue
        for start, end in _read_phones(hit.group()):
            yield hit.start() + start, hit.start() + end


def last_figures(number: str) -> str:
    """The figures at its end, which all spellings of one number have."""
    return _SEPARATORS.sub("", number)[-_TAIL:]


def same_phone(a: str, b: str) -> bool:
    """Whether two spellings are one number; a country's code that only one of them has does not part them."""
    try:
        match = phonenumbers.is_number_match(*(_INTERNATIONAL.sub(r"\1+", number) for number in (a, b)))
    except phonenumbers.NumberParseException:
        return False
    return match in (phonenumbers.MatchType.EXACT_MATCH, phonenumbers.MatchType.NSN_MATCH)


# A record's numbers are read for each of its arguments.
@lru_cache(maxsize=4096)
def _read_phones(stretch: str) -> tuple[Place, ...]:
    return tuple((hit.start, hit.end) for hit in phonenumbers.PhoneNumberMatcher(stretch, None))
