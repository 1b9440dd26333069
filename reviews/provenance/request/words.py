"""The words of a request, with what they stand in: a quotation, a sentence."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from reviews.provenance.text.quotations import FOLDED_QUOTATION

# Underscores separate words.
_WORD = re.compile(r"[^\W_]+")
# Words on either side belong to different phrases.
_BREAK = re.compile(r"[.;:?!\n()](?:\s|$)|,|\n")
# Characters read.
_READ = 20_000


class Word(NamedTuple):
    """A word of a folded text."""

    start: int
    end: int
    text: str
    quote: int
    """Which quotation it stands in; 0 for none."""
    breaks: bool
    """Whether a sentence or list item ends before it."""


def words_in(folded: str) -> Iterator[Word]:
    """Every word of the beginning of a folded text."""
    quotes = [hit.span() for hit in FOLDED_QUOTATION.finditer(folded[:_READ])]
    breaks = [hit.start() for hit in _BREAK.finditer(folded[:_READ])]
    quote = stop = behind = 0
    for hit in _WORD.finditer(folded[:_READ]):
        start, end = hit.span()
        while quote < len(quotes) and quotes[quote][1] <= start:
            quote += 1
        while stop < len(breaks) and breaks[stop] < start:
            stop += 1
        inside = quote < len(quotes) and quotes[quote][0] <= start
        yield Word(start, end, hit.group(), quote + 1 if inside else 0, stop > behind)
        behind = stop
