"""Dates and times as people write them, absolute or relative to the trace's clock."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from dateutil.relativedelta import relativedelta

from reviews.provenance.grounding.numbers import SMALL

MONTHS = "january february march april may june july august september october november december".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?:,? (?P<year>(?:19|20)\d{2}))?"
_WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})"
_COUNT = rf"(?P<count>\d{{1,3}}|an?|{'|'.join(SMALL)})"
_SPAN = r"(?P<unit>day|week|month|year|fortnight)s?"
_HINT = re.compile(rf"\d[-/.:]\d|\d ?[ap]\.?m|noon|midday|midnight|{'|'.join(month[:3] for month in MONTHS)}")
"""What every day or time of day has; most strings have none of it."""
_LONGEST = 48
_ISO = re.compile(r"(?<![\w-])(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?![\d-])")
_NUMERIC = re.compile(r"(?<![\w/.-])(?P<a>\d{1,2})(?P<sep>[/.-])(?P<b>\d{1,2})(?P=sep)(?P<year>\d{4}|\d{2})(?![\w/-])")
_NAMED = (
    re.compile(rf"\b{_MONTH} (?:the )?{_DAY}\b{_YEAR}"),
    re.compile(rf"\b{_DAY} (?:of )?{_MONTH}(?![a-z]){_YEAR}"),
)
_CLOCK = re.compile(
    r"(?<![\w:.-])(?P<h>[01]?\d|2[0-4])(?::(?P<m>[0-5]\d))?(?::(?P<s>[0-5]\d)(?:\.\d+)?)?"
    r" ?(?P<half>[ap])(?:m\b|\.m\b\.?)"
)
_TIME = re.compile(
    r"(?:(?<![\w:.+-])|(?<=\dt))(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:\.\d{1,9})?)?(?![\d:])"
)
_BARE = re.compile(
    r"\b(?:at|by|from|until|till|to|before|after) (?P<h>1[0-2]|[1-9])(?: o'?clock)?(?![\w:.,%/-]\w|[\w:%/])"
)
_RELATIVE = re.compile(
    r"\b(?:(?P<word>day after tomorrow|day before yesterday|today|tonight|tomorrow|yesterday)"
    rf"|(?:(?P<which>next|last|this|past|previous|coming) )?{_WEEKDAY}(?P<plain>)"
    rf"|in {_COUNT} {_SPAN}(?P<ahead>)"
    rf"|{_COUNT.replace('count', 'count2')} {_SPAN.replace('unit', 'unit2')} (?:ago|before now)"
    rf"|(?:last|past|previous) {_COUNT.replace('count', 'count3')} {_SPAN.replace('unit', 'unit3')}"
    r"|(?P<period>this|next|last|past|previous|current) (?P<unit4>day|week|month|year|fortnight))\b"
)
_SINCE = re.compile(r"\b(?:since|until now|so far|to date|up to now)\b")
_WHOLE_MONTH = re.compile(rf"\b(?:in|of|during|for|throughout) {_MONTH}(?! ?\d{{1,2}}\b)(?![a-z]){_YEAR}")
_OFFSETS = {
    "day after tomorrow": 2,
    "day before yesterday": -2,
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
    "yesterday": -1,
}


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, a time of day, or both, in a text."""

    start: int
    end: int
    day: date | None = None
    clock: time | None = None
    any_year: bool = False
    """The text names no year and no clock is known: only month and day count."""

    def on(self, day: date) -> bool:
        """Whether this may mean that day."""
        if self.day is None:
            return False
        return (self.day.month, self.day.day) == (day.month, day.day) if self.any_year else self.day == day


def moment_of(value: object) -> tuple[date | None, time | None] | None:
    """The day and time of day a whole string means, or None when it is anything else."""
    return _moment_of(value.strip().lower()) if isinstance(value, str) and len(value) <= _LONGEST else None


