"""Days and times of day as people write them, absolute or relative to the trace's clock."""

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.values.dates import Moment, days_in
from reviews.provenance.values.relative_days import relative_days_in
from reviews.provenance.values.times import clocks_in

__all__ = ["Moment", "is_in_zone", "literal_moments_in", "moment_of", "moments_in", "zone_of"]

# What databases write; there are many of them, and they leave no question.
_EXACT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?P<clock>[t ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?"
)
# Between a day and a time of day that are one moment: a comma, the T, a preposition of any language; no conjunction.
_TOGETHER: Final = re.compile(r"t|[ ,@]{1,3}(?:(?!and|or|to|till|und|oder|et|ou|y|e\b)[a-z]{1,4}\.? ){0,2}|, ?")
# Characters that such a gap takes.
_GAP: Final = 12
# Characters of a value that may be a moment; the longest way to write one has about fifty.
_LONGEST: Final = 64
# What else such a value may say: the weekday, and words between.
_REST: Final = re.compile(r"[^\W\d]*[ ,.t@]*(?:at|on)?[ ]*")


def moments_in(text: str, now: datetime | None) -> Iterator[Moment]:
    """Every day and time of a folded text; an ambiguous one appears once for each reading."""
    days = list(days_in(text, now))
    if now:
        days += _by_themselves(text, days, relative_days_in(text, now))
    return _join_moments(text, days, list(clocks_in(text)))


def literal_moments_in(text: str) -> Iterator[Moment]:
    """The moments that need no clock: days with their year, and times of day."""
    days = [day for day in days_in(text, None) if not day.any_year]
    return _join_moments(text, days, list(clocks_in(text)))


def moment_of(value: JsonValue) -> tuple[date | None, time | None] | None:
    """The day and time of day that a whole string means in its first reading, or None when it is anything else."""
    return _moment_of(value.strip().lower()) if isinstance(value, str) and len(value) <= _LONGEST else None


@lru_cache(maxsize=4096)
def _moment_of(text: str) -> tuple[date | None, time | None] | None:
    if exact := _EXACT.fullmatch(text):
        try:
            met = datetime.fromisoformat(text)
        except ValueError:
            return None
        return met.date(), met.time() if exact["clock"] else None
    first = min(literal_moments_in(text), key=lambda moment: moment.start, default=None)
    if first is None:
        return None
    rest = text[: first.start] + text[first.end :]
    return (first.day, first.clock) if _REST.fullmatch(rest) else None


def zone_of(text: str) -> timedelta | None:
    """The offset from UTC that a moment in ISO's spelling names; None where it names none."""
    try:
        return datetime.fromisoformat(text).utcoffset()
    except ValueError:
        return None


def is_in_zone(moment: Moment, zone: timedelta | None) -> bool:
    """Whether the text names this very offset with the time of day, or none where the value has none."""
    return zone is None if moment.zone is None else zone is not None and moment.zone.utcoffset(None) == zone


def _by_themselves(text: str, days: list[Moment], relative: Iterator[Moment]) -> Iterator[Moment]:
    """The relative days that are no part of a longer one, nor the weekday of a day that is written beside it."""
    beginnings = {day.start for day in days}
    reached, last = 0, (-1, -1)
    spans = sorted({day[:2] for day in days}, key=lambda span: (span[0], -span[1]))
    at = 0
    for moment in sorted(relative, key=lambda moment: (moment.start, -moment.end)):
        while at < len(spans) and spans[at][0] <= moment.start:
            reached, at = max(reached, spans[at][1]), at + 1
        inside = moment.end <= reached and moment[:2] != last
        if not inside and beginnings.isdisjoint((moment.end + 1, moment.end + 2)):
            reached, last = max(reached, moment.end), moment[:2]
            yield moment


def _join_moments(text: str, days: list[Moment], clocks: list[Moment]) -> Iterator[Moment]:
    """Days and times in order; those that stand together are one moment, in each of their readings."""
    ordered = sorted([*days, *clocks], key=lambda moment: (moment.start, moment.end))
    at = 0
    while at < len(ordered):
        here, at = _readings_at(ordered, at)
        there, after = _readings_at(ordered, at)
        if there and _are_one(text, here[0], there[0]):
            yield from (_combine_moments(*pair) for pair in ((first, second) for first in here for second in there))
            at = after
        else:
            yield from here


def _readings_at(moments: list[Moment], at: int) -> tuple[list[Moment], int]:
    """The readings of one stretch, and where the next begin."""
    end = at
    while end < len(moments) and moments[end][:2] == moments[at][:2]:
        end += 1
    return moments[at:end], end


def _are_one(text: str, first: Moment, second: Moment) -> bool:
    if (first.day is None) == (second.day is None) or not first.end <= second.start <= first.end + _GAP:
        return False
    return _TOGETHER.fullmatch(text, first.end, second.start) is not None


def _combine_moments(first: Moment, second: Moment) -> Moment:
    day, clock = (first, second) if first.day else (second, first)
    return Moment(first.start, second.end, day.day, clock.clock, day.any_year, clock.zone, day[:2], clock[:2])
