"""Times of day: 15:00, 3pm, 15h30, 15 Uhr, 15時30分, 下午三点半, noon, with the zone they are in.

Which half of the day an hour is in tells also the part of the day beside it: 8 Uhr abends, 晚上8:00. CLDR names the
parts, tells their hours, and on which side of a time each language writes them.
"""

import re
from collections.abc import Iterator
from datetime import time
from functools import cache
from typing import Final

from reviews.provenance.text.fold import fold
from reviews.provenance.text.pattern_anchors import matches_from
from reviews.provenance.values.dates import Moment
from reviews.provenance.values.eastern_numerals import read_ideographs
from reviews.provenance.values.locales import any_word_of, hours_of_day_periods
from reviews.provenance.values.zones import zones_after

# Hours of half a day.
_NOON: Final = 12
# Of Chinese and Japanese, and of Korean, which is folded to its letters.
_JOINED: Final = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff]")
# Characters that the longest name of a part of the day takes.
_NEAR: Final = 24
_LAST_MINUTE: Final = 59
_FIGURES: Final = r"[0-9]{1,2}|[〇零一二两兩三四五六七八九十]{1,3}"
# Signs behind the hour and the minutes, and for half an hour, folded as texts are.
_HOUR_SIGN, _MINUTE_SIGN, _HALF_SIGN = (
    any_word_of(map(fold, signs)) for signs in (("時", "时", "点", "點", "시"), "分분", "半반")
)
# Neither end may belong to a longer number; the first figure comes first, since a search skips quickly to a figure.
# What ends a day in a script without spaces ends before the time, and before a colon every word of such a script.
_UNSPACED: Final = r"(?<=[日号號][0-9])|(?<=[\u3040-\u30ff\u3400-\u9fff][0-9])(?=[0-9]?:)"
_BEGIN: Final = rf"(?:(?<![\w:.,+/-][0-9])|{_UNSPACED}|(?<=[0-9]t[0-9])|(?<=[0-9]-[0-9]))"
_HALF: Final = r" ?(?P<{}>[ap])\.? ?m\b\.?"
_CLOCK: Final = re.compile(
    rf"(?P<h>[0-9]{_BEGIN}[0-9]?)(?:"
    rf":(?P<m>[0-5][0-9])(?::(?P<s>[0-5][0-9])(?:[.,][0-9]{{1,9}})?)?(?![0-9:])(?:{_HALF.format('half')})?"
    rf"|(?:\.(?P<m2>[0-5][0-9]))?{_HALF.format('half2')}"
    r"|h(?P<m3>[0-5][0-9])(?!\w)|(?P<full> ?uhr)(?: (?P<m4>[0-5][0-9]))?\b|[時时点](?![間间])(?:(?P<m5>[0-5]?[0-9])分)?"
    r"| o'?clock\b"
    # Four figures and the zone that pilots and seamen go by: 1410Z, 1410 UTC; with a space these may be a year. Before
    # hours alone only those that begin with a zero are no length: 0540 hrs.
    r"|(?P<m6>[0-5][0-9])(?<=[0-9]{4})(?!(?<=19..|20..) )(?=(?: ?(?:zulu|z|utc|gmt)|(?<=0...) ?h(?:ou)?rs)(?![\w+/-]))"
    # The beginning of 10-11:30, and of no day; and that of 10-11am.
    r"|(?<!-[0-9])(?<!-[0-9]{2})(?=-[0-2]?[0-9]:[0-5][0-9](?![0-9:]))"
    r"|(?= ?- ?[01]?[0-9](?::[0-5][0-9])? ?[ap]\.?m\b))"
)
# Behind eight figures of a day: 20260306t1500.
_COMPACT: Final = re.compile(r"t(?<=[0-9]{8}t)(?P<h>[01][0-9]|2[0-3])(?P<m>[0-5][0-9])(?P<s>[0-5][0-9])?(?![0-9])")
MIDNIGHT: Final = "midnight"
"""The word for the end of one day, and the beginning of the next."""
_WORDS: Final = {"noon": time(12), "midday": time(12), MIDNIGHT: time(0)}
_WORD: Final = re.compile(rf"(?<![\w-])(?P<word>{'|'.join(_WORDS)})(?!\w)")
# Between the two ends of a range.
_RANGE: Final = re.compile(r" ?(?:-|to|until|till|and) ?")
_LAST_HOUR: Final = 24


def clocks_in(text: str) -> Iterator[Moment]:
    """The times of day that a folded text names; an hour up to twelve in both halves unless the text tells which.

    A zone behind the end of a range is that of its beginning, too: 3-4pm Paris time.
    """
    clocks = list(_read_clocks(text))
    zones: dict[int, list[Moment]] = {}
    for clock in clocks:
        if clock.zone:
            zones.setdefault(clock.start, []).append(clock)
    for clock in clocks:
        between = _RANGE.match(text, clock.end) if zones and not clock.zone else None
        ends = zones.get(between.end(), []) if between else []
        yield from (clock._replace(zone=zone) for zone in dict.fromkeys(end.zone for end in ends) or (clock.zone,))


