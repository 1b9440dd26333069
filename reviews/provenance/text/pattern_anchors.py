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
from cachetools import LRUCache

# Characters between an anchor and the end of what a pattern looks at, on either side.
_REACH = 96
# Texts up to this length are not worth the pass.
_SHORT = 256
# Characters that are read at once: places in it fit two bytes.
_CHUNK = 1 << 16
# Figures of other scripts, which patterns match as figures too.
_FOREIGN_FIGURE = re.compile(r"[^\D0-9]")
# Half a surrogate pair: an escape in what a tool returned may spell one, and the automaton takes none.
_HALF = re.compile("[\ud800-\udfff]")
# Characters of the texts whose anchors are kept: readers of dates, lengths and numbers come one after the other.
_MAX_KEPT = 500_000
_places_by_text: "LRUCache[tuple[str, int], tuple[int, Mapping[int, array[int]] | None]]" = LRUCache(
    _MAX_KEPT, getsizeof=lambda entry: entry[0]
)
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
    if len(text) <= _SHORT:
        yield from pattern.finditer(text)
        return
    numbers = _anchors.get(pattern.pattern) or _register_anchors(pattern.pattern, anchors)
    for start, end in _stretches_near(text, numbers, reach):
        yield from pattern.finditer(text, start, end)


def matches_from(
    pattern: re.Pattern[str], text: str, anchors: Iterable[str], back: tuple[int, ...]
) -> Iterator[re.Match[str]]:
    """What the pattern's own `finditer` finds, provided that each match begins so many characters before an anchor.

    `back` begins with the largest distance.
    """
    numbers = _anchors.get(pattern.pattern) or _register_anchors(pattern.pattern, anchors)
    places = _places_of_anchors(text, len(_numbers)) if len(text) > _SHORT else None
    if places is None:
        yield from pattern.finditer(text)
        return
    done = 0
    for place in sorted(place for anchor in numbers.intersection(places) for place in places[anchor]):
        starts = (place - distance for distance in back if place - distance >= done)
        if hit := next(filter(None, (pattern.match(text, start) for start in starts)), None):
            done = hit.end()
            yield hit


def _register_anchors(pattern: str, anchors: Iterable[str]) -> frozenset[int]:
    return _anchors.setdefault(pattern, frozenset(_numbers.setdefault(anchor, len(_numbers)) for anchor in anchors))


def _stretches_near(text: str, anchors: frozenset[int], reach: int) -> Iterator[tuple[int, int]]:
    """Disjoint stretches, in order, that hold everything within reach of an anchor."""
    places = _places_of_anchors(text, len(_numbers))
    if places is None:
        yield 0, len(text)
        return
    start = end = -1
    for place in sorted(place for anchor in anchors.intersection(places) for place in places[anchor]):
        if place - reach > end:
            if end >= 0:
                yield start, end
            start = max(0, place - reach)
        end = place + reach
    if end >= 0:
        yield start, end


def _places_of_anchors(text: str, count: int) -> "Mapping[int, array[int]] | None":
    """Where each anchor begins; None for a text that writes figures in a script that no anchor has."""
    with _lock:
        if (text, count) in _places_by_text:
            return _places_by_text[text, count][1]
    places = _find_places(text, count)
    with _lock:
        if len(text) < _MAX_KEPT:
            _places_by_text[text, count] = len(text), places
    return places


def _find_places(text: str, count: int) -> "Mapping[int, array[int]] | None":
    if not text.isascii() and _FOREIGN_FIGURE.search(text):
        return None
    plain = text if text.isascii() else _HALF.sub("\N{REPLACEMENT CHARACTER}", text)
    places: dict[int, array[int]] = {}
    automaton, overlap = _build_automaton(count)
    for at in range(0, len(text), _CHUNK):
        for anchor, start, _ in automaton.find_matches_as_indexes(plain[at : at + _CHUNK + overlap], overlapping=True):
            if start < _CHUNK:
                places.setdefault(anchor, array("I")).append(at + start)
    return places


@lru_cache(maxsize=1)
def _build_automaton(count: int) -> tuple[AhoCorasick, int]:
    anchors = list(_numbers)[:count]
    return AhoCorasick(anchors), max(map(len, anchors)) - 1
