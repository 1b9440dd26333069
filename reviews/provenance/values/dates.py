"""Days that are written: 2026-11-21, 2026.11.21, 21/11/2026, November 21st, 21 de noviembre de 2026, 2026年11月21日."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, time, tzinfo
from functools import cache, lru_cache
from typing import Final, NamedTuple, TypeAlias

from reviews.provenance.text.boundaries import Place
from reviews.provenance.text.fold import fold
from reviews.provenance.text.pattern_anchors import matches_from
from reviews.provenance.values.locales import any_word_of, date_links, month_abbreviations, month_names

# Neither end may belong to a longer number; what follows the figures may be the T before a time of day.
_ISO: Final = re.compile(
    r"(?P<year>[0-9](?<![\w.-][0-9])[0-9]{3})(?:[-/]|(?P<point>\. ?))(?P<month>[0-9]{1,2})(?(point)\. ?|[-/])"
    r"(?P<day>[0-9]{1,2})(?![0-9]|-[0-9]|(?(point)\.[0-9]|(?!)))"
)
# Eight figures are a date only where a time follows: else they are an identifier.
_COMPACT: Final = re.compile(r"t(?<=[0-9]{8}t)(?<!\w[0-9]{8}t)(?=[0-9]{4})")
# Day and month in either order: both readings are kept.
_NUMERIC: Final = re.compile(
    r"(?P<a>[0-9](?<![\w/.-][0-9])[0-9]?)(?P<sep>/|-|\. ?)(?P<b>[0-9]{1,2})(?P=sep)(?P<year>[0-9]{4}|[0-9]{2})"
    r"(?![\w/-]|\.[0-9])"
)
# The signs behind year, month and day in Chinese, Japanese and Korean, folded as texts are.
_YEAR_SIGN, _MONTH_SIGN, _DAY_SIGN = (any_word_of(map(fold, signs)) for signs in ("年년", "月월", "日号號일"))
# A year in two figures stands by itself: behind a letter it may be that of an era.
_SIGNED: Final = re.compile(
    rf"(?:(?P<year>[12][0-9]{{3}}|(?<!\w)[0-9]{{2}})(?:{_YEAR_SIGN}) ?)?(?<![0-9])(?P<month>[0-9]{{1,2}})"
    rf"(?:{_MONTH_SIGN}) ?(?P<day>[0-9]{{1,2}})(?:{_DAY_SIGN})"
)
_DAY: Final = r"(?P<day>3[01]|[12][0-9]|0?[1-9])"
_ORDINAL: Final = r"(?:st|nd|rd|th|er|o)?"
# Of the last and this century: other four figures behind a day are something else.
_YEAR: Final = r"(?P<year>(?:19|20)[0-9]{2})(?![0-9])"
_RANGE: Final = r" ?(?:-|to|until|till|through|and) ?(?:the )?"
# The first day of "13th to the 17th of May" and of "13-17 May".
_BEGUN: Final = re.compile(rf"(?<![\w.:/-]){_DAY}{_ORDINAL}\.?{_RANGE}$")
# Behind "May 13": "-17, 2026".
_ENDED: Final = re.compile(rf"{_RANGE}{_DAY}{_ORDINAL}(?![\w:])(?:,? {_YEAR})?")
# Characters before a day in which the first of its range stands.
_BACK: Final = 24
# English months begin so: all that is looked for where the month stands first.
_STEMS: Final = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())
# A number above it is the day, which settles the order.
_MONTHS: Final = 12
# Of years in two figures this one and those above are of the last century, as POSIX has it.
_LAST_CENTURY: Final = 69
# Years that somebody who names none may mean: of the living, and of their plans.
_YEARS_MEANT: Final = range(1900, 2101)
# A leap year: without a year and a clock only month and day count.
_NO_YEAR: Final = 2000
# Start, end, year if there is one, month and day.
_NamedDay: TypeAlias = tuple[int, int, int | None, int, int]


class Moment(NamedTuple):
    """A day, a time of day, or both, in a text; one that can be read in two ways is there twice."""

    start: int
    end: int
    day: date | None = None
    clock: time | None = None
    any_year: bool = False
    """The text names no year and no clock is known: only month and day count."""
    zone: tzinfo | None = None
    """The zone that the text names with the time of day."""
    day_place: Place | None = None
    """Of a day with its time of day, where the day alone stands."""
    clock_place: Place | None = None
    """And where the time of day does."""

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.start, self.end

    @property
    def parts(self) -> tuple[Place, ...]:
        """Where its day and its time of day stand; of one alone, its place."""
        if self.day_place and self.clock_place:
            return tuple(sorted((self.day_place, self.clock_place)))
        return (self.place,)

    def on(self, day: date) -> bool:
        """Whether this may mean that day."""
        if self.day is None:
            return False
        if self.any_year:
            return (self.day.month, self.day.day) == (day.month, day.day) and day.year in _YEARS_MEANT
        return self.day == day


def days_in(text: str, now: datetime | None) -> Iterator[Moment]:
    """The days a folded text names with month and day; 03/04/2026 in both readings unless the text shows its order."""
    for hit in _ISO.finditer(text):
        yield from _valid_moments(*hit.span(), int(hit["year"]), int(hit["month"]), int(hit["day"]))
    for hit in _COMPACT.finditer(text):
        begin, figures = hit.start() - 8, text[hit.start() - 8 : hit.start()]
        yield from _valid_moments(begin, hit.start(), int(figures[:4]), int(figures[4:6]), int(figures[6:]))
    yield from _numeric_days(list(_NUMERIC.finditer(text)))
    for start, end, year, month, day in _find_named_days(text):
        any_year = year is None and now is None
        # Without a year in the nearest ones behind and ahead, or in any if nobody knows what day it is.
        behind = now.year - ((month, day) > (now.month, now.day)) if now else _NO_YEAR
        for likely_year in (year,) if year is not None else (behind, behind + 1) if now else (_NO_YEAR,):
            yield from _valid_moments(start, end, likely_year, month, day, any_year=any_year)


def spans_of_days(text: str) -> list[Place]:
    """Where a folded text names days with their months, in order."""
    return sorted({(start, end) for start, end, *_ in _find_named_days(text)})


@lru_cache(maxsize=32)  # numbers and moments of a text are read one after the other
def _find_named_days(text: str) -> tuple[_NamedDay, ...]:
    return tuple(_read_named(text))


def _read_named(text: str) -> Iterator[_NamedDay]:
    for hit in _day_first().finditer(text):
        month = month_names().get(hit["month"]) or (month_abbreviations()[hit["month"]] if hit["year"] else None)
        if month:
            yield *hit.span(), _year_of(hit), month, int(hit["day"])
            at = max(0, hit.start() - _BACK)
            if begun := _BEGUN.search(text[at : hit.start()]):
                yield at + begun.start(), hit.end(), _year_of(hit), month, int(begun["day"])
    for hit in matches_from(_month_first(), text, _STEMS):
        month = month_names()[hit["month"]]
        ended = None if hit["year"] else _ENDED.match(text, hit.end())
        for day_hit in (ended, hit) if ended else (hit,):
            end, year = (ended.end(), _year_of(ended)) if ended else (hit.end(), _year_of(hit))
            yield hit.start(), end, year, month, int(day_hit["day"])
    for hit in () if text.isascii() else _SIGNED.finditer(text):
        year = _year_of(hit)
        if year is not None and year < 100:  # noqa: PLR2004 - two figures
            year += 1900 if year >= _LAST_CENTURY else 2000
        yield *hit.span(), year, int(hit["month"]), int(hit["day"])


@cache
def _day_first() -> re.Pattern[str]:
    links, names = any_word_of(date_links()), any_word_of(month_abbreviations())
    # The figure first, since a search skips quickly to it; then whether it begins the number.
    return re.compile(
        rf"(?P<day>[0-9](?<![\w.,:/-][0-9])[0-9]?)(?![0-9]){_ORDINAL}\.?[ -]?(?:day (?=of ))?(?:(?:{links}) )?"
        rf"(?P<month>{names})(?![^\W\d_])\.?(?:,?[ -](?:(?:{links}|in) )?{_YEAR})?"
    )


@cache
def _month_first() -> re.Pattern[str]:
    english = (name for name in month_names() if name.startswith(_STEMS))
    return re.compile(
        rf"(?<![^\W\d_])(?P<month>{any_word_of(english)})\.?[ -](?:the )?{_DAY}(?![0-9]|[:./][0-9])"
        rf"(?:st|nd|rd|th)?(?!\w)(?:,? ?(?:of )?(?<=[ ,-]){_YEAR}|-{_YEAR.replace('P<year>', 'P<dashed>')})?"
    )


def _year_of(hit: re.Match[str]) -> int | None:
    groups = hit.groupdict()
    year = groups.get("year") or groups.get("dashed")
    return int(year) if year else None


def _numeric_days(hits: list[re.Match[str]]) -> Iterator[Moment]:
    """A text that anywhere has a number above 12 in one place has shown its order; points mean day first."""
    read = [(hit, int(hit["a"]), int(hit["b"])) for hit in hits]
    month_first = any(second > _MONTHS >= first for _, first, second in read)
    day_first = any(first > _MONTHS >= second for _, first, second in read)
    for hit, first, second in read:
        is_short, point = len(hit["year"]) < len("2026"), hit["sep"].startswith(".")
        if is_short and point and len(hit[0]) < len("01.02.26"):
            # A version, rather: 1.2.26.
            continue
        readings = {(first, second)} if not point and (month_first or not day_first) else set()
        readings |= {(second, first)} if point or day_first or not month_first else set()
        for month, day in sorted(readings):
            yield from _valid_moments(*hit.span(), int(hit["year"]) + (2000 if is_short else 0), month, day)
        if hit["sep"].startswith("-") and len(hit[0]) == len("26-03-05"):
            # As ISO 8601 has it, with the century left out: 26-03-05.
            yield from _valid_moments(*hit.span(), 2000 + first, second, int(hit["year"]))


def _valid_moments(
    start: int, end: int, year: int, month: int, day: int, *, any_year: bool = False
) -> Iterator[Moment]:
    with suppress(ValueError):
        yield Moment(start, end, date(year, month, day), any_year=any_year)
