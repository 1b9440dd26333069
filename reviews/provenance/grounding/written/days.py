"""Days written with month and day: 2026-11-21, 21/11/2026, November 21st, 21 novembre 2026."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from itertools import chain

from babel.dates import get_month_names

from reviews.provenance.grounding.written.anchored import finditer_near, matches_from
from reviews.provenance.grounding.written.normal import fold

MONTHS = "january february march april may june july august september october november december".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTH_STEMS = tuple(month[:3] for month in MONTHS)
MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
YEAR = r"(?:,?[ -](?:of )?(?P<year>(?:19|20)\d{2}))?"
_ABROAD = {
    fold(name): month
    for language in ("de", "fr", "es", "it", "pt", "nl")
    for month, name in get_month_names("wide", locale=language).items()
}
"""Month names of other languages; each names one month wherever it is used."""
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_ISO = re.compile(r"(?<![\w-])(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?![\d-])")
_COMPACT = re.compile(r"(?<!\w)(?P<year>(?:19|20)\d{2})(?P<month>[01]\d)(?P<day>[0-3]\d)(?=t\d{4})")
_NUMERIC = re.compile(r"(?<![\w/.-])(?P<a>\d{1,2})(?P<sep>[/.-])(?P<b>\d{1,2})(?P=sep)(?P<year>\d{4}|\d{2})(?![\w/-])")
_NAMED = (
    re.compile(rf"\b{MONTH}[ -](?:the )?{_DAY}\b{YEAR}"),
    re.compile(rf"\b{_DAY}\.?[ -]?(?:of )?{MONTH}(?![a-z]){YEAR}"),
)
_FIRST = r"(?P<first>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_TO = r" ?(?:-|to|until|till|through) ?(?:the )?"
_RANGES = (
    re.compile(rf"\b{_FIRST}(?:{_TO}| and (?:the )?){_DAY}\.?[ -]?(?:of )?{MONTH}(?![a-z]){YEAR}"),
    re.compile(rf"\b{MONTH}[ -](?:the )?{_FIRST}{_TO}{_DAY}(?![\w:]){YEAR}"),
)
"""Two days of one month: "the 13th to the 17th of May", "May 13-17, 2026"."""
_NAMED_ABROAD = re.compile(
    rf"\b{_DAY}\.?(?: de)? (?P<month>{'|'.join(_ABROAD)})(?![a-z])(?:,?(?: de)? (?P<year>(?:19|20)\d{{2}}))?"
)
_FIGURES = (*(f"{figure}{mark}" for figure in range(10) for mark in "-/."), *(f"t{figure}" for figure in range(10)))
"""What every day in figures contains: a figure before a separator, or the T before a time of day."""
_MONTHS_IN_A_YEAR = 12


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, a time of day, or both, in a text."""

    start: int
    end: int
    day: date | None = None
    clock: time | None = None
    any_year: bool = False
    """The text names no year and no clock is known: only month and day count."""
    zone: tzinfo | None = None
    """The zone that the text names with the time of day."""

    def on(self, day: date) -> bool:
        """Whether this may mean that day."""
        if self.day is None:
            return False
        return (self.day.month, self.day.day) == (day.month, day.day) if self.any_year else self.day == day


def days_in(text: str, now: datetime | None) -> Iterator[Moment]:
    """The days a text names with month and day; 03/04/2026 in both readings unless the text shows its order."""
    for hit in chain(matches_from(_ISO, text, _FIGURES, (3,)), finditer_near(_COMPACT, text, _FIGURES, reach=16)):
        yield from _valid(hit, int(hit["year"]), int(hit["month"]), int(hit["day"]))
    yield from _numeric(list(finditer_near(_NUMERIC, text, _FIGURES, reach=16)))
    for pattern in _NAMED:
        for hit in finditer_near(pattern, text, MONTH_STEMS):
            yield from _named(hit, month_of(hit["month"]), now)
    for pattern in _RANGES:
        for hit in finditer_near(pattern, text, MONTH_STEMS):
            yield from _named(hit, month_of(hit["month"]), now, "first")
            yield from _named(hit, month_of(hit["month"]), now)
    for hit in finditer_near(_NAMED_ABROAD, text, _ABROAD):
        yield from _named(hit, _ABROAD[hit["month"]], now)


def month_of(name: str) -> int:
    """The number, from 1, of a month by its English name or the first letters of it."""
    return next(n for n, month in enumerate(MONTHS, start=1) if month.startswith(name[:3]))


def years_near(month: int, day: int, today: date) -> tuple[int, int]:
    """The years of the nearest such day behind and ahead."""
    return (today.year, today.year + 1) if (month, day) <= (today.month, today.day) else (today.year - 1, today.year)


def _numeric(hits: list[re.Match[str]]) -> Iterator[Moment]:
    """A text that anywhere has a number above 12 in one place has shown its order; points mean day first."""
    month_first = any(int(hit["b"]) > _MONTHS_IN_A_YEAR for hit in hits)
    day_first = any(int(hit["a"]) > _MONTHS_IN_A_YEAR for hit in hits)
    for hit in hits:
        year = int(hit["year"]) + (2000 if len(hit["year"]) == 2 else 0)  # noqa: PLR2004
        if hit["sep"] != "." and (month_first or not day_first):
            yield from _valid(hit, year, int(hit["a"]), int(hit["b"]))
        if hit["sep"] == "." or day_first or not month_first:
            yield from _valid(hit, year, int(hit["b"]), int(hit["a"]))


def _named(hit: re.Match[str], month: int, now: datetime | None, which: str = "day") -> Iterator[Moment]:
    day = int(hit[which])
    if hit["year"]:
        yield from _valid(hit, int(hit["year"]), month, day)
    elif now is None:
        yield from _valid(hit, 2000, month, day, any_year=True)
    else:
        for year in years_near(month, day, now.date()):
            yield from _valid(hit, year, month, day)


def _valid(hit: re.Match[str], year: int, month: int, day: int, *, any_year: bool = False) -> Iterator[Moment]:
    try:
        yield Moment(*hit.span(), day=date(year, month, day), any_year=any_year)
    except ValueError:
        return
