"""Days written with month and day: 2026-11-21, 21/11/2026, November 21st, 21 novembre 2026."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from functools import lru_cache
from itertools import chain

from babel.dates import get_month_names

from reviews.provenance.text.anchors import finditer_near, matches_from
from reviews.provenance.text.fold import fold

# English names; other languages come from CLDR.
MONTHS = "january february march april may june july august september october november december".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTH_STEMS = tuple(month[:3] for month in MONTHS)
MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
# Of the last and this century: other four figures behind a day are something else.
YEAR = r"(?:,?[ -](?:of )?(?P<year>(?:19|20)\d{2}))?"
# Month names of other languages; each names one month wherever it is used.
_ABROAD = {
    fold(name): month
    for language in ("de", "fr", "es", "it", "pt", "nl")
    for month, name in get_month_names("wide", locale=language).items()
}
# From 1 to 31, with an ordinal's ending or without.
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
# Neither end may belong to a longer number.
_ISO = re.compile(r"(?<![\w-])(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?![\d-])")
# Eight figures are a date only where a time follows: else they are an identifier.
_COMPACT = re.compile(r"(?<!\w)(?P<year>(?:19|20)\d{2})(?P<month>[01]\d)(?P<day>[0-3]\d)(?=t\d{4})")
# Day and month in either order: both readings are kept.
_NUMERIC = re.compile(r"(?<![\w/.-])(?P<a>\d{1,2})(?P<sep>[/.-])(?P<b>\d{1,2})(?P=sep)(?P<year>\d{4}|\d{2})(?![\w/-])")
# The month before the day, and behind it.
_NAMED = (
    re.compile(rf"\b{MONTH}[ -](?:the )?{_DAY}\b{YEAR}"),
    re.compile(rf"\b{_DAY}\.?[ -]?(?:of )?{MONTH}(?![a-z]){YEAR}"),
)
_FIRST = r"(?P<first>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_TO = r" ?(?:-|to|until|till|through) ?(?:the )?"
# Before "17th of May": "13th to the ".
_BEGUN = re.compile(rf"\b{_FIRST}(?:{_TO}| and (?:the )?)$")
# Behind "May 13": "-17, 2026".
_ENDED = re.compile(rf"{_TO}{_DAY}(?![\w:]){YEAR}")
# Characters before a mention in which a range may begin.
_BACK = 24
_NAMED_ABROAD = re.compile(
    rf"\b{_DAY}\.?(?: de)? (?P<month>{'|'.join(_ABROAD)})(?![a-z])(?:,?(?: de)? (?P<year>(?:19|20)\d{{2}}))?"
)
# What every day in figures contains: a figure before a separator, or the T before a time of day.
_FIGURES = (*(f"{figure}{mark}" for figure in range(10) for mark in "-/."), *(f"t{figure}" for figure in range(10)))
# A number above it is the day, which settles the order.
_MONTHS_IN_A_YEAR = 12


# Ways to write days, without what stands around them: each finds more than the pattern that reads the days, and sooner.
_YEAR_FIRST = re.compile(r"([0-9]{4})[-/]([0-9]{1,2})[-/]([0-9]{1,2})(?![\d-])")
_TOGETHER = re.compile(r"([12][0-9]{3})([01][0-9])([0-3][0-9])t")
_YEAR_LAST = re.compile(r"[0-9](?<![0-9]{3})([/.-])[0-9]{1,2}\1([0-9]{4}|[0-9]{2})(?![\w/-])")
# What every name of a month begins with.
_BEGINNINGS = {stem: month for month, stem in enumerate(MONTH_STEMS, start=1)} | {
    name: month for name, month in _ABROAD.items() if not name.startswith(MONTH_STEMS[month - 1])
}
# Behind an ordinal there need be no space: 5thmarch.
_WORD_BEGINS = r"(?:(?<![^\W\d_])|(?<=[0-9](?:st|nd|rd|th)))"
_NAME = re.compile(rf"{_WORD_BEGINS}(?:{'|'.join(_BEGINNINGS)})")
_LONGEST = max(map(len, _BEGINNINGS))
_FOREIGN_FIGURE = re.compile(r"[^\D0-9]")
# Years that somebody who names none may mean: of the living, and of their plans.
_YEARS_MEANT = range(1900, 2101)


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
        if self.any_year:
            return (self.day.month, self.day.day) == (day.month, day.day) and day.year in _YEARS_MEANT
        return self.day == day


def days_in(text: str, now: datetime | None) -> Iterator[Moment]:
    """The days a text names with month and day; 03/04/2026 in both readings unless the text shows its order."""
    for hit in chain(matches_from(_ISO, text, _FIGURES, (3,)), finditer_near(_COMPACT, text, _FIGURES, reach=16)):
        yield from _valid(hit.span(), int(hit["year"]), int(hit["month"]), int(hit["day"]))
    yield from _numeric(list(finditer_near(_NUMERIC, text, _FIGURES, reach=16)))
    for pattern in _NAMED:
        for hit in finditer_near(pattern, text, MONTH_STEMS):
            month = month_of(hit["month"])
            yield from _named(hit.span(), hit["year"], month, hit["day"], now)
            yield from _other_end(text, hit, month, now)
    for hit in finditer_near(_NAMED_ABROAD, text, _ABROAD):
        yield from _named(hit.span(), hit["year"], _ABROAD[hit["month"]], hit["day"], now)


@dataclass(frozen=True)
class Calendar:
    """What a text writes that may be days: read once, it tells of any day whether the text may name it.

    That costs a tenth of reading the days themselves, and most texts name none of those that are looked for.
    """

    days: tuple[tuple[int, int, int], ...]
    """Year, month and day of those that begin with their year, in order."""
    years: frozenset[int]
    """Years, in two figures or four, of those that end with their year."""
    months: frozenset[int]
    """Months whose names begin a word."""
    foreign: bool
    """Whether there are figures of other scripts: then anything may be said."""

    def may_name(self, first: date, last: date) -> bool:
        """Whether one of these days may be named; never false for one that `days_in` finds."""
        if self.foreign:
            return True
        at = bisect_left(self.days, (first.year, first.month, first.day))
        if at < len(self.days) and self.days[at] <= (last.year, last.month, last.day):
            return True
        if self.years and any({year, year % 100} & self.years for year in range(first.year, last.year + 1)):
            return True
        begin, end = _MONTHS_IN_A_YEAR * first.year + first.month, _MONTHS_IN_A_YEAR * last.year + last.month
        return bool(self.months) and any((n - 1) % _MONTHS_IN_A_YEAR + 1 in self.months for n in range(begin, end + 1))


def calendar_of(text: str) -> Calendar:
    """What a folded text writes that may be days."""
    found = chain(_YEAR_FIRST.findall(text), _TOGETHER.findall(text))
    return Calendar(
        days=tuple(sorted({(int(year), int(month), int(day)) for year, month, day in found})),
        years=frozenset(int(year) for _, year in _YEAR_LAST.findall(text)),
        months=frozenset(_BEGINNINGS[hit.group()] for hit in finditer_near(_NAME, text, _BEGINNINGS, reach=_LONGEST)),
        foreign=not text.isascii() and _FOREIGN_FIGURE.search(text) is not None,
    )


# A request names a few days.
@lru_cache(maxsize=64)
def writing_of(day: date) -> re.Pattern[str]:
    """What every folded text contains that names the day: month and day in figures, or the month's name."""
    names = "|".join(name for name, month in _BEGINNINGS.items() if month == day.month)
    figures = rf"(?:{day.month}[-/.]0?{day.day}|{day.day}[-/.]0?{day.month})(?![0-9])|{day:%m%d}t"
    return re.compile(rf"{figures}|{_WORD_BEGINS}(?:{names})|[^\D0-9]")


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
            yield from _valid(hit.span(), year, int(hit["a"]), int(hit["b"]))
        if hit["sep"] == "." or day_first or not month_first:
            yield from _valid(hit.span(), year, int(hit["b"]), int(hit["a"]))


def _other_end(text: str, hit: re.Match[str], month: int, now: datetime | None) -> Iterator[Moment]:
    """The other day of "the 13th to the 17th of May" and of "May 13-17, 2026", whose year is the range's."""
    at = max(0, hit.start() - _BACK)
    if begun := _BEGUN.search(text[at : hit.start()]):
        yield from _named((at + begun.start(), hit.end()), hit["year"], month, begun["first"], now)
    ended = None if hit["year"] else _ENDED.match(text, hit.end())
    if ended:
        for day in (hit["day"], ended["day"]):
            yield from _named((hit.start(), ended.end()), ended["year"], month, day, now)


def _named(span: tuple[int, int], year: str | None, month: int, day: str, now: datetime | None) -> Iterator[Moment]:
    if year:
        years: tuple[int, ...] = (int(year),)
    else:
        years = years_near(month, int(day), now.date()) if now else (2000,)
    for each in years:
        yield from _valid(span, each, month, int(day), any_year=not year and now is None)


def _valid(span: tuple[int, int], year: int, month: int, day: int, *, any_year: bool = False) -> Iterator[Moment]:
    try:
        yield Moment(*span, day=date(year, month, day), any_year=any_year)
    except ValueError:
        return
