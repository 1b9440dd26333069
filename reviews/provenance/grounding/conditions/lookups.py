"""What was looked up, by what it is about, with the numbers by day that came back."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from reviews.provenance.core.context import Context, SourceKind, Step, leaves
from reviews.provenance.records.index import Indexed
from reviews.provenance.records.series import Point, series_in
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.stems import stem

# Words of a phrase that may name what a series is about.
_MOST_WORDS = 5
# Names of columns are compared word by word: `totalVisits` is total visits.
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class Lookup:
    """A finished call and its output."""

    step: Step
    text: Indexed

    @cached_property
    def about(self) -> frozenset[str]:
        """The stems of its name and of what it was called with."""
        arguments = (Leaf(value).text for _, value in leaves(dict(self.step.arguments)))
        texts = (_JOINED.sub(" ", self.step.tool), *arguments)
        return frozenset(stem(word) for text in texts for word in words_of(text[:200]))

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The numbers by day it returned; none when it returned several kinds of them."""
        found = series_in(self.text)
        return found[0].points if len({series.name for series in found}) == 1 else ()


@dataclass(frozen=True)
class Lookups:
    """Every finished call of the history that returned something."""

    all: tuple[Lookup, ...]

    def named(self, words: Sequence[str]) -> tuple[Lookup, ...]:
        """Those about all of these words; figures name nothing."""
        stems = {stem(word) for word in words}
        if any(word.isdigit() for word in stems):
            return ()
        return tuple(lookup for lookup in self.all if stems <= lookup.about)

    def at_start(self, words: Sequence[str]) -> tuple[Lookup, ...]:
        """Those that the longest run at the start of a phrase names."""
        return self._longest(tuple(words[:n]) for n in range(min(len(words), _MOST_WORDS), 0, -1))

    def at_end(self, words: Sequence[str]) -> tuple[Lookup, ...]:
        """Those that the longest run at the end of a phrase names."""
        return self._longest(tuple(words[-n:]) for n in range(min(len(words), _MOST_WORDS), 0, -1))

    def latest(self, words: Sequence[str]) -> tuple[Lookup, ...]:
        """Those that the last run of words names that names any."""
        ends = range(len(words), 0, -1)
        return next((found for end in ends if (found := self.at_end(words[:end]))), ())

    def _longest(self, runs: Iterator[tuple[str, ...]]) -> tuple[Lookup, ...]:
        return next((found for run in runs if (found := tuple(e for e in self.named(run) if e.points))), ())


def lookups_of(context: Context) -> Lookups:
    """Every lookup, in order."""
    found = []
    for position, item in enumerate(context.history, start=1):
        source = context.sources.get(f"history/{position}/outcome")
        if isinstance(item, Step) and source is not None and source.kind is SourceKind.TOOL_OUTPUT:
            found.append(Lookup(item, Indexed(source, context.now)))
    return Lookups(tuple(found))


def merged(lookups: Sequence[Lookup]) -> dict[date, Point] | None:
    """The points of several lookups about one thing by day; None when they tell different numbers for one day."""
    points: dict[date, Point] = {}
    for point in (point for lookup in lookups for point in lookup.points):
        if points.setdefault(point.day, point).value != point.value:
            return None
    return points
