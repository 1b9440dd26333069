"""Times of day as people write them: 3pm, 15:00+02:00, half past three, noon Berlin time."""

import re
from collections.abc import Iterator
from datetime import time

from reviews.provenance.text.anchors import finditer_near, matches_from
from reviews.provenance.values.date import Moment
from reviews.provenance.values.zone import zones_after

# Hours that are said in words.
_HOURS = {
    word: hour
    for hour, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
}
_HOUR = rf"(?P<h>1[0-2]|[1-9]|{'|'.join(_HOURS)})"
_PART = r"(?P<part> (?:in the (?:morning|afternoon|evening)|at night|tonight|this (?:morning|afternoon|evening)))?"
_CLOCK = re.compile(
    r"(?:(?<![\w:.-])|(?<=\d-))(?P<h>[01]?\d|2[0-4])(?:[:.](?P<m>[0-5]\d))?(?::(?P<s>[0-5]\d)(?:\.\d+)?)?"
    r" ?(?P<half>[ap])(?:m\b|\.m\b\.?)"
)
_TIME = re.compile(
    r"(?:(?<![\w:.+-])|(?<=\dt)|(?<=:\d\d-))(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:\.\d{1,9})?)?(?![\d:])"
    + _PART
)
_COMPACT = re.compile(r"(?<=\d{8}t)(?P<h>[01]\d|2[0-3])(?P<m>[0-5]\d)(?P<s>[0-5]\d)?(?!\d)")
_RANGE = re.compile(r"(?<![\w:.-])(?P<h>1[0-2]|[1-9])(?::(?P<m>[0-5]\d))?(?= ?-[ ]?1?\d(?::[0-5]\d)? ?[ap]\.?m\b)")
_WRITTEN = re.compile(
    r"(?<![\w:.,-])(?P<h>[01]?\d|2[0-3])"
    r"(?: ?uhr(?: (?P<m>[0-5]\d))?|[.:](?P<m2>[0-5]\d) ?uhr|h(?P<m3>[0-5]\d))\b"
)
_BARE = re.compile(rf"\b(?:at|by|from|until|till|to|before|after) {_HOUR}(?: o'?clock)?(?![\w:.,%/-]\w|[\w:%/]){_PART}")
_OCLOCK = re.compile(rf"\b{_HOUR} o'?clock\b{_PART}")
_OF_DAY = re.compile(rf"(?<![\w:.,/-]){_HOUR}{_PART.removesuffix('?')}")
_PAST = re.compile(
    r"\b(?P<m>half|(?:a )?quarter|five|ten|twenty(?:-five)?|(?:5|10|20|25)(?: min(?:ute)?s)?)"
    rf" (?P<way>past|after|to|before) {_HOUR}(?! \w*(?:people|seats|minutes|hours))\b{_PART}"
)
_MINUTES = {"half": 30, "quarter": 15, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
# The end of the day is the calendar's to some and the office's to others.
_WORDS = {
    "noon": (time(12),),
    "midday": (time(12),),
    "midnight": (time(0),),
    "end of day": (time(23, 59), time(23, 59, 59), time(17)),
    "end of the day": (time(23, 59), time(23, 59, 59), time(17)),
    "eod": (time(23, 59), time(23, 59, 59), time(17)),
    "close of business": (time(17),),
    "cob": (time(17),),
}
_WORD = re.compile(rf"\b(?P<word>{'|'.join(_WORDS)})\b")
# What stands in every text that any of the patterns matches: looking for it first spares most texts.
_HALVES = tuple(f"{figure}{gap}{half}" for figure in range(10) for gap in ("", " ") for half in "ap")
_COLONS = tuple(f"{figure}:" for figure in range(10))
_AT_HOURS = (*(f" {figure}" for figure in range(1, 10)), *(f" {hour}" for hour in _HOURS))
# Hours of half a day.
_NOON = 12


def clocks_in(text: str, *, bare: bool = False) -> Iterator[Moment]:
    """The times of day a text names; `bare` takes hours without minutes too, as in "at 3"."""
    for hit in finditer_near(_CLOCK, text, _HALVES, reach=32):
        if int(hit["h"]) <= _NOON:
            hour = int(hit["h"]) % _NOON + (_NOON if hit["half"] == "p" else 0)
            yield from _moments_of(text, hit, time(hour, int(hit["m"] or 0), int(hit["s"] or 0)))
    yield from _with_minutes(text)
    for hit in finditer_near(_WORD, text, _WORDS):
        yield from (found for clock in _WORDS[hit["word"]] for found in _moments_of(text, hit, clock))
    for hit in finditer_near(_COMPACT, text, ("t0", "t1", "t2")):
        yield from _moments_of(text, hit, time(int(hit["h"]), int(hit["m"]), int(hit["s"] or 0)))
    if bare:
        yield from _spoken(text)


def _with_minutes(text: str) -> Iterator[Moment]:
    read = 0
    for hit in matches_from(_TIME, text, _COLONS, (1, 0)):
        if hit.start() < read or re.match(r" ?[ap]\.?m\b", text[hit.end() : hit.end() + 5]):
            continue
        whole = hit["h"].startswith("0") or hit["s"] is not None
        clock = time(int(hit["h"]), int(hit["m"]), int(hit["s"] or 0))
        for moment in _in_either_half(text, hit, clock, certain=whole):
            read = max(read, moment.end)
            yield moment


def _spoken(text: str) -> Iterator[Moment]:
    for hit in finditer_near(_BARE, text, _AT_HOURS):
        yield from _in_either_half(text, hit, time(_hour(hit)))
    for hit in finditer_near(_OCLOCK, text, ("clock",)):
        yield from _in_either_half(text, hit, time(_hour(hit)))
    for hit in finditer_near(_OF_DAY, text, (" in the ", " at night", " tonight", " this ")):
        yield from _in_either_half(text, hit, time(_hour(hit)))
    for hit in finditer_near(_RANGE, text, ("am", "pm", "a.m", "p.m")):
        yield from _in_either_half(text, hit, time(_hour(hit), int(hit["m"] or 0)))
    for hit in finditer_near(_WRITTEN, text, ("uhr", *(f"{figure}h" for figure in range(10)))):
        yield from _moments_of(text, hit, time(int(hit["h"]), int(hit["m"] or hit["m2"] or hit["m3"] or 0)))
    for hit in finditer_near(_PAST, text, ("half ", "quarter ", "five ", "ten ", "twenty", "0 ", "5 ")):
        yield from _around_the_hour(text, hit)


def _around_the_hour(text: str, hit: re.Match[str]) -> Iterator[Moment]:
    named = hit["m"].split(" min")[0]
    minutes = _MINUTES.get(named) or int(named)
    past = hit["way"] in ("past", "after")
    hour = _hour(hit) if past else (_hour(hit) - 1 or _NOON)
    yield from _in_either_half(text, hit, time(hour, minutes if past else 60 - minutes))


def _in_either_half(text: str, hit: re.Match[str], clock: time, *, certain: bool = False) -> Iterator[Moment]:
    """An hour up to twelve may be of the morning or the afternoon, unless the words behind it tell."""
    part = hit["part"] if "part" in hit.re.groupindex else None
    if certain or not 1 <= clock.hour <= _NOON:
        yield from _moments_of(text, hit, clock)
    elif part:
        late = "morning" not in part and not (clock.hour == _NOON and "night" in part)
        yield from _moments_of(text, hit, clock.replace(hour=clock.hour % _NOON + (_NOON if late else 0)))
    else:
        yield from _moments_of(text, hit, clock)
        if clock.hour < _NOON:
            yield from _moments_of(text, hit, clock.replace(hour=clock.hour + _NOON))


def _moments_of(text: str, hit: re.Match[str], clock: time) -> Iterator[Moment]:
    exact = ("s" in hit.re.groupindex and hit["s"] is not None) or text[max(hit.start() - 1, 0) : hit.start()] == "t"
    zones, end = zones_after(text, hit.end(), behind=exact)
    for zone in zones or (None,):
        yield Moment(hit.start(), end, clock=clock, zone=zone)


def _hour(hit: re.Match[str]) -> int:
    return _HOURS.get(hit["h"]) or int(hit["h"])
