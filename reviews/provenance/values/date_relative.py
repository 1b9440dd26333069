"""Days told by their distance from today or their place in a week, month, quarter or year."""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta

from dateutil.relativedelta import relativedelta

from reviews.provenance.text.anchors import finditer_near
from reviews.provenance.values.date import MONTH, MONTH_STEMS, WEEKDAYS, YEAR, Moment, month_of, years_near
from reviews.provenance.values.number_words import SMALL

_WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})"
_COUNT = rf"(?P<count>\d{{1,3}}|an?|a couple of|{'|'.join(SMALL)})"
_SPAN = r"(?P<unit>(?:business |working )?day|week|month|year|fortnight)s?"
_TODAY = r"(?P<word>day after tomorrow|day before yesterday|today|tonight|tomorrow|yesterday)"
_RELATIVE = re.compile(
    rf"\b(?:{_TODAY}"
    rf"|(?:(?P<which>next|last|this|past|previous|coming) )?{_WEEKDAY}(?P<plain>)"
    rf"|in {_COUNT} {_SPAN}(?P<ahead>)"
    rf"|{_COUNT.replace('count', 'count2')} {_SPAN.replace('unit', 'unit2')} (?:ago|before now)"
    rf"|(?:last|past|previous) {_COUNT.replace('count', 'count3')} {_SPAN.replace('unit', 'unit3')}"
    rf"|(?:next|coming|following) {_COUNT.replace('count', 'count4')} {_SPAN.replace('unit', 'unit5')}"
    r"|(?P<period>this|next|last|past|previous|current) (?P<unit4>day|week|month|year|fortnight|quarter))\b"
)
_FROM = re.compile(
    rf"\b{_COUNT} {_SPAN} (?P<way>from|after|on|before) (?:now\b|(?:the )?{_TODAY}|(?P<which>next |this )?{_WEEKDAY})"
)
_WAIT = re.compile(rf"\b(?:in (?P<ahead>))?{_COUNT} (?P<unit>minute|hour)s?(?(ahead)\b| (?:ago|(?P<from>from now))\b)")
# "Since" names a beginning; the end is now.
_SINCE = re.compile(r"\b(?:since|until now|so far|to date|up to now)\b")
_WHOLE_MONTH = re.compile(
    r"\b(?:in|of|during|for|throughout|since|from|until|till|through|by|next|last|this) "
    rf"{MONTH}(?! ?\d{{1,2}}\b)(?![a-z]){YEAR}"
)
_MONTH_AND_YEAR = re.compile(rf"\b{MONTH},?[ -](?P<year>(?:19|20)\d{{2}})\b")
# Words without which none of these patterns matches: looking for them first spares most texts.
_UNITS = ("tonight", "tomorrow", "day", "week", "month", "year", "fortnight")
_ANCHORS = (*_UNITS, "quarter")
# Characters from either end of "previous seventeen business days" to its unit, and some.
_REACH = 40
# Nobody plans for a year before it, and a calendar ends below year 1.
_EARLIEST = 1900
# In days.
_OFFSETS = {
    "day after tomorrow": 2,
    "day before yesterday": -2,
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
    "yesterday": -1,
}


def relative_in(text: str, now: datetime) -> Iterator[Moment]:
    """Every day a folded text tells relative to the clock; an ambiguous one appears once for each reading."""
    today = now.date()
    for hit in finditer_near(_RELATIVE, text, _ANCHORS, reach=_REACH):
        yield from (Moment(*hit.span(), day=day) for day in _days_meant(hit, today))
    for hit in finditer_near(_FROM, text, _UNITS):
        yield from (Moment(*hit.span(), day=day) for day in _counted_from(hit, today))
    for hit in finditer_near(_SINCE, text, ("since", "until now", "so far", "to date", "up to now")):
        yield from (Moment(*hit.span(), day=day) for day in shift(today, 0, -1))
    for hit in finditer_near(_WAIT, text, ("minute", "hour")):
        yield from _moments_after(hit, now)
    for hit in finditer_near(_WHOLE_MONTH, text, MONTH_STEMS):
        yield from (Moment(*hit.span(), day=day) for day in _whole_month(hit, today))
    for hit in finditer_near(_MONTH_AND_YEAR, text, MONTH_STEMS):
        yield from (Moment(*hit.span(), day=day) for day in _whole_month(hit, today))


def shift(today: date, *offsets: int) -> list[date]:
    """The days at these distances; none beyond the calendar."""
    return safely(lambda: [today + timedelta(days=offset) for offset in offsets])


def safely(days: Callable[[], list[date]]) -> list[date]:
    """The days, or none when one lies beyond the calendar."""
    try:
        return days()
    except (ValueError, OverflowError):
        return []


