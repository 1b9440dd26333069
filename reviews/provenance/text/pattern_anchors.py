"""Patterns that are tried only around the few fixed strings that their matches contain.

A pattern that may begin anywhere is tried at every character of a text. Here one pass finds the anchors of all
patterns together, and each pattern sees the surroundings of its own anchors only.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from threading import Lock

from ahocorasick_rs import AhoCorasick
from cachetools import LRUCache, cached

from reviews.provenance.text.boundaries import Place

# Characters between an anchor and the end of what a pattern looks at, on either side.
_REACH = 96
# Texts up to this length are not worth the pass.
_SHORT = 256
# Characters that are read at once: places in it fit two bytes.
_CHUNK = 1 << 16
FOREIGN_FIGURE = re.compile(r"[^\D0-9]")
"""A figure of another script, which patterns match as a figure too."""
# Half a surrogate pair: an escape in what a tool returned may spell one, and the automaton takes none.
_HALF = re.compile("[\ud800-\udfff]")
# Characters of the texts whose anchors are kept: readers of dates, lengths and numbers come one after the other.
_MAX_KEPT = 500_000
# The cache itself is not safe to use from two threads.
_lock = Lock()
# Every anchor of every pattern, numbered.
_numbers: dict[str, int] = {}
# The anchors of each pattern.
_anchors: dict[str, frozenset[int]] = {}


def finditer_near(
    pattern: re.Pattern[str], text: str, anchors: Iterable[str], reach: int = _REACH
) -> Iterator[re.Match[str]]:
    """What the pattern's own `finditer` finds, provided that each match contains an anchor and ends within its reach.

    A pattern has the same anchors each time.
    """
    places = _places_of(pattern, text, anchors)
    if places is None:
        yield from pattern.finditer(text)
        return
    # Disjoint stretches that hold everything within reach of an anchor.
    stretches: list[Place] = []
    for place in places:
        if stretches and place - reach <= stretches[-1][1]:
            stretches[-1] = stretches[-1][0], place + reach
        else:
            stretches.append((max(0, place - reach), place + reach))
    for start, end in stretches:
        yield from pattern.finditer(text, start, end)


def matches_from(pattern: re.Pattern[str], text: str, anchors: Iterable[str]) -> Iterator[re.Match[str]]:
    """What the pattern's own `finditer` finds, provided that each match begins with an anchor."""
    places = _places_of(pattern, text, anchors)
    if places is None:
        yield from pattern.finditer(text)
        return
    done = 0
    for place in places:
        if place >= done and (hit := pattern.match(text, place)):
            done = hit.end()
            yield hit


def _places_of(pattern: re.Pattern[str], text: str, anchors: Iterable[str]) -> list[int] | None:
    """Where an anchor of the pattern begins, in order; None for a text that the pattern reads as a whole."""
    numbers = _anchors.get(pattern.pattern)
    if numbers is None:
        numbers = frozenset(_numbers.setdefault(anchor, len(_numbers)) for anchor in anchors)
        _anchors[pattern.pattern] = numbers
    places = _find_places(text, len(_numbers))[1] if len(text) > _SHORT else None
    if places is None:
        return None
    return sorted(place for anchor in numbers.intersection(places) for place in places[anchor])


@cached(LRUCache(_MAX_KEPT, getsizeof=lambda read: read[0]), lock=_lock)
def _find_places(text: str, count: int) -> "tuple[int, Mapping[int, array[int]] | None]":
    """The text's length, and where each anchor begins; None where figures are of a script that no anchor has."""
    if not text.isascii() and FOREIGN_FIGURE.search(text):
        return len(text), None
    plain = text if text.isascii() else _HALF.sub("\N{REPLACEMENT CHARACTER}", text)
    places: dict[int, array[int]] = {}
    automaton, overlap = _build_automaton(count)
    for at in range(0, len(text), _CHUNK):
        for anchor, start, _ in automaton.find_matches_as_indexes(plain[at : at + _CHUNK + overlap], overlapping=True):
            if start < _CHUNK:
                places.setdefault(anchor, array("I")).append(at + start)
    return len(text), places


@lru_cache(maxsize=1)
def _build_automaton(count: int) -> tuple[AhoCorasick, int]:
    anchors = list(_numbers)[:count]
    return AhoCorasick(anchors), max(map(len, anchors)) - 1
