"""Patterns that are tried only around the few fixed strings that their matches contain.

A pattern that may begin anywhere is tried at every character of a text, which takes a hundred times as long as to
search for a string.
"""

import re
from collections.abc import Iterable, Iterator

from reviews.provenance.text.boundaries import Place, find_all


def finditer_near(pattern: re.Pattern[str], text: str, anchors: Iterable[str], reach: int) -> Iterator[re.Match[str]]:
    """What the pattern's own `finditer` finds, provided that each match contains an anchor and ends within its reach.

    `reach` is in characters, from the anchor's beginning to either side; what the pattern looks at lies in it as well.
    """
    # Disjoint stretches that hold everything within reach of an anchor.
    stretches: list[Place] = []
    for place in _places_of(anchors, text):
        if stretches and place - reach <= stretches[-1][1]:
            stretches[-1] = stretches[-1][0], place + reach
        else:
            stretches.append((max(0, place - reach), place + reach))
    for start, end in stretches:
        yield from pattern.finditer(text, start, end)


def matches_from(pattern: re.Pattern[str], text: str, anchors: Iterable[str]) -> Iterator[re.Match[str]]:
    """What the pattern's own `finditer` finds, provided that each match begins with an anchor."""
    done = 0
    for place in _places_of(anchors, text):
        if place >= done and (hit := pattern.match(text, place)):
            done = hit.end()
            yield hit


def _places_of(anchors: Iterable[str], text: str) -> list[int]:
    """Where an anchor begins, in order."""
    return sorted({place for anchor in anchors for place in find_all(text, anchor)})
