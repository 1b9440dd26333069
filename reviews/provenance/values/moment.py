"""Days and times of day as people write them, absolute or relative to the trace's clock."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from functools import lru_cache

from reviews.provenance.core.context import JsonValue
from reviews.provenance.values.abroad import moments_abroad, range_starts
from reviews.provenance.values.date import MONTHS, WEEKDAYS, Moment, days_in
from reviews.provenance.values.date_calendar import calendar_days_in
from reviews.provenance.values.date_relative import relative_in
from reviews.provenance.values.number import number_of
from reviews.provenance.values.time_of_day import clocks_in

__all__ = [
    "MONTHS", "WEEKDAYS", "Meaning", "Moment", "clocks_in", "days_in", "epoch_meant", "instant_of", "meanings_of",
    "moment_of", "moments_in", "told_in", "written_in",
]  # fmt: skip

# Characters of a text in which days are told in words; longer ones come from tools, which write both.
_MESSAGE = 4_000
# Two days of one month, of which the second has its name.
_RANGE = re.compile(r"\d\.? ?(?:bis|au|al|a|ao|tot|t/m|to|till|until|through|-)\b")
# What every day or time of day has; most strings have none of it.
_HINT = re.compile(
    rf"\d[-/.:]\d|\d ?[ap]\.?m|\d{{8}}t\d|noon|midday|midnight|{'|'.join(month[:3] for month in MONTHS)}"
)
_EXACT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?P<clock>[t ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")
# Two figures with a point are a number before they are a time.
_DECIMAL = re.compile(r"\d+\.\d+")
# Characters of a value that may be a moment; the longest way to write one has about fifty.
_LONGEST = 64
_REST = re.compile(rf"(?:(?:{'|'.join(day[:3] for day in WEEKDAYS)})[a-z]*\.?)?[ ,t@]*(?:at|on)?[ ]*")
# A bare number is a time stamp only where the parameter says so.
_EPOCH = re.compile(r"\b(?:time|date|timestamp|ts|epoch|unix|at|start|end|begin|until|since|expires?|due)\b", re.I)
# Seconds since 1970 of the years 2000 and 2100.
_EPOCHS = (946_684_800, 4_102_444_800)


@dataclass(frozen=True, slots=True)
class Meaning:
    """One reading of a value that is a day, a time of day, or both."""

    day: date | None
    clock: time | None
    zone: tzinfo | None = None


def moment_of(value: object) -> tuple[date | None, time | None] | None:
    """The day and time of day a whole string means in its first reading, or None when it is anything else."""
    meanings = meanings_of(value)
    return (meanings[0].day, meanings[0].clock) if meanings else None


def instant_of(value: object) -> datetime | None:
    """The same as one value, without a zone; None for a string that leaves the day or the time of day open."""
    day, clock = moment_of(value) or (None, None)
    return datetime.combine(day, clock) if day and clock is not None else None


def meanings_of(value: object) -> tuple[Meaning, ...]:
    """Every reading of a whole string that is a day, a time of day, or both; none for anything else."""
    return _meanings_of(value.strip().lower()) if isinstance(value, str) and len(value) <= _LONGEST else ()


def epoch_meant(value: JsonValue, hint: str) -> tuple[Meaning, ...]:
    """The instant of a number of seconds or milliseconds since 1970, for a parameter that is about a time."""
    number = number_of(value) if _EPOCH.search(hint) else None
    if number is None or not _EPOCHS[0] <= number < 1000 * _EPOCHS[1]:
        return ()
    met = datetime.fromtimestamp(int(number if number < _EPOCHS[1] else number / 1000), UTC)
    return (Meaning(met.date(), met.time(), UTC),)


@lru_cache(maxsize=4096)
def _meanings_of(text: str) -> tuple[Meaning, ...]:
    if exact := _iso_meaning(text):
        return (exact,)
    if not _HINT.search(text) or _DECIMAL.fullmatch(text):
        return ()
    days = [moment for moment in days_in(text, None) if not moment.any_year]
    clocks = [moment for moment in clocks_in(text) if moment.end - moment.start > 1]
    rest = text
    for start, end in sorted({(m.start, m.end) for m in [*days[:1], *clocks[:1]]}, reverse=True):
        rest = rest[:start] + rest[end:]
    if not (days or clocks) or not _REST.fullmatch(rest):
        return ()
    first_days = [moment.day for moment in days if moment.start == days[0].start] or [None]
    # The first time of day in each of its zones: a value is written for machines, 3:00 is not 15:00 in it.
    first_clocks = [m for m in clocks if m.start == clocks[0].start and m.clock == clocks[0].clock]
    timed = [(m.clock, m.zone) for m in first_clocks] or [(None, None)]
    return tuple(Meaning(day, clock, zone) for day in first_days for clock, zone in timed)


def _iso_meaning(text: str) -> Meaning | None:
    """What databases write; there are many of them, and they leave no question."""
    hit = _EXACT.fullmatch(text)
    try:
        met = datetime.fromisoformat(text) if hit else None
    except ValueError:
        return None
    return Meaning(met.date(), met.time() if hit and hit["clock"] else None) if met else None


def moments_in(text: str, now: datetime | None) -> tuple[Moment, ...]:
    """Every day and time of a folded text; an ambiguous one appears once for each reading."""
    return (*written_in(text, now), *told_in(text, now))


def written_in(text: str, now: datetime | None) -> Iterator[Moment]:
    """Those that are written as dates and times of day."""
    yield from days_in(text, now)
    yield from clocks_in(text, bare=True)


def told_in(text: str, now: datetime | None) -> Iterator[Moment]:
    """Those that are told in words: tomorrow, the end of the month, and what other languages say."""
    if now:
        yield from relative_in(text, now)
        yield from calendar_days_in(text, now)
    yield from moments_abroad(text, now)
    yield from range_starts(text, days_in(text, now) if len(text) <= _MESSAGE and _RANGE.search(text) else ())