@lru_cache(maxsize=4096)
def _moment_of(text: str) -> tuple[date | None, time | None] | None:
    if not _HINT.search(text):
        return None
    days = [m for m in days_in(text, None) if not m.any_year]
    clocks = [m for m in clocks_in(text) if m.end - m.start > 1]
    rest = text
    for moment in sorted({(m.start, m.end) for m in [*days[:1], *clocks[:1]]}, reverse=True):
        rest = rest[: moment[0]] + rest[moment[1] :]
    if not (days or clocks) or not re.fullmatch(r"[ ,t@]*(?:at|on)?[ ]*(?:z|utc|gmt|[+-]\d{2}:?\d{2})?", rest):
        return None
    return (days[0].day if days else None, clocks[0].clock if clocks else None)


def moments_in(text: str, now: datetime | None) -> tuple[Moment, ...]:
    """Every day and time of a folded text; an ambiguous one appears once for each reading."""
    return (*days_in(text, now), *clocks_in(text, bare=True), *(_relative(text, now.date()) if now else ()))


def days_in(text: str, now: datetime | None) -> Iterator[Moment]:
    """The days a text names with month and day."""
    for hit in _ISO.finditer(text):
        yield from _valid(hit, int(hit["year"]), int(hit["month"]), int(hit["day"]))
    for hit in _NUMERIC.finditer(text):
        year = int(hit["year"]) + (2000 if len(hit["year"]) == 2 else 0)  # noqa: PLR2004
        yield from _valid(hit, year, int(hit["a"]), int(hit["b"]))
        yield from _valid(hit, year, int(hit["b"]), int(hit["a"]))
    for pattern in _NAMED:
        for hit in pattern.finditer(text):
            yield from _named(hit, now)


def clocks_in(text: str, *, bare: bool = False) -> Iterator[Moment]:
    """The times of day a text names; `bare` takes hours without minutes too, as in "at 3"."""
    for hit in _CLOCK.finditer(text):
        if int(hit["h"]) <= 12:  # noqa: PLR2004
            hour = int(hit["h"]) % 12 + (12 if hit["half"] == "p" else 0)
            yield Moment(*hit.span(), clock=time(hour, int(hit["m"] or 0), int(hit["s"] or 0)))
    for hit in _TIME.finditer(text):
        if not re.match(r" ?[ap]\.?m\b", text[hit.end() : hit.end() + 5]):
            yield from _both_halves(hit, int(hit["h"]), int(hit["m"]), int(hit["s"] or 0))
    for hit in re.finditer(r"\b(?P<word>noon|midday|midnight)\b", text):
        yield Moment(*hit.span(), clock=time(0 if hit["word"] == "midnight" else 12))
    for hit in _BARE.finditer(text) if bare else ():
        yield from _both_halves(hit, int(hit["h"]), 0, 0)


def _both_halves(hit: re.Match[str], hour: int, minute: int, second: int) -> Iterator[Moment]:
    yield Moment(*hit.span(), clock=time(hour, minute, second))
    if 1 <= hour < 12 and not hit["h"].startswith("0") and second == 0 and hit.end() - hit.start() < 8:  # noqa: PLR2004
        yield Moment(*hit.span(), clock=time(hour + 12, minute))


def _valid(hit: re.Match[str], year: int, month: int, day: int, *, any_year: bool = False) -> Iterator[Moment]:
    try:
        yield Moment(*hit.span(), day=date(year, month, day), any_year=any_year)
    except ValueError:
        return


def _named(hit: re.Match[str], now: datetime | None) -> Iterator[Moment]:
    month = _month(hit["month"])
    if hit["year"]:
        yield from _valid(hit, int(hit["year"]), month, int(hit["day"]))
    elif now is None:
        yield from _valid(hit, 2000, month, int(hit["day"]), any_year=True)
    else:
        for year in _years(month, int(hit["day"]), now.date()):
            yield from _valid(hit, year, month, int(hit["day"]))


