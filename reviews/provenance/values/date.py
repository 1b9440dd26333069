"""Days written with month and day: 2026-11-21, 21/11/2026, November 21st, 21 novembre 2026."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from functools import lru_cache
from itertools import chain

from babel.dates import get_month_names

from reviews.provenance.text.anchors import finditer_near, matches_from
from reviews.provenance.text.fold import fold

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
_BEGUN = re.compile(rf"\b{_FIRST}(?:{_TO}| and (?:the )?)$")
"""Before "17th of May": "13th to the "."""
_ENDED = re.compile(rf"{_TO}{_DAY}(?![\w:]){YEAR}")
"""Behind "May 13": "-17, 2026"."""
_BACK = 24
_NAMED_ABROAD = re.compile(
    rf"\b{_DAY}\.?(?: de)? (?P<month>{'|'.join(_ABROAD)})(?![a-z])(?:,?(?: de)? (?P<year>(?:19|20)\d{{2}}))?"
)
_FIGURES = (*(f"{figure}{mark}" for figure in range(10) for mark in "-/."), *(f"t{figure}" for figure in range(10)))
"""What every day in figures contains: a figure before a separator, or the T before a time of day."""
_MONTHS_IN_A_YEAR = 12


_NAMES = {
    month: (stem, *(name for name, number in _ABROAD.items() if number == month and not name.startswith(stem)))
    for month, stem in enumerate(MONTH_STEMS, start=1)
}
"""What every name of a month begins with, by its number."""
_FOREIGN_FIGURE = re.compile(r"[^\D0-9]")
_YEARS_MEANT = range(1900, 2101)
"""Years that somebody who names none may mean: of the living, and of their plans."""


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


def may_name(text: str, first: date, last: date) -> bool:
    """Whether a folded text may name one of these days with its month; never false for one that `days_in` finds.

    Most texts can be told to name none by looking for a few short strings, which costs a hundredth of reading them.
    """
    if not text.isascii() and _FOREIGN_FIGURE.search(text):
        return True
    months = {(day.year, day.month) for day in (first, last)}
    day = first.replace(day=1)
    while (day.year, day.month) < (last.year, last.month):
        months.add((day.year, day.month))
        day = date(day.year + day.month // _MONTHS_IN_A_YEAR, day.month % _MONTHS_IN_A_YEAR + 1, 1)
    if any(_begins_word(name, text) for _, month in months for name in _NAMES[month]):
        return True
    return any(_may_write(text, year, month, first, last) for year, month in months)


def _may_write(text: str, year: int, month: int, first: date, last: date) -> bool:
    """Whether it may write a day of the month in figures: 2026-11-21, 20261121t0900, 21.11.26."""
    whole, short = f"{year:04}", f"{year % 100:02}"
    if whole in text:
        low = first.day if (first.year, first.month) == (year, month) else 1
        high = last.day if (last.year, last.month) == (year, month) else 31
        if any(low <= int(hit[1] or hit[2]) <= high for hit in _in_month(whole, month).finditer(text)):
            return True
    return any(f"{mark}{each}" in text for mark in "/.-" for each in (whole, short)) and (
        _year_last(whole, short).search(text) is not None
    )


# A call has some tens of days, and each is looked for in all of its texts.
@lru_cache(maxsize=256)
def _in_month(year: str, month: int) -> re.Pattern[str]:
    return re.compile(rf"{year}(?:[-/]0?{month}[-/]([0-9]{{1,2}})|{month:02}([0-9]{{2}}))")


@lru_cache(maxsize=256)
def _year_last(year: str, short: str) -> re.Pattern[str]:
    return re.compile(rf"[0-9][/.-][0-9]{{1,2}}[/.-](?:{year}|{short})(?![0-9])")


def _begins_word(name: str, text: str) -> bool:
    at = text.find(name)
    # Behind an ordinal there need be no space: 5thmarch.
    while at > 0 and text[at - 1].isalpha() and not text[max(at - 3, 0)].isdigit():
        at = text.find(name, at + 1)
    return at >= 0


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
