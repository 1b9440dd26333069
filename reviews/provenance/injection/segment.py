"""Stretches of a text that are out of place."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final

from reviews.provenance.text.fold import fold, folded_view

# Characters of a quote that are looked for: more than an order has, and a pattern that compiles fast.
_MAX_QUOTE: Final = 8_000
# Blanks differ between a text and a quote of it, all the more where the text is JSON. Bounded and possessive: a text of
# blanks only is read once.
_GAP: Final = r"(?>(?:\s|\\[nrt]){1,200})"
# White space and what nobody sees: an order written with these between its words is none the less read.
_BLANK: Final = r"[\s\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]"
# Four words or figures and more, with at most a mark between them, as a sentence has them.
_WORDS: Final = re.compile(
    rf"(?:[$€£#]?[^\W_]{{1,40}}+(?>[ \t\n,;.'’-]{{1,2}}(?!{_BLANK})|{_BLANK}{{1,40}})){{3,40}}[^\W_]{{1,40}}"
)
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")
# A verb, what it is about and where to: names and labels have fewer.
_MIN_WORDS: Final = 3
# Scripts in which words may follow on one another without blanks (Thai to Hangul): six characters are some three words.
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{6}")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text."""

    start: int
    end: int
    """Offset behind the last character."""


@dataclass(frozen=True, slots=True)
class Segment(Stretch):
    """An anomalous stretch of a text."""

    reason: str
    """What it does; continues “text that …”."""


def merge_segments(segments: Iterable[Segment]) -> tuple[Segment, ...]:
    """The same characters in order, none twice; of segments that overlap the first one's reason stands."""
    merged: list[Segment] = []
    # Sorting keeps the order of those with one start: what was found first names the reason.
    for segment in sorted(segments, key=lambda segment: segment.start):
        if merged and segment.start < merged[-1].end:
            merged[-1] = replace(merged[-1], end=max(merged[-1].end, segment.end))
        elif segment.start < segment.end:
            merged.append(segment)
    return tuple(merged)


def says_something(text: str) -> bool:
    """Whether there is a run of words, as an order needs it: ids, numbers, names and labels are none."""
    runs = (hit.group() for hit in _WORDS.finditer(text))
    return any(len(_LETTERS.findall(run)) >= _MIN_WORDS for run in runs) or _UNSPACED.search(text) is not None


def places_of(quote: str, text: str) -> tuple[tuple[int, int], ...]:
    """Every place where a quote stands: to the character, except that any blanks stand for any others.

    Where it stands nowhere so, case, accents and typographic variants make no difference and invisible characters count
    for none: whoever quotes a text repeats none of these.
    """
    places = _verbatim_places(quote, text)
    if places or text.isascii():
        return places
    view = _folded_view(text)
    return tuple(view.raw(*place) for place in _verbatim_places(fold(quote), view.text))


# A judge quotes several stretches of each of the few texts that one question shows it.
_folded_view = lru_cache(maxsize=4)(partial(folded_view, escaped=False))


def _verbatim_places(quote: str, text: str) -> tuple[tuple[int, int], ...]:
    """Every place where the quote's words stand in order, with any blanks between them."""
    # A judge that quotes JSON repeats its escapes.
    words = quote[:_MAX_QUOTE].replace("\\n", " ").split()
    pattern = re.compile(_GAP.join(map(re.escape, words)))
    return tuple(hit.span() for hit in pattern.finditer(text)) if words else ()