def _read_clocks(text: str) -> Iterator[Moment]:
    read, joined = 0, list(_joined_clocks_in(text))
    yield from joined
    within = {at for moment in joined for at in range(moment.start, moment.end)}
    for hit in _CLOCK.finditer(text):
        # What is behind a time may be its zone: 10:00-05:00.
        for moment in _read_time(text, hit) if hit.start() >= read and hit.start() not in within else ():
            read = moment.end
            yield moment
    for hit in _COMPACT.finditer(text):
        clock = time(int(hit["h"]), int(hit["m"]), int(hit["s"] or 0))
        yield from _in_zones(text, hit.start() + 1, hit.end(), clock, exact=True)
    for hit in matches_from(_WORD, text, _WORDS):
        yield from _in_zones(text, *hit.span(), _WORDS[hit["word"]])


def _read_time(text: str, hit: re.Match[str]) -> Iterator[Moment]:
    """The readings of one time, in each half of the day that it may be in."""
    hour, half = int(hit["h"]), hit["half"] or hit["half2"]
    minute = int(hit["m"] or hit["m2"] or hit["m3"] or hit["m4"] or hit["m5"] or hit["m6"] or 0)
    exact = hit["s"] is not None or text[max(hit.start() - 1, 0) : hit.start()] == "t"
    certain = exact or hit["h"][0] == "0" or hit["full"] is not None or hit["m3"] is not None or hit["m6"] is not None
    hours: tuple[int, ...] = (hour,)
    if 1 <= hour < _NOON and not exact:
        readings = hours_beside_period(hour, text, *hit.span())
        hours = readings if len(readings) == 1 or not certain else hours
    if half and hour <= _NOON:
        hours = (hour % _NOON + (_NOON if half == "p" else 0),)
    for reading in hours if hour < _LAST_HOUR else ():
        yield from _in_zones(text, *hit.span(), time(reading, minute, int(hit["s"] or 0)), exact=exact)


def _in_zones(text: str, start: int, end: int, clock: time, *, exact: bool = False) -> Iterator[Moment]:
    zones, stop = zones_after(text, end, behind=exact)
    for zone in zones or (None,):
        yield Moment(start, stop, clock=clock, zone=zone)


def hours_beside_period(hour: int, text: str, start: int, end: int) -> tuple[int, ...]:
    """The hours of the day that an hour of a dial at this place of a folded text may be: one where a part tells it.

    What is in both halves by what stands beside it, or in neither, may be either.
    """
    either = (hour % _NOON, hour % _NOON + _NOON)
    behind, before = _period_behind().match(text, end), _period_before().search(text[max(0, start - _NEAR) : start])
    if behind:
        meant = hours_of_day_periods(before=False)[behind["name"]]
    elif before:
        meant = hours_of_day_periods(before=True)[before["name"]]
    else:
        return either
    within = tuple(reading for reading in either if reading in meant)
    return within if len(within) == 1 else either


@cache
def _period_behind() -> re.Pattern[str]:
    # What goes on behind the name is another word.
    return re.compile(rf" ?(?P<name>{any_word_of(hours_of_day_periods(before=False))})(?!\w)")


@cache
def _period_before() -> re.Pattern[str]:
    joined = _joined_period_names()
    spaced = any_word_of(hours_of_day_periods(before=True).keys() - joined)
    return re.compile(rf"(?P<name>{any_word_of(joined)}|(?<![^\W\d])(?:{spaced})) ?$")


@cache
def _joined_period_names() -> frozenset[str]:
    """The names that stand before a time in scripts in which other words may stand right before them."""
    return frozenset(filter(_JOINED.match, hours_of_day_periods(before=True)))


def _joined_clocks_in(text: str) -> Iterator[Moment]:
    """Times of day in scripts without spaces, behind the part of the day: 下午三点半, 午後3時, 晚上八点.

    Without that part the hour is anything that has such a counter: 三点 are also three points.
    """
    for hit in _joined_pattern().finditer(text) if not text.isascii() else ():
        figures = (hit["hour"], hit["minute"] or "0")
        hour, minute = (int(part) if part.isascii() else read_ideographs(part) for part in figures)
        if hour is None or minute is None or not 0 <= hour <= _NOON or minute > _LAST_MINUTE:
            continue
        readings = hours_beside_period(hour, text, *hit.span("hour"))
        if len(readings) == 1:
            yield Moment(*hit.span(), clock=time(readings[0], 30 if hit["half"] else minute))


@cache
def _joined_pattern() -> re.Pattern[str]:
    # What is not understood behind the hour may be a part of the time.
    return re.compile(
        rf"(?:{any_word_of(_joined_period_names())}) ?(?P<hour>{_FIGURES}) ?(?:{_HOUR_SIGN})"
        rf"(?: ?(?P<half>{_HALF_SIGN})| ?(?P<minute>{_FIGURES}) ?(?:{_MINUTE_SIGN})"
        rf"|(?! ?(?:{_FIGURES}|[间間過过差刻])))"
    )
