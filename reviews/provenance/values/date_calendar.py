"""Days told by their place in a longer stretch: end of the month, first Monday of May, Q3, the 15th, this weekend."""

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from functools import partial

from dateutil.relativedelta import relativedelta

from reviews.provenance.text.anchors import finditer_near
from reviews.provenance.values.date import MONTH, WEEKDAYS, YEAR, Moment, month_of, years_near
from reviews.provenance.values.date_relative import safely, shift

_TURNS: Mapping[str, int] = {"this": 0, "current": 0, "the": 0, "next": 1, "coming": 1, "last": -1, "previous": -1}
_STRETCH = (
    rf"(?:(?:(?P<which>{'|'.join(_TURNS)}) )?(?P<unit>week|month|quarter|year)\b|{MONTH}(?![a-z]){YEAR}"
    r"|(?P<only>(?:19|20)\d{2})\b)"
)
_EDGE = re.compile(
    rf"\b(?P<edge>end|close|last day|start|beginning|first day|middle) of (?:the )?{_STRETCH}"
    r"|\b(?P<short>month|quarter|year|week)[- ]end\b|\beo(?P<letter>[mqyw])\b"
)
_MID = re.compile(rf"\bmid[ -]?{MONTH}(?![a-z]){YEAR}")
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1}
_NTH = re.compile(rf"\b(?P<nth>{'|'.join(_ORDINALS)}) (?P<weekday>{'|'.join(WEEKDAYS)}) (?:of|in) (?:the )?{_STRETCH}")
_QUARTER = re.compile(
    r"\b(?:q(?P<q>[1-4])|(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th) quarter)"
    r"(?: ?(?:of |in |/|')?(?P<year>(?:19|20)\d{2}))?\b"
)
_WEEKEND = re.compile(r"\b(?:(?P<which>this|next|last|the|coming|previous) )?weekend\b")
_OF_MONTH = re.compile(
    r"\b(?:the|on) (?P<day>3[01]|[12]\d|[1-9])(?:st|nd|rd|th)\b(?! (?:of )?[a-z]{3,9}\.? ?\d)"
    rf"(?! (?:of )?{MONTH.replace('?P<month>', '?:')})(?: (?:of|in) (?P<which>this|next|last|the) month)?"
)
_YEAR = re.compile(r"\b(?:in|during|for|throughout|of|since|until|through) (?P<year>(?:19|20)\d{2})\b(?![-/.:]\d)")
_FEASTS: Mapping[str, tuple[int, int]] = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31), "new year's day": (1, 1), "valentine's day": (2, 14), "halloween": (10, 31),
}  # fmt: skip
_FEAST = re.compile(rf"\b(?P<feast>{'|'.join(_FEASTS)})\b")
_LENGTHS = {"month": 1, "quarter": 3, "year": 12}
_LETTERS = {"m": "month", "q": "quarter", "y": "year", "w": "week"}
# As `date.weekday` counts.
_SATURDAY = 5
# The last working day.
_FRIDAY = 4


def calendar_days_in(text: str, now: datetime) -> Iterator[Moment]:
    """Every such day of a folded text against the clock; an ambiguous one appears once for each reading."""
    today = now.date()
    readings: dict[tuple[re.Pattern[str], str], tuple[date, ...]] = {}
    for pattern, anchors, read in _FORMS:
        for hit in finditer_near(pattern, text, anchors):
            days = readings.get((pattern, hit.group()))
            if days is None:
                days = readings[pattern, hit.group()] = tuple(dict.fromkeys(safely(partial(read, hit, today))))
            yield from (Moment(*hit.span(), day=day) for day in days)


def _edges(hit: re.Match[str], today: date) -> list[date]:
    if hit["edge"] is None:
        return [last for _, last in _stretches(hit["short"] or _LETTERS[hit["letter"]], 0, today)]
    if hit["edge"] in ("end", "close", "last day"):
        working = [last - timedelta(days=2) for _, last in _stretches_of(hit, today) if hit["unit"] == "week"]
        return [last for _, last in _stretches_of(hit, today)] + working
    if hit["edge"] == "middle":
        return [
            first + timedelta(days=14)
            for first, _ in _stretches_of(hit, today)
            if hit["month"] or hit["unit"] == "month"
        ]
    return [first for first, _ in _stretches_of(hit, today)]


