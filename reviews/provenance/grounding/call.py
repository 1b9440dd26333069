"""A whole call with what was said and looked up before it: what a rule about one of its values may need."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import cached_property

from reviews.provenance.core.context import SourceId, Step
from reviews.provenance.records.index import Indexed
from reviews.provenance.records.series import Series, series_in
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.fold import words_of
from reviews.provenance.values.moment import moment_of

# Names of parameters that bound a period from below; without one of them a lone date may be either end.
_STARTS = frozenset("start begin from since min after earliest lower first".split())


@dataclass(frozen=True)
class Call:
    """One proposed call. Texts come the most trusted first, of equals the latest first."""

    leaves: tuple[Leaf, ...] = ()
    """Every argument."""
    messages: tuple[Indexed, ...] = ()
    """What the user wrote."""
    situation: tuple[Indexed, ...] = ()
    """System prompts."""
    data: tuple[Indexed, ...] = ()
    """Tool outputs and other material."""
    steps: Mapping[SourceId, Step] = field(default_factory=dict)
    """The finished call that each tool output answers."""
    now: datetime | None = None

    @cached_property
    def series(self) -> tuple[tuple[Indexed, Series], ...]:
        """Every series of numbers by day that was looked up."""
        return tuple((text, series) for text in self.data for series in series_in(text))

    @cached_property
    def starts(self) -> tuple[tuple[Leaf, date], ...]:
        """The arguments by whose names something starts on a day, and the day. Read once: a call may have thousands."""
        named = (leaf for leaf in self.leaves if _STARTS.intersection(words_of(leaf.name)))
        return tuple((leaf, day) for leaf in named if (day := self.day_of(leaf)))

    def day_of(self, leaf: Leaf) -> date | None:
        """The day an argument means, if it means one."""
        moment = moment_of(leaf.value)
        return moment[0] if moment else None

    def clock_of(self, leaf: Leaf) -> time | None:
        """The time of day an argument means, if it means one."""
        moment = moment_of(leaf.value)
        return moment[1] if moment else None
