"""Codes of places as tickets carry them (IATA), and what people call the places instead."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

import airportsdata

from reviews.provenance.text.fold import fold

# Codes of IATA have three capitals.
_CODE = re.compile(r"[A-Z]{3}")
# People leave these words out.
_ENDING = re.compile(r"(?: international)?(?: airport)?$")
# What the one airport of a city for journeys abroad is called by.
_INTERNATIONAL = "international"
# Shorter words abbreviate to nearly any three letters; longer names than three words name no town. Bounded, because the
# letters of a code are looked for in each.
_NAMED = re.compile(r"[A-Z][a-z]{3,20}(?: [A-Z][a-z]{1,20}){0,2}")


def place_names(code: str) -> tuple[str, ...]:
    """How people call the airport with this code, folded: by its city and by its name; none for any other code."""
    return _names().get(code, ()) if _CODE.fullmatch(code) else ()


def is_told_by(code: str, name: str) -> bool:
    """Whether a place's folded name means this airport and no other: the city's only one, or its one for abroad."""
    return _codes().get(name) == code


def abbreviated(code: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a text names something whose letters the code takes in order, its first first: RVM for Riverham.

    Reads the text with its capitals. Many names fit a code: that one does proves nothing by itself.
    """
    if _CODE.fullmatch(code):
        letters = re.compile(r".*?".join(code.lower()))
        yield from (hit.span() for hit in _NAMED.finditer(text) if letters.match(hit.group().lower()))


@cache
def _airports() -> Mapping[str, airportsdata.Airport]:
    # A list of eight thousand is read in a tenth of a second: not before the first code is met.
    return airportsdata.load("IATA")


@cache
def _names() -> Mapping[str, tuple[str, ...]]:
    """The names of each airport, those of its city first."""
    airports = _airports().items()
    return {
        code: tuple(dict.fromkeys(name for name in (city, _ENDING.sub("", airport)) if len(name) > len(code)))
        for code, city, airport in ((code, fold(each["city"]), fold(each["name"])) for code, each in airports)
    }


@cache
def _codes() -> Mapping[str, str]:
    """The one code that each name means."""
    codes_by_name: dict[str, list[str]] = {}
    for code, names in _names().items():
        for name in names:
            codes_by_name.setdefault(name, []).append(code)
    abroad = {code for code, each in _airports().items() if _INTERNATIONAL in fold(each["name"])}
    chosen = {name: [code for code in codes if code in abroad] or codes for name, codes in codes_by_name.items()}
    return {name: codes[0] for name, codes in chosen.items() if len(codes) == 1}