def _mid(hit: re.Match[str], today: date) -> list[date]:
    return [first.replace(day=15) for first, _ in _of_month(hit, today)]


def _nth_weekdays(hit: re.Match[str], today: date) -> list[date]:
    n, weekday = _ORDINALS[hit["nth"]], WEEKDAYS.index(hit["weekday"])
    found = []
    for first, last in _stretches_of(hit, today):
        if n > 0:
            day = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (n - 1))
        else:
            day = last - timedelta(days=(last.weekday() - weekday) % 7)
        found += [day] if first <= day <= last else []
    return found


def _quarters(hit: re.Match[str], today: date) -> list[date]:
    n = int(hit["q"]) if hit["q"] else _ORDINALS[hit["nth"]]
    month = 3 * n - 2
    years = [int(hit["year"])] if hit["year"] else {today.year, *years_near(month, 1, today)}
    return [edge for year in sorted(years) for edge in _months_from(date(year, month, 1), 3)]


def _weekends(hit: re.Match[str], today: date) -> list[date]:
    turns = {"next": (0, 7), "last": (-7,), "previous": (-7,), None: (0, -7)}.get(hit["which"], (0,))
    saturday = _SATURDAY - today.weekday()
    return [day for turn in turns for day in shift(today, saturday + turn, saturday + turn + 1)]


def _days_of_month(hit: re.Match[str], today: date) -> list[date]:
    turns = (-1, 0, 1) if hit["which"] is None else (_TURNS[hit["which"]],)
    months = [today.replace(day=1) + relativedelta(months=turn) for turn in turns]
    days = [month + relativedelta(day=int(hit["day"])) for month in months]
    days = [day for day in days if day.day == int(hit["day"])]
    if hit["which"] is not None:
        return days
    return [day for day in days if day <= today][-1:] + [day for day in days if day > today][:1]


def _years(hit: re.Match[str], _: date) -> list[date]:
    return [date(int(hit["year"]), 1, 1), date(int(hit["year"]), 12, 31)]


def _feasts(hit: re.Match[str], today: date) -> list[date]:
    month, day = _FEASTS[hit["feast"]]
    return [date(year, month, day) for year in years_near(month, day, today)]


def _stretches_of(hit: re.Match[str], today: date) -> list[tuple[date, date]]:
    """First and last day of each stretch the words may mean."""
    if hit["only"]:
        return [(date(int(hit["only"]), 1, 1), date(int(hit["only"]), 12, 31))]
    return _of_month(hit, today) if hit["month"] else _stretches(hit["unit"], _TURNS[hit["which"] or "the"], today)


def _of_month(hit: re.Match[str], today: date) -> list[tuple[date, date]]:
    month = month_of(hit["month"])
    years = [int(hit["year"])] if hit["year"] else years_near(month, 28, today)
    return [_months_from(date(year, month, 1), 1) for year in years]


def _stretches(unit: str, turn: int, today: date) -> list[tuple[date, date]]:
    if unit == "week":
        monday = today + timedelta(days=7 * turn - today.weekday())
        return [(monday, monday + timedelta(days=6))]
    length = _LENGTHS[unit]
    first = today.replace(month=(today.month - 1) // length * length + 1, day=1)
    return [_months_from(first + relativedelta(months=length * turn), length)]


def _months_from(first: date, length: int) -> tuple[date, date]:
    return first, first + relativedelta(months=length, days=-1)


_FORMS = (
    (_EDGE, ("end", "close of", "last day", "start", "beginning", "first day", "middle", "eo"), _edges),
    (_MID, ("mid",), _mid),
    (_NTH, WEEKDAYS, _nth_weekdays),
    (_QUARTER, ("q1", "q2", "q3", "q4", "quarter"), _quarters),
    (_WEEKEND, ("weekend",), _weekends),
    (_OF_MONTH, ("1st", "2nd", "3rd", *(f"{n}th" for n in range(10))), _days_of_month),
    (_YEAR, (" 19", " 20"), _years),
    (_FEAST, ("christmas", "boxing", "new year", "valentine", "halloween"), _feasts),
)
