"""The words of a message as its clauses have them: what is small, what other arguments use, which days it names."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from reviews.provenance.language.base import languages_of
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.clauses import TRAITS
from reviews.provenance.request.comparisons import daypart_words
from reviews.provenance.request.naming import STOP, words_naming
from reviews.provenance.request.words import words_in
from reviews.provenance.values.moment import MONTHS, Moment

# Words of a message that are read: people describe in fewer.
_MOST_WORDS = 400
ARTICLES = frozenset(
    "the my our your his her their its that this whichever der die das den dem la le les el los las lo il i gli o a os "
    "as de het een".split()
)
"""What a noun phrase begins with."""
GENERIC = frozenset({"one", "ones"})
"""Nouns that stand for a thing of the list at hand."""
# How a time of day is written that is no bare number.
_WRITTEN = re.compile(r"\d[:.h]\d\d|\d ?[ap]\.?m")
# Words that tell no thing from another.
_FILLING = frozenset("yet still already currently anymore ever actually really obviously now then instead".split())
# What begins another clause.
_NEXT_CLAUSE = frozenset("and then but und dann y e et puis maar ma".split())


class Day(NamedTuple):
    """A day, or a month, that a text names."""

    start: int
    end: int
    days: frozenset[date]
    month: int = 0

    def holds(self, dates: Sequence[date]) -> bool:
        """Whether a record of these days is meant."""
        return any(each.month == self.month if self.month else each in self.days for each in dates)


class Sentences:
    """One message."""

    def __init__(self, text: Indexed, explained: Sequence[tuple[int, int]]) -> None:
        self.text, self._explained = text, explained
        self.folded = text.folded.text
        self.words = list(islice(words_in(self.folded), _MOST_WORDS))
        spoken = languages_of(self.folded)
        self.small = frozenset(STOP | ARTICLES | TRAITS.keys() | _FILLING).union(*(each.function for each in spoken))
        """Words that name nothing."""
        self.verbs = frozenset(verb for each in spoken for verbs in each.verbs.values() for verb in verbs)
        """Verbs by which people ask for something."""

    @cached_property
    def naming(self) -> frozenset[str]:
        """The words that can name a record."""
        return frozenset(words_naming(self.text))

    @cached_property
    def days(self) -> tuple[Day, ...]:
        """The days and months that are named."""
        return tuple(_days_of(self.text))

    @cached_property
    def parts(self) -> tuple[tuple[int, int, str], ...]:
        """The parts of the day that are named."""
        return tuple(daypart_words(self.folded))

    def clocks_at(self, at: int) -> list[Moment]:
        """The readings of the time of day that is written at an offset; a bare number is none."""
        found = [each for each in self._clocks if each.start <= at < each.end]
        return [each for each in found if each.start == found[0].start]

    @cached_property
    def _clocks(self) -> list[Moment]:
        moments = islice(self.text.moments, _MOST_WORDS)
        return [each for each in moments if each.clock and _WRITTEN.search(self.folded[each.start : each.end])]

    def clauses(self, goes_on: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
        """The words of each clause, from and until. `goes_on` tells whether the word behind an "and" qualifies the same
        thing as what stands before it: "with power and water".
        """
        low = 0
        for n, word in enumerate(self.words):
            joined = word.text in _NEXT_CLAUSE and not goes_on(self.word(n + 1))
            if n > low and (word.breaks or joined):
                yield low, n
                low = n + joined
        if low < len(self.words):
            yield low, len(self.words)

    def word(self, n: int) -> str:
        """The word of this number; empty behind the last."""
        return self.words[n].text if n < len(self.words) else ""

    def in_day(self, at: int) -> bool:
        """Whether an offset lies within a day that is named."""
        return any(day.start <= at < day.end for day in self.days)

    def is_used(self, start: int, end: int) -> bool:
        """Whether another argument uses this stretch."""
        first, last = self.text.folded.raw(start, end)
        return any(begin <= first and last <= stop for begin, stop in self._explained)

    def is_explained(self, n: int) -> bool:
        """Whether another argument uses a word."""
        return self.is_used(self.words[n].start, self.words[n].end)


def _days_of(text: Indexed) -> list[Day]:
    """The days and months that a text names, each once."""
    named: dict[tuple[int, int], set[date]] = {}
    for moment in islice(text.moments, _MOST_WORDS):
        if moment.day and not moment.any_year:
            named.setdefault((moment.start, moment.end), set()).add(moment.day)
    found = []
    for (start, end), days in named.items():
        said = text.folded.text[start:end]
        month = next((n for n, name in enumerate(MONTHS, start=1) if re.search(rf"\b{name}\b", said)), 0)
        found.append(Day(start, end, frozenset(days), month if not re.search(r"\d", said) else 0))
    return found
