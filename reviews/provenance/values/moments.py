"""Days and times of day as people write them, absolute or relative to the trace's clock."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import chain, groupby, product
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.text.fold import fold
from reviews.provenance.values.dates import Moment, days_in
from reviews.provenance.values.locales import weekday_abbreviations, weekday_names
from reviews.provenance.values.relative_days import relative_days_in
from reviews.provenance.values.times import MIDNIGHT, clocks_in

__all__ = ["ANY_DAY", "Moment", "datetime_of", "literal_moments_in", "moment_of", "moments_in", "zone_of"]

ANY_DAY: Final = date(2000, 1, 2)
"""The day of a time of day that is moved, or held against another one, around the clock."""
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
# What else such a value may say: the day's weekday, and words between.
_REST: Final = re.compile(r"(?P<weekday>[^\W\d]*)[ ,.t@]*(?:at|on)?[ ]*")


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
    return _moment_of(fold(value.strip())) if isinstance(value, str) and len(value) <= _LONGEST else None


def datetime_of(value: JsonValue) -> datetime | None:
    """The moment that a whole string with a day means; without a time of day its beginning."""
    day, clock = moment_of(value) or (None, None)
    return datetime.combine(day, clock or time()) if day else None


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
    rest = _REST.fullmatch(text[: first.start] + text[first.end :])
    return (first.day, first.clock) if rest and _is_weekday_of(first.day, rest["weekday"]) else None


def _is_weekday_of(day: date | None, word: str) -> bool:
    """Whether a word beside a moment says no more than its day: "before 14:00" and "Friday 14:00" are no times."""
    if not word:
        return True
    numbers = {weekday_names().get(word), *weekday_abbreviations().get(word, ())}
    return day is not None and day.weekday() in numbers


def zone_of(text: str) -> timedelta | None:
    """The offset from UTC that a moment names, as ISO spells it or by letters that mean one; None where it has none."""
    for read in (datetime.fromisoformat, time.fromisoformat):
        with suppress(ValueError):
            return read(text).utcoffset()
    moments = literal_moments_in(text.lower()) if len(text) <= _LONGEST else ()
    return next((moment.zone.utcoffset(None) for moment in moments if moment.zone), None)


def _by_themselves(text: str, days: list[Moment], relative: Iterator[Moment]) -> Iterator[Moment]:
    """The relative days that are no part of a longer one, nor the weekday of a day that is written beside it."""
    beginnings = {day.start for day in days}
    reached, last = 0, (-1, -1)
    tagged = [*((day, True) for day in days), *((moment, False) for moment in relative)]
    for moment, is_written in sorted(tagged, key=lambda pair: (pair[0].start, -pair[0].end)):
        inside = moment.end <= reached and moment.place != last
        if is_written:
            reached = max(reached, moment.end)
        elif not inside and beginnings.isdisjoint((moment.end + 1, moment.end + 2)):
            reached, last = max(reached, moment.end), moment.place
            yield moment


def _join_moments(text: str, days: list[Moment], clocks: list[Moment]) -> Iterator[Moment]:
    """Days and times in order; those that stand together are one moment, in each of their readings."""
    by_place = groupby(sorted([*days, *clocks], key=lambda moment: moment.place), key=lambda moment: moment.place)
    pending: list[Moment] = []
    for _, readings in by_place:
        here = list(readings)
        if pending and _are_one(text, pending[0], here[0]):
            yield from chain.from_iterable(_combine_moments(text, *pair) for pair in product(pending, here))
            here = []
        else:
            yield from pending
        pending = here
    yield from pending


def _are_one(text: str, first: Moment, second: Moment) -> bool:
    if (first.day is None) == (second.day is None) or second.start > first.end + _GAP:
        return False
    return _TOGETHER.fullmatch(text, first.end, second.start) is not None


def _combine_moments(text: str, first: Moment, second: Moment) -> Iterator[Moment]:
    day, clock = (first, second) if first.day else (second, first)
    moment = Moment(first.start, second.end, day.day, clock.clock, day.any_year, clock.zone, day.place, clock.place)
    yield moment
    # Friday's midnight is where it begins to some, and where it ends to others.
    if day.day and day.day < date.max and text.startswith(MIDNIGHT, clock.start):
        yield moment._replace(day=day.day + timedelta(days=1))
