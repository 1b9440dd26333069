"""Days as people tell them: in words for a near one or a month's turn, and by a figure without month or year.

And weekdays that a call gives as a name, a code or a number, and the user in another language: TH for jeudi.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from datetime import MAXYEAR, date, timedelta
from functools import cache
from itertools import chain
from typing import Final

from babel.dates import get_day_names

from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.data.sources import Evidence, SourceText
from reviews.provenance.terms.argument_leaf import Leaf, leaf_at
from reviews.provenance.terms.readings.worded_numbers import MAX_WORDS
from reviews.provenance.text.boundaries import Place, blank_places
from reviews.provenance.text.fold import fold
from reviews.provenance.values.days_of_month import DAY_OF_MONTH, days_without_year_in
from reviews.provenance.values.locales import any_word_of, quoted_weekday_names, weekday_abbreviations
from reviews.provenance.values.moments import Moment, moments_in
from reviews.provenance.values.relative_days import quoted_weekdays_in
from reviews.provenance.values.worded_hours import worded_days_in

_DAYS_A_WEEK: Final = 7
# Characters of words that name weekdays: a few of them, or from one to another.
_MAX_QUOTE: Final = 80
# The number before the name or behind it, with a sign or a short word between: 1 is Monday, Sunday=0, 7 (Sunday).
_BETWEEN: Final = r"[ =:(-]{1,3}(?:[^\W\d_]{1,5} )?"
# Characters between the two days of a range, and what would be another day among them.
_MAX_BETWEEN: Final = 12
_FIGURE: Final = re.compile(r"[0-9]")
# From the day before yesterday to the day after tomorrow.
_NEAR: Final = timedelta(days=2)
# A week ahead; the first day of a period of so many months, and the last one of the period before.
_WEEK: Final = timedelta(weeks=1)
_YEAR: Final = timedelta(days=366)
_AT_TURN: Final = (timedelta(), timedelta(days=1))
_PERIODS: Final = (1, 3, 6, 12)
# A word, letters of a short name that is hardly another word, and words of which one is the short name of a weekday.
_NAME: Final = re.compile(r"[^\W\d_]+")
_TELLING: Final = 3
_FEW_WORDS: Final = 2
# A word that may tell which weekday is meant: prepositions are shorter, and particles are no ideographs.
_WHICH: Final = re.compile(r"[^\W\d_]{4}|[\u3400-\u9fff]")


def may_mean_day(day: date, quote: str, evidence: Evidence) -> bool:
    """Whether a few words without figures may mean a day that languages have words for: near, or a month's turn."""
    now = evidence.presumed_now
    if now is None or len(quote) > MAX_WORDS or any(map(str.isdigit, quote)):
        return False
    if worded := worded_days_in(fold(quote)):
        return (day.month, day.day) in worded and abs(day - now.date()) < _YEAR
    read = [moment for moment in moments_in(fold(quote), now) if moment.day]
    if read:
        # Words beside a weekday may put it a week ahead: nächste Woche Dienstag.
        return any(moment.day == day - _WEEK and has_more_words(quote, moment) for moment in read)
    if weekdays := list(quoted_weekdays_in(fold(quote))):
        # Who says which one, and no preposition alone, may mean that of the week behind.
        beside = blank_places(fold(quote), [weekday.place for weekday in weekdays])
        weeks = 2 if _WHICH.search(beside) else 1
        is_near = -_WEEK <= day - now.date() <= weeks * _WEEK
        return is_near and {weekday.value for weekday in weekdays} == {day.weekday()}
    if _is_shortened(day, quote):
        return abs(day - now.date()) <= _WEEK
    return abs(day - now.date()) <= _NEAR or _is_turn(day, now.date()) or day - now.date() == _WEEK


def _is_shortened(day: date, quote: str) -> bool:
    """Whether words are a short name of the day's weekday, or one beside another word: sat, next sat, в пт.

    Two Latin letters are another word as often: do, so, me.
    """
    words = _NAME.findall(fold(quote))
    names = (word for word in words if len(word) >= _TELLING or not word.isascii())
    short = weekday_abbreviations(quoted=True)
    return len(words) <= _FEW_WORDS and any(day.weekday() in short.get(name, ()) for name in names)