def weekdays(today: date, weekday: int, which: str | None) -> list[date]:
    """The days "next Friday", "last Friday", "this Friday" or "Friday" may mean."""
    ahead = (weekday - today.weekday()) % 7
    match which:
        case "next":
            # "Next Friday" on a Thursday is tomorrow to some and eight days off to others.
            return shift(today, ahead or 7, (ahead or 7) + 7)
        case "last" | "past" | "previous":
            return shift(today, (ahead or 7) - 7, (ahead or 7) - 14)
        case "this" | "coming":
            return shift(today, ahead)
    return shift(today, ahead, ahead - 7) if ahead else shift(today, 0, 7, -7)


def _whole_month(hit: re.Match[str], today: date) -> list[date]:
    month = month_of(hit["month"])
    years = [int(hit["year"])] if hit["year"] else years_near(month, 1, today)
    firsts = safely(lambda: [date(year, month, 1) for year in years])
    return [day for first in firsts for day in (first, first + relativedelta(day=31))]


def _days_meant(hit: re.Match[str], today: date) -> list[date]:
    if hit["word"]:
        return shift(today, _OFFSETS[hit["word"]])
    if hit["weekday"]:
        return weekdays(today, WEEKDAYS.index(hit["weekday"]), hit["which"])
    if hit["period"]:
        return _days_of_period(today, hit["period"], hit["unit4"])
    if hit["count3"]:
        return [*_days_after(today, hit["count3"], hit["unit3"], -1), *shift(today, 0, -1)]
    if hit["count4"]:
        return [*_days_after(today, hit["count4"], hit["unit5"], 1), *shift(today, 0, 1)]
    return _days_after(today, hit["count"] or hit["count2"], hit["unit"] or hit["unit2"], 1 if hit["count"] else -1)


def _counted_from(hit: re.Match[str], today: date) -> list[date]:
    sign = -1 if hit["way"] == "before" else 1
    if hit["weekday"]:
        starts = weekdays(today, WEEKDAYS.index(hit["weekday"]), (hit["which"] or "this").strip())
    else:
        starts = shift(today, _OFFSETS[hit["word"] or "today"])
    return [day for start in starts for day in _days_after(start, hit["count"], hit["unit"], sign)]


def _moments_after(hit: re.Match[str], now: datetime) -> Iterator[Moment]:
    """A time of day told by its distance from now, to the minute."""
    sign = 1 if hit["ahead"] is not None or hit["from"] else -1
    length = timedelta(minutes=_count_of(hit["count"]) * (60 if hit["unit"] == "hour" else 1))
    try:
        met = now + sign * length
    except OverflowError:  # beyond the calendar
        return
    yield Moment(*hit.span(), day=met.date(), clock=met.time().replace(second=0, microsecond=0))


def _count_of(count: str) -> int:
    if count in ("a", "an"):
        return 1
    return 2 if count.startswith("a couple") else SMALL[count] if count in SMALL else int(count)


def _days_after(today: date, count: str, unit: str, sign: int) -> list[date]:
    n = _count_of(count)
    if " " in unit:
        return _working_days(today, n, sign)
    days = {"day": n, "week": 7 * n, "fortnight": 14 * n}.get(unit)
    step = relativedelta(days=days) if days is not None else relativedelta(months=n if unit == "month" else 12 * n)
    return safely(lambda: [today + sign * step])


def _working_days(today: date, n: int, sign: int) -> list[date]:
    """Weeks have five working days; public holidays are not known."""
    saturday = working = 5
    # Whole weeks at once, but for the last: day by day it ends on a working day, wherever it began.
    weeks = max(n - 1, 0) // working
    days, remaining = shift(today, sign * 7 * weeks), n - working * weeks
    while days and remaining:
        days = shift(days[0], sign)
        remaining -= bool(days) and days[0].weekday() < saturday
    return days


def _days_of_period(today: date, which: str, unit: str) -> list[date]:
    turn = {"this": 0, "current": 0, "next": 1}.get(which, -1)
    match unit:
        case "week":
            monday = today - timedelta(days=min(today.weekday(), today.toordinal() - 1))
            return shift(monday, 7 * turn, 7 * turn + 6, 7 * turn + 4) + shift(today, 7 * turn)
        case "month" | "quarter":
            return safely(lambda: _bounds_of_months(today, turn, 3 if unit == "quarter" else 1))
        case "year":
            return safely(
                lambda: [
                    date(today.year + turn, 1, 1),
                    date(today.year + turn, 12, 31),
                    today + relativedelta(years=turn),
                ]
            )
    return shift(today, turn * (14 if unit == "fortnight" else 1))


def _bounds_of_months(today: date, turn: int, length: int) -> list[date]:
    """The first and last day of a month or quarter, and today moved by as much."""
    first = today.replace(month=(today.month - 1) // length * length + 1, day=1)
    begin = first + relativedelta(months=length * turn)
    return [begin, today + relativedelta(months=length * turn), begin + relativedelta(months=length, days=-1)]