def _years(month: int, day: int, today: date) -> tuple[int, int]:
    """The years of the nearest such day behind and ahead."""
    return (today.year, today.year + 1) if (month, day) <= (today.month, today.day) else (today.year - 1, today.year)


def _month(name: str) -> int:
    return next(n for n, month in enumerate(MONTHS, start=1) if month.startswith(name[:3]))


def _relative(text: str, today: date) -> Iterator[Moment]:
    for hit in _RELATIVE.finditer(text):
        for day in _days_meant(hit, today):
            yield Moment(*hit.span(), day=day)
    for hit in _SINCE.finditer(text):
        yield from (Moment(*hit.span(), day=day) for day in _shift(today, 0, -1))
    for hit in _WHOLE_MONTH.finditer(text):
        years = [int(hit["year"])] if hit["year"] else list(_years(_month(hit["month"]), 1, today))
        for year in years:
            first = date(year, _month(hit["month"]), 1)
            yield Moment(*hit.span(), day=first)
            yield Moment(*hit.span(), day=first + relativedelta(day=31))


def _days_meant(hit: re.Match[str], today: date) -> list[date]:
    if hit["word"]:
        return _shift(today, _OFFSETS[hit["word"]])
    if hit["weekday"]:
        return _weekdays(today, WEEKDAYS.index(hit["weekday"]), hit["which"])
    if hit["ahead"] is not None:
        return _moved(today, hit["count"], hit["unit"], 1)
    if hit["count2"]:
        return _moved(today, hit["count2"], hit["unit2"], -1)
    if hit["count3"]:
        return [*_moved(today, hit["count3"], hit["unit3"], -1), *_shift(today, 0, -1)]
    return _period(today, hit["period"], hit["unit4"])


def _weekdays(today: date, weekday: int, which: str | None) -> list[date]:
    ahead = (weekday - today.weekday()) % 7
    match which:
        case "next":
            # "Next Friday" on a Thursday is tomorrow to some and eight days off to others.
            return _shift(today, ahead or 7, (ahead or 7) + 7)
        case "last" | "past" | "previous":
            return _shift(today, (ahead or 7) - 7, (ahead or 7) - 14)
        case "this" | "coming":
            return _shift(today, ahead)
    return _shift(today, ahead, ahead - 7) if ahead else _shift(today, 0, 7, -7)


def _moved(today: date, count: str, unit: str, sign: int) -> list[date]:
    n = 1 if count in ("a", "an") else SMALL[count] if count in SMALL else int(count)
    days = {"day": n, "week": 7 * n, "fortnight": 14 * n}.get(unit)
    step = relativedelta(days=days) if days is not None else relativedelta(months=n if unit == "month" else 12 * n)
    return _safely(lambda: [today + sign * step])


def _period(today: date, which: str, unit: str) -> list[date]:
    turn = {"this": 0, "current": 0, "next": 1}.get(which, -1)
    match unit:
        case "week":
            monday = today - timedelta(days=today.weekday())
            return _shift(monday, 7 * turn, 7 * turn + 6, 7 * turn + 4) + _shift(today, 7 * turn)
        case "month":
            first = today.replace(day=1)
            return _safely(
                lambda: (
                    [d + relativedelta(months=turn) for d in (first, today)]
                    + [first + relativedelta(months=turn, day=31)]
                )
            )
        case "year":
            return _safely(
                lambda: [
                    date(today.year + turn, 1, 1),
                    date(today.year + turn, 12, 31),
                    today + relativedelta(years=turn),
                ]
            )
    return _shift(today, turn * (14 if unit == "fortnight" else 1))


def _shift(today: date, *offsets: int) -> list[date]:
    return _safely(lambda: [today + timedelta(days=offset) for offset in offsets])


def _safely(days: Callable[[], list[date]]) -> list[date]:
    try:
        return days()
    except (ValueError, OverflowError):  # beyond the calendar
        return []
