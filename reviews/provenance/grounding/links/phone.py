"""Telephone numbers however they are grouped, national or with a country's code."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from babel import Locale
from phonenumbers import (
    SUPPORTED_REGIONS,
    MatchType,
    NumberParseException,
    is_number_match,
    parse,
    region_code_for_number,
)

from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import found_at
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.boundaries import stands_alone
from reviews.provenance.text.fold import fold

# Between seven and fifteen figures (E.164) with the signs that people group them by.
_PHONE = re.compile(r"(?:\+|\b00)?\(?\d[\d ()./-]{5,20}\d")
# Digits that tell a number apart without its country.
_FEWEST = 9
# With a country's prefix it is a number whatever stands around it.
_INTERNATIONAL = re.compile(r"(?:\+|\b00)[1-9][\d ()./-]{6,20}\d")
# Characters of a text in which numbers are looked for: a library reads them, which is slow beside a search.
_READ = 20_000


def dialled(leaf: Leaf, text: Indexed) -> Found | None:
    """The value as a telephone number that the source writes another way.

    A country's code that only one of the two has must be that of a country the source tells, if it tells any.
    """
    if not isinstance(leaf.value, str) or not _PHONE.fullmatch(leaf.folded):
        return None
    if not re.search(r"[ ()./-]*".join(_digits(leaf.folded)[-4:]), text.folded.text):
        return None
    for hit in _PHONE.finditer(text.folded.text):
        if stands_alone(text.folded.text, *hit.span()) and _is_same_number(leaf.folded, hit.group(), text):
            return found_at(Grounding.NORMALIZE, text.span(*hit.span()))
    return None


def _is_same_number(one: str, other: str, text: Indexed) -> bool:
    mine, theirs = _digits(one), _digits(other)
    if mine == theirs:
        return True
    if mine[-4:] != theirs[-4:] or (_is_international(one) and _is_international(other)):
        return False
    shorter, longer = sorted((mine, theirs), key=len)
    ends_alike = len(shorter) >= _FEWEST and longer.endswith(shorter.lstrip("0"))
    if not ends_alike and not _matches(one, other):
        return False
    coded = next((number for number in (one, other) if _is_international(number)), "")
    # A country that the agent added must not be another than the source's.
    regions = _regions_in(text.folded.text[:_READ]) if coded == one else frozenset()
    return not regions or _region(coded) in regions


def _is_international(number: str) -> bool:
    return number.lstrip("(").startswith(("+", "00"))


@lru_cache(maxsize=1024)
def _matches(one: str, other: str) -> bool:
    match = is_number_match(_with_plus(one), _with_plus(other))
    return match in (MatchType.EXACT_MATCH, MatchType.NSN_MATCH)


@lru_cache(maxsize=1024)
def _region(number: str) -> str | None:
    try:
        return region_code_for_number(parse(_with_plus(number)))
    except NumberParseException:
        return None


@lru_cache(maxsize=64)
def _regions_in(text: str) -> frozenset[str]:
    """The countries that a text names, or whose codes its numbers carry."""
    words, countries = re.findall(r"[^\W\d_]+", text), _countries()
    # The names of countries have up to three words.
    names = {" ".join(words[at : at + length]) for length in (1, 2, 3) for at in range(len(words))}
    named = {countries[name] for name in names & countries.keys()}
    coded = {region for hit in _INTERNATIONAL.finditer(text) if (region := _region(hit.group()))}
    return frozenset(named | coded)


@cache
def _countries() -> Mapping[str, str]:
    territories = Locale("en").territories
    return {fold(territories[code]): code for code in SUPPORTED_REGIONS if code in territories}


def _with_plus(number: str) -> str:
    return re.sub(r"^(\(?)00", r"\1+", number)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text)).removeprefix("00")
