"""Time zones as people write them: Z, +02:00, CET, Pacific time, Berlin time, Europe/Berlin."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from reviews.provenance.text.fold import fold

# Abbreviations that mean one offset in practice; of those with several meanings the most frequent. CLDR has a few only.
_FIXED: Final = {
    "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "akst": -9, "akdt": -8,
    "hst": -10, "brt": -3, "bst": 1, "cet": 1, "cest": 2, "sast": 2, "eet": 2,
    "eest": 3, "msk": 3, "gst": 4, "pkt": 5, "ist": 5.5, "ict": 7, "wib": 7, "hkt": 8, "sgt": 8, "awst": 8, "jst": 9,
    "kst": 9, "acst": 9.5, "aest": 10, "acdt": 10.5, "aedt": 11, "nzst": 12, "nzdt": 13,
}  # fmt: skip
# Everyday names that move with the seasons; people say EST in July too.
_REGIONS: Final = {
    "et": "America/New_York", "est": "America/New_York", "eastern": "America/New_York",
    "ct": "America/Chicago", "cst": "America/Chicago", "central": "America/Chicago",
    "mt": "America/Denver", "mst": "America/Denver", "mountain": "America/Denver",
    "pt": "America/Los_Angeles", "pst": "America/Los_Angeles", "pacific": "America/Los_Angeles",
    "cet": "Europe/Berlin", "central european": "Europe/Berlin", "eet": "Europe/Athens",
    "uk": "Europe/London", "british": "Europe/London", "india": "Asia/Kolkata", "japan": "Asia/Tokyo",
}  # fmt: skip
# Up to fourteen hours, the farthest there is.
_OFFSET: Final = r"(?P<sign>[+-])(?P<oh>0?[0-9]|1[0-4])(?::?(?P<om>[0-5][0-9]))?"
# What may follow a time of day, in folded text; the first that names a zone is taken.
_SUFFIXES: Final = (
    re.compile(rf" ?\(?(?P<utc>z|utc|gmt)?{_OFFSET}(?![\w:/-])(?:\[[\w/+-]{{1,40}}\])?\)?"),
    re.compile(r" ?\(?(?P<zero>zulu|z|utc|gmt)(?![\w+/-])\)?"),
    re.compile(r" ?\(?(?P<area>[a-z]{2,20}/[a-z_]{2,30}(?:/[a-z_]{2,30})?)\)?"),
    re.compile(r" ?\(?(?P<named>[a-z]{2,15}(?: [a-z]{2,15}){0,2}?)(?: standard| daylight| local)? time\b\)?"),
    re.compile(r" ?\(?(?P<short>[a-z]{2,5})(?![\w/-])\)?"),
)
# What may stand first in a zone's name.
_BEGIN: Final = re.compile(r" ?\(?[a-z+-]")
# Where a text says that a zone follows.
_LABEL: Final = re.compile(r"\btime[ _-]?zone\b\W{0,4}(?:is |of )?\W{0,3}(?=[a-z+-])")
# Characters of a zone's name.
_MAX_NAME_LENGTH: Final = 40


def zones_after(text: str, at: int, *, behind: bool = True) -> tuple[tuple[tzinfo, ...], int]:
    """What zone the text names there, in each reading, and where its name ends; none and `at` if it names none.

    `behind`: whether `-05:00` is an offset; it is the end of a range in `04:00-05:00`.
    """
    for pattern in _SUFFIXES if _BEGIN.match(text, at) else ():
        hit = pattern.match(text, at)
        zones = _zones_of(hit.groupdict(), behind=behind) if hit else ()
        if hit and zones:
            return zones, hit.end()
    return (), at


def zone_stated_in(text: str) -> tzinfo | None:
    """The zone a text states as its reader's: “time zone: Europe/Berlin”."""
    text = fold(text)
    for hit in _LABEL.finditer(text):
        zones, _ = zones_after(text[hit.end() : hit.end() + _MAX_NAME_LENGTH], 0)
        if zones:
            return zones[-1]
    return None


def zone_named(words: str) -> tzinfo | None:
    """The one zone that words name, and nothing else: UTC-5, Europe/Berlin, Berlin time."""
    folded = fold(words).strip()
    zones, end = zones_after(folded, 0)
    return zones[-1] if zones and end == len(folded) else None


def moment_in(zone: tzinfo, moment: str) -> datetime | None:
    """The same moment by the zone's clock; None of one that names no offset, or lies beyond the calendar there."""
    with suppress(ValueError, OverflowError):
        read = datetime.fromisoformat(moment)
        return read.astimezone(zone) if read.tzinfo else None
    return None


def home_clock(now: datetime | None, zone: tzinfo | None) -> datetime | None:
    """The trace's clock in the user's own zone, where one is told."""
    if now is None or zone is None:
        return now
    return now.replace(tzinfo=zone) if now.tzinfo is None else now.astimezone(zone)


def _zones_of(groups: Mapping[str, str | None], *, behind: bool) -> tuple[tzinfo, ...]:
    match groups:
        case {"sign": str(sign), "oh": str(hours), "om": minutes, "utc": utc}:
            length = timedelta(hours=int(hours), minutes=int(minutes or 0))
            return (timezone(length if sign == "+" else -length),) if behind or utc or sign == "+" else ()
        case {"zero": str()}:
            return (UTC,)
        case {"short": str(short)}:
            fixed = (timezone(timedelta(hours=_FIXED[short])),) if short in _FIXED else ()
            region = _REGIONS.get(short) if len(short) <= 4 else None  # noqa: PLR2004
            return (*fixed, ZoneInfo(region)) if region else fixed
    name = groups.get("area") or groups.get("named") or ""
    key = _REGIONS.get(name) or _zones_by_name().get(name)
    return (ZoneInfo(key),) if key else ()


@cache
def _zones_by_name() -> Mapping[str, str]:
    """The key of each zone by itself in small letters, and by the city that it ends in."""
    keys = sorted(available_timezones())
    cities = {key.rpartition("/")[2].replace("_", " ").lower(): key for key in keys}
    return {key.lower(): key for key in keys} | cities
