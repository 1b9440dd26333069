"""Days that English tells by their distance from today or their week, month, quarter or year.

The one table of words of our own: CLDR has no grammar. Names of weekdays are CLDR's, in every language.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, timedelta
from functools import cache
from itertools import chain
from typing import Final

from dateutil.relativedelta import relativedelta
from num2words import num2words

from reviews.provenance.text.boundaries import Occurrence
from reviews.provenance.text.pattern_anchors import finditer_near, matches_from
from reviews.provenance.values.dates import Moment
from reviews.provenance.values.locales import all_meanings, any_word_of, quoted_weekday_names, weekday_names

_WORDS: Final = {
    "day after tomorrow": 2, "day before yesterday": -2, "today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1,
}  # fmt: skip
_COUNTS: Final = {num2words(number): number for number in range(1, 13)} | {"a": 1, "an": 1, "a couple of": 2}
_COUNT: Final = rf"(?P<count>[0-9]{{1,3}}|{any_word_of(_COUNTS)})"
_TURNS: Final = {"this": 0, "current": 0, "next": 1, "coming": 1, "last": -1, "past": -1, "previous": -1}
_WHICH: Final = rf"(?P<which>{any_word_of(_TURNS)})"
_WORD: Final = re.compile(rf"(?<!\w)(?:{any_word_of(_WORDS)})(?!\w)")
# In three days, a week ago, two weeks from tomorrow; the last seven days; next month, the end of this quarter.
_SPAN: Final = re.compile(
    rf"(?<!\w)(?:(?:(?P<ahead>in )|{_WHICH} )?{_COUNT} (?P<unit>day|week|fortnight|month|year)s?"
    rf"(?: (?P<way>ago|from now|(?:from|after|before) (?:the )?(?P<word>{any_word_of(_WORDS)})))?"
    rf"|(?:(?P<edge>end|start|beginning) of )?(?P<turn>{any_word_of(_TURNS)}|the) (?P<stretch>week|month|quarter|year)"
    rf"|(?:(?P<days>{any_word_of(_TURNS)}) )?(?P<weekend>weekend))(?!\w)"
)
# The last four days, last week; "the last week" may be seven days up to now.
_PAST: Final = re.compile(rf"(?<!\w)(?:(?:the )?(?:last|past) {_COUNT} (?P<unit>day|week)s?|(?<!the )last week)(?!\w)")
# What every such span contains, and how far it reaches to either side: "two weeks from the day after tomorrow".
_UNITS: Final = (" day", " week", " fortnight", " month", " quarter", " year", "weekend")
_REACH: Final = 40
_SATURDAY: Final = 5
_WEEK: Final = 7
_STEPS: Final = {
    "day": relativedelta(days=1), "week": relativedelta(weeks=1), "fortnight": relativedelta(weeks=2),
    "month": relativedelta(months=1), "quarter": relativedelta(months=3), "year": relativedelta(years=1),
}  # fmt: skip
# What may stand before a weekday.
_WHICH_BEFORE: Final = re.compile(rf"(?<!\w){_WHICH} $")
_MAX_WHICH_LENGTH: Final = 10
# Letters of a name that is told from other words by all but its last one.
_TELLING: Final = 5
_NAME: Final = re.compile(r"[^\W\d_]+")


def relative_days_in(text: str, now: datetime) -> Iterator[Moment]:
    """Every day a folded text tells so against the clock; an ambiguous one appears once for each reading."""
    today = now.date()
    for hit in matches_from(_WORD, text, _WORDS):
        yield from _moments_of_days(*hit.span(), _days_from(today, (_WORDS[hit[0]],)))
    for hit in finditer_near(_SPAN, text, _UNITS, reach=_REACH):
        yield from _moments_of_days(*hit.span(), _days_of_span(hit, today))
    for hit in matches_from(_weekday_pattern(), text, weekday_names()):
        turn = _WHICH_BEFORE.search(text[max(0, hit.start() - _MAX_WHICH_LENGTH) : hit.start()])
        start = hit.start() - len(turn[0]) if turn else hit.start()
        ahead = (weekday_names()[hit[0]] - today.weekday()) % _WEEK
        offsets = _offsets_of_weekday(ahead, turn["which"] if turn else None)
        yield from _moments_of_days(start, hit.end(), _days_from(today, offsets))


def quoted_weekdays_in(text: str) -> Iterator[Occurrence[int]]:
    """The weekdays that folded words may name in any language, with what grows on a name, or another last letter."""
    names = quoted_weekday_names()
    full_names = list(_quoted_weekday_pattern().finditer(text))
    yield from (Occurrence(*hit.span(), names[hit[0]]) for hit in full_names)
    for hit in () if full_names else _NAME.finditer(text):
        numbers = (_weekday_stems().get(stem, ()) for stem in (hit[0], hit[0][:-1]))
        yield from (Occurrence(*hit.span(), number) for number in set(chain(*numbers)))


def past_periods_in(text: str, today: date) -> Iterator[Occurrence[tuple[date, date]]]:
    """The periods of a folded text that are over: the last four days, last week.

    Of each the first and the last day that lie in it however the words are read, with today or without, from Sunday or
    from Monday.
    """
    for hit in finditer_near(_PAST, text, _UNITS, reach=_REACH):
        # Beyond the calendar there is none.
        with suppress(OverflowError):
            first, last = _ends_of_period(hit, today)
            if first <= last:
                yield Occurrence(*hit.span(), (first, last))


def _ends_of_period(hit: re.Match[str], today: date) -> tuple[date, date]:
    if hit["unit"]:
        length = (_COUNTS.get(hit["count"]) or int(hit["count"])) * _STEPS[hit["unit"]]
        return today - (length - _STEPS["day"]), today - _STEPS["day"]
    monday = today - timedelta(days=today.weekday() + _WEEK)
    sunday = today - timedelta(days=(today.weekday() + 1) % _WEEK + _WEEK)
    return max(monday, sunday), min(monday, sunday) + timedelta(days=_WEEK - 1)


def _moments_of_days(start: int, end: int, days: Iterable[date]) -> Iterator[Moment]:
    """A moment for each of the days, or none when one lies beyond the calendar."""
    with suppress(ValueError, OverflowError):
        distinct = dict.fromkeys(days)
        yield from (Moment(start, end, day) for day in distinct)


def _days_from(today: date, offsets: tuple[int, ...]) -> Iterator[date]:
    return (today + timedelta(days=offset) for offset in offsets)


def _days_of_span(hit: re.Match[str], today: date) -> Iterator[date]:
    if hit["weekend"]:
        turns = {"next": (0, 1), "last": (-1,), "previous": (-1,), "past": (-1,), None: (0, -1)}.get(hit["days"], (0,))
        saturday = _SATURDAY - today.weekday()
        yield from _days_from(today, tuple(saturday + _WEEK * turn + day for turn in turns for day in (0, 1)))
    elif hit["stretch"]:
        yield from _days_of_stretch(hit["edge"], _TURNS.get(hit["turn"]), hit["stretch"], today)
    # Else it is a length, and no day: "three weeks".
    elif hit["ahead"] or hit["which"] or hit["way"]:
        way, turn = hit["way"] or "", _TURNS[hit["which"]] if hit["which"] else 1
        start = today + timedelta(days=_WORDS[hit["word"]] if hit["word"] else 0)
        step = (_COUNTS.get(hit["count"]) or int(hit["count"])) * _STEPS[hit["unit"]]
        yield start + (-turn if way.startswith(("ago", "before")) else turn) * step
        # Both ends of "the last seven days", with today or without.
        yield from _days_from(today, (0, turn)) if hit["which"] else ()


def _days_of_stretch(edge: str | None, turn: int | None, stretch: str, today: date) -> list[date]:
    """First, last and like day of "next month"; one of them where the text says which."""
    if turn is None and not edge:
        return []
    step = _STEPS[stretch]
    like, months = today + (turn or 0) * step, 12 * step.years + step.months
    if months:
        first = like.replace(month=(like.month - 1) // months * months + 1, day=1)
    else:
        first = like - timedelta(days=like.weekday())
    last = first + (step - _STEPS["day"])
    return [first, last, like] if not edge else [last] if edge == "end" else [first]


def _offsets_of_weekday(ahead: int, turn: str | None) -> tuple[int, ...]:
    """By how many days off the weekday may be that is so many days ahead, for what stands before it."""
    if turn == "next":
        # "Next Friday" on a Thursday is tomorrow to some and eight days off to others.
        return (ahead or 7, (ahead or 7) + 7)
    if turn is None:
        return (ahead, ahead - 7) if ahead else (0, 7, -7)
    return ((ahead or 7) - 7, (ahead or 7) - 14) if _TURNS[turn] < 0 else (ahead,)


@cache
def _weekday_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_word_of(weekday_names())})(?!\w)")


@cache
def _weekday_stems() -> Mapping[str, set[int]]:
    """The weekdays whose names begin so, but for their last letter."""
    return all_meanings((name[:-1], day) for name, day in quoted_weekday_names().items() if len(name) >= _TELLING)


@cache
def _quoted_weekday_pattern() -> re.Pattern[str]:
    return re.compile(any_word_of(quoted_weekday_names()))
