"""Days that English tells by their distance from today or their place in a week, month, quarter or year.

The one table of words of our own: CLDR has no grammar. Names of weekdays are CLDR's in every language.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from functools import cache
from typing import Final

from dateutil.relativedelta import relativedelta

from reviews.provenance.text.anchors import finditer_near
from reviews.provenance.values.dates import Moment, years_near
from reviews.provenance.values.locales import either, month_names, weekday_names

_COUNTS: Final = {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
} | {"a": 1, "an": 1, "a couple of": 2}
_COUNT: Final = rf"(?P<count>[0-9]{{1,3}}|{either(_COUNTS)})"
_SPAN: Final = r"(?P<unit>(?:business |working )?day|week|fortnight|month|year)s?"
_WORDS: Final = {
    "day after tomorrow": 2, "day before yesterday": -2, "today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1,
}  # fmt: skip
_WORD: Final = rf"(?P<word>{either(_WORDS)})"
_TURNS: Final = {"this": 0, "current": 0, "the": 0, "next": 1, "coming": 1, "last": -1, "past": -1, "previous": -1}
_WHICH: Final = rf"(?P<which>{either(_TURNS)})"
_NTHS: Final = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1}
_YEAR: Final = r"(?:19|20)[0-9]{2}"
_ENGLISH_MONTH: Final = either(tuple(name for name in month_names() if name.isascii()))
_STRETCH: Final = (
    rf"(?:(?:{_WHICH} )?(?P<unit>week|month|quarter|year)\b|(?P<month>{_ENGLISH_MONTH})\b(?:,? (?P<year>{_YEAR}))?"
    rf"|(?P<only>{_YEAR})\b)"
)
_SATURDAY: Final = 5
_WEEK: Final = 7
# Months of a stretch of the calendar.
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}
# Characters on either side of the word that every form has.
_REACH: Final = 40


def relative_days_in(text: str, now: datetime) -> Iterator[Moment]:
    """Every day a folded text tells so against the clock; an ambiguous one appears once for each reading."""
    today = now.date()
    for pattern, anchors, read in _forms():
        for hit in finditer_near(pattern, text, anchors, reach=_REACH):
            for day in dict.fromkeys(_within_calendar(read, hit, today)):
                yield Moment(*hit.span(), day=day)


def _within_calendar(read: Callable[[re.Match[str], date], list[date]], hit: re.Match[str], today: date) -> list[date]:
    """The days, or none when one lies beyond the calendar."""
    try:
        return read(hit, today)
    except (ValueError, OverflowError):
        return []


def _by_word(hit: re.Match[str], today: date) -> list[date]:
    return [today + timedelta(days=_WORDS[hit["word"]])]


def _weekdays(hit: re.Match[str], today: date) -> list[date]:
    """The days "next Friday", "last Friday", "this Friday" or "Friday" may mean."""
    ahead = (weekday_names()[hit["weekday"]] - today.weekday()) % _WEEK
    match _TURNS.get(hit["which"] or ""):
        case 1 if hit["which"] == "next":
            # "Next Friday" on a Thursday is tomorrow to some and eight days off to others.
            offsets = (ahead or 7, (ahead or 7) + 7)
        case -1:
            offsets = ((ahead or 7) - 7, (ahead or 7) - 14)
        case None:
            offsets = (ahead, ahead - 7) if ahead else (0, 7, -7)
        case _:
            offsets = (ahead,)
    return [today + timedelta(days=offset) for offset in offsets]


def _counted(hit: re.Match[str], today: date) -> list[date]:
    """So many days or months from today: in three days, a week ago, two weeks from tomorrow."""
    groups = hit.groupdict()
    way, word = groups.get("way") or "", groups.get("word") or "today"
    sign = -1 if way.startswith(("ago", "before")) else 1
    return _moved(today + timedelta(days=_WORDS[word]), hit["count"], hit["unit"], sign)


def _rolling(hit: re.Match[str], today: date) -> list[date]:
    """Both ends of "the last seven days" and "the next two weeks"."""
    sign = _TURNS[hit["which"]]
    return [*_moved(today, hit["count"], hit["unit"], sign), today, today + timedelta(days=sign)]


def _moved(start: date, count: str, unit: str, sign: int) -> list[date]:
    n = _COUNTS.get(count) or int(count)
    if " " in unit:
        return [_working_day(start, n, sign)]
    days = {"day": n, "week": 7 * n, "fortnight": 14 * n}.get(unit)
    step = relativedelta(days=days) if days is not None else relativedelta(months=n if unit == "month" else 12 * n)
    return [start + sign * step]


def _working_day(day: date, n: int, sign: int) -> date:
    """Weeks have five working days; public holidays are not known."""
    while n:
        day += timedelta(days=sign)
        n -= day.weekday() < _SATURDAY
    return day


def _stretch(hit: re.Match[str], today: date) -> list[date]:
    """First, last and like day of "next month", "this quarter", "last week"."""
    turn = _TURNS[hit["which"]]
    first, last = _bounds(hit["unit"], turn, today)
    like = relativedelta(weeks=turn) if hit["unit"] == "week" else relativedelta(months=_MONTHS[hit["unit"]] * turn)
    return [first, last, today + like]


def _edge(hit: re.Match[str], today: date) -> list[date]:
    """The end, beginning or middle of a stretch: the end of May, the beginning of next week."""
    bounds = _bounds_of(hit, today)
    if hit["edge"] in ("end", "close", "last day"):
        return [last for _, last in bounds]
    return [first + timedelta(days=14) if hit["edge"] == "middle" else first for first, _ in bounds]


def _nth_weekdays(hit: re.Match[str], today: date) -> list[date]:
    n, weekday = _NTHS[hit["nth"]], weekday_names()[hit["weekday"]]
    days = []
    for first, last in _bounds_of(hit, today):
        if n > 0:
            day = first + timedelta(days=(weekday - first.weekday()) % _WEEK + _WEEK * (n - 1))
        else:
            day = last - timedelta(days=(last.weekday() - weekday) % _WEEK)
        days += [day] if first <= day <= last else []
    return days


def _weekends(hit: re.Match[str], today: date) -> list[date]:
    turns = {"next": (0, 7), "last": (-7,), "previous": (-7,), "past": (-7,), None: (0, -7)}.get(hit["which"], (0,))
    saturday = today + timedelta(days=_SATURDAY - today.weekday())
    return [saturday + timedelta(days=turn + day) for turn in turns for day in (0, 1)]


def _day_of_month(hit: re.Match[str], today: date) -> list[date]:
    """The nearest 15th behind and ahead."""
    months = [today.replace(day=1) + relativedelta(months=turn) for turn in range(-2, 3)]
    days = [day for month in months if (day := month + relativedelta(day=int(hit["day"]))).day == int(hit["day"])]
    return [day for day in days if day <= today][-1:] + [day for day in days if day > today][:1]


def _bounds_of(hit: re.Match[str], today: date) -> list[tuple[date, date]]:
    if hit["only"]:
        return [_bounds("year", 0, date(int(hit["only"]), 1, 1))]
    if not hit["month"]:
        return [_bounds(hit["unit"], _TURNS[hit["which"] or "the"], today)]
    month = month_names()[hit["month"]]
    years = (int(hit["year"]),) if hit["year"] else years_near(month, 28, today)
    return [_bounds("month", 0, date(year, month, 1)) for year in years]


def _bounds(unit: str, turn: int, today: date) -> tuple[date, date]:
    if unit == "week":
        monday = today + timedelta(days=_WEEK * turn - today.weekday())
        return monday, monday + timedelta(days=6)
    length = _MONTHS[unit]
    first = today.replace(month=(today.month - 1) // length * length + 1, day=1) + relativedelta(months=length * turn)
    return first, first + relativedelta(months=length, days=-1)


@cache
def _forms() -> tuple[tuple[re.Pattern[str], tuple[str, ...], Callable[[re.Match[str], date], list[date]]], ...]:
    """Each form with words of which it contains one, and how it is read."""
    units, weekdays = ("day", "week", "fortnight", "month", "year"), tuple(weekday_names())
    weekday = rf"(?P<weekday>{either(weekdays)})(?!\w)"
    nth = rf"(?P<nth>{either(_NTHS)}) {weekday} (?:of|in) (?:the )?{_STRETCH}"
    edge = rf"(?P<edge>end|close|last day|start|beginning|first day|middle) of (?:the )?{_STRETCH}"
    way = rf"(?P<way>ago|from now|(?:from|after|before) (?:the )?{_WORD})"
    day_of_month = r"(?P<day>3[01]|[12][0-9]|[1-9])(?:st|nd|rd|th)\b(?! (?:of )?[a-z]{3,9}\.? ?[0-9])"
    forms = (
        (_WORD, ("today", "tonight", "tomorrow", "yesterday"), _by_word),
        (rf"(?:{_WHICH} )?{weekday}(?! (?:of|in) )", weekdays, _weekdays),
        (rf"in {_COUNT} {_SPAN}", units, _counted),
        (rf"{_COUNT} {_SPAN} {way}", units, _counted),
        (rf"{_WHICH} {_COUNT} {_SPAN}", units, _rolling),
        (rf"{_WHICH} (?P<unit>week|month|quarter|year)", (*units, "quarter"), _stretch),
        (edge, ("end of", "close of", "day of", "start of", "beginning of", "middle of"), _edge),
        (nth, weekdays, _nth_weekdays),
        (rf"(?:{_WHICH} )?weekend", ("weekend",), _weekends),
        (rf"(?:on )?the {day_of_month}", ("the ",), _day_of_month),
    )
    return tuple((re.compile(rf"(?<!\w){form}(?!\w)"), anchors, read) for form, anchors, read in forms)