def _is_turn(day: date, today: date) -> bool:
    """Whether it is the last day of this month, quarter, half-year or year, or the first of the next one."""
    for months in _PERIODS:
        behind = today.month - 1 - (today.month - 1) % months + months
        begins = date(today.year + behind // 12, behind % 12 + 1, 1) if today.year < MAXYEAR else today
        if begins - day in _AT_TURN:
            return True
    return False


def has_more_words(quote: str, moment: Moment) -> bool:
    """Whether words stand beside this moment in a quote."""
    folded = fold(quote)
    return any(map(str.isalpha, folded[: moment.start] + folded[moment.end :]))


def find_first_of_range(day: date, moments: Sequence[Moment], text: SourceText) -> Iterator[Place]:
    """The figure alone of a day whose month the later day of a range tells: del 4 al 6 de mayo."""
    last = day.replace(day=monthrange(day.year, day.month)[1])
    later = {moment.start for moment in moments if moment.day and day < moment.day <= last}
    for hit in DAY_OF_MONTH.finditer(text.folded) if later else ():
        between = text.folded[hit.end() : hit.end() + _MAX_BETWEEN]
        begins = {hit.end() + length for length in range(len(between) + 1) if not _FIGURE.search(between[:length])}
        if not hit["month"] and int(hit["day"]) == day.day and not later.isdisjoint(begins):
            yield hit.span()


def find_days_without_year(day: date, today: date, text: SourceText) -> Iterator[Place]:
    """A day of the month in figures, with the month's or alone, where the value is the next such day: 23.12., 28th."""
    yield from (place for place, meant in days_without_year_in(text.folded, today) if meant == day)


def may_mean_weekday(leaf: Leaf, quote: str) -> bool:
    """Whether the words name the weekday that the value is, or the two weekdays between which it lies."""
    number = _weekday_of(leaf)
    if number is None or len(quote) > _MAX_QUOTE:
        return False
    match [weekday.value for weekday in quoted_weekdays_in(fold(quote))]:
        case [first, last] if (number - first) % _DAYS_A_WEEK <= (last - first) % _DAYS_A_WEEK:
            return True
        case weekdays:
            return number in weekdays


def _weekday_of(leaf: Leaf) -> int | None:
    """The weekday, from Monday on, that a whole value means; a number only where the description says whose it is."""
    if isinstance(leaf.value, str) and not leaf.text.isdecimal():
        return _weekday_names().get(leaf.bare)
    is_number = leaf.text.isdecimal() and int(leaf.text) <= _DAYS_A_WEEK
    # A list is described as a whole.
    described = leaf.description or leaf_at(None, pointer_to(leaf.parameter), leaf.tool).description
    first = _number_of_monday(described) if is_number else None
    return None if first is None else (int(leaf.text) - first) % _DAYS_A_WEEK


@cache
def _weekday_names() -> Mapping[str, int]:
    """Every full name, and the short ones of English, of which codes are made: mon, tues, su."""
    widths = (get_day_names(width, locale="en") for width in ("abbreviated", "short"))
    short = {fold(name): number for names in widths for number, name in names.items()}
    return {**short, **quoted_weekday_names()}


def _number_of_monday(description: str) -> int | None:
    """The number that Monday has, as far as all weekdays agree whose number the description tells."""
    hits = chain.from_iterable(pattern.finditer(fold(description)) for pattern in _numbered_weekdays())
    firsts = {(int(hit["number"]) - _weekday_names()[hit["name"]]) % _DAYS_A_WEEK for hit in hits}
    return firsts.pop() if len(firsts) == 1 else None


@cache
def _numbered_weekdays() -> tuple[re.Pattern[str], re.Pattern[str]]:
    number, name = "(?P<number>[0-7])", f"(?P<name>{any_word_of(_weekday_names())})"
    return (
        re.compile(rf"(?<![\w.,-]){number}{_BETWEEN}{name}(?![^\W\d_])"),
        re.compile(rf"(?<![^\W\d_]){name}{_BETWEEN}{number}(?![\w-]|[.,][0-9])"),
    )
