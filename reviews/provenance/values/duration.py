"""Lengths of time as people write them: half an hour, a 30-minute call, 1h30, PT1H30M, two and a half hours."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from reviews.provenance.core.context import JsonValue
from reviews.provenance.language.base import languages
from reviews.provenance.text.anchors import finditer_near
from reviews.provenance.values.duration_abroad import lengths_abroad
from reviews.provenance.values.number import number_of
from reviews.provenance.values.number_words import SMALL, SMALL_WORDS, spelled

# A twelfth of the Gregorian year, in seconds.
_MONTH = 2_629_746
# In seconds; a month is a convention.
_SECONDS: Mapping[str, int] = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "month": _MONTH, "year": 12 * _MONTH,
}  # fmt: skip
# A month and a year as people count them in days.
_ROUND = {"month": 30 * 86400, "year": 365 * 86400}
# Abbreviations; a bare letter counts only behind a figure.
_SHORT = {"sec": "second", "s": "second", "min": "minute", "m": "minute", "hr": "hour", "h": "hour", "yr": "year"}
_UNIT = (
    r"seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|yrs?|(?:(?<=\d)|(?<=\d[ -]))[smh](?![a-z'])"
)
_AMOUNT = (
    rf"\d+(?:[.,]\d+)?|three[ -]quarters of an|(?:a )?quarter of an|half[ -]an?|half|an?|another|a couple of"
    rf"|{SMALL_WORDS}(?:[ -]and[ -]a[ -]half)?"
)
_LENGTH = re.compile(
    rf"(?<![\w.,:/-])(?P<amount>{_AMOUNT})[ -]{{0,2}}(?P<unit>{_UNIT})\b(?P<half>[ -]and[ -]a[ -]half)?"
)
_MIXED = re.compile(
    rf"(?<![\w.,:/-])(?P<h>\d{{1,2}}|an?|{SMALL_WORDS}) ?(?:h|hrs?|hours?)(?:,? and)? ?"
    rf"(?P<m>\d{{1,2}}|{SMALL_WORDS}(?= min)) ?(?:m|mins?|minutes?)?\b"
)
_FRACTION = re.compile(
    r"(?<![\w.,/])(?:(?P<whole>\d{1,3}) +)?(?P<over>\d)\u2044(?P<under>\d)[ -](?:an? )?"
    r"(?P<unit>hour|minute|day|week|year)"
)
_ISO = re.compile(
    r"p(?=[\dt])(?:(?P<year>\d{1,9})y)?(?:(?P<month>\d{1,9})m)?(?:(?P<week>\d{1,9})w)?(?:(?P<day>\d{1,9})d)?"
    r"(?:t(?=\d)(?:(?P<hour>\d{1,9}(?:[.,]\d{1,9})?)h)?(?:(?P<minute>\d{1,9}(?:[.,]\d{1,9})?)m)?"
    r"(?:(?P<second>\d{1,9}(?:[.,]\d{1,9})?)s)?)?"
)
_ISO_IN = re.compile(rf"(?<![\w-]){_ISO.pattern}(?![\w-])")
# Hours, minutes and seconds with colons.
_FIGURES = re.compile(r"(?P<h>\d{1,3}):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d))?")
# Only such a parameter takes a length of time.
_ABOUT_TIME = re.compile(
    r"durat|minute|length|hours?\b|seconds?\b|days?\b|weeks?\b|months?\b|years?\b|timeout|interval|ttl"
    r"|expires?_?in",
    re.I,
)
# What every length that names its unit contains; most values have none of it.
_WITH_UNIT = re.compile(r"\d[ -]?[smhdwy]|sec|min|hour|hr|day|week|month|year|yr|fortnight|\bpt?\d", re.I)
# Where a description tells the unit.
_NAMED_UNIT = re.compile(
    r"\b(?:in|as|of|the) (?P<unit>seconds?|minutes?|hours?|days?|weeks?)\b"
    r"|\((?P<short>seconds?|minutes?|mins?|hours?|days?)\)"
)
_NAME_UNITS: Mapping[str, str] = {
    **{unit: unit for unit in _SECONDS},
    "sec": "second", "min": "minute", "hr": "hour", "hrs": "hour", "mins": "minute",
}  # fmt: skip
# What stands in every text that any of the patterns matches: looking for it first spares most texts.
_FIGURED = tuple(f"{figure}{gap}" for figure in range(10) for gap in ("", " ", "-"))
_UNITS = (*(f"{each}{unit}" for each in _FIGURED for unit in "smh"), *_SECONDS, "sec", "min", "hr", "yr")
_HOURS = (*(f"{amount}{gap}h" for amount in (*range(10), "a", "an", *SMALL) for gap in ("", " ")), "hour", "hr")
_BEHIND = re.compile(rf"[ -]?(?P<unit>{_UNIT})\b")
# Characters of a value that may be a length of time.
_TEXT = 64


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time in a text."""

    start: int
    end: int
    seconds: Decimal


def durations_in(text: str) -> Iterator[Duration]:
    """Every length of time of a folded text."""
    for hit in finditer_near(_MIXED, text, _HOURS):
        yield Duration(*hit.span(), _number(hit["h"]) * 3600 + _number(hit["m"]) * 60)
    for hit in finditer_near(_LENGTH, text, _UNITS):
        amount = _amount(hit["amount"]) + (Decimal("0.5") if hit["half"] else 0)
        for seconds in _lengths(amount, _unit(hit["unit"])):
            yield Duration(*hit.span(), seconds)
    for hit in finditer_near(re.compile(r"\bfortnight\b"), text, ("fortnight",)):
        yield Duration(*hit.span(), Decimal(1209600))
    for hit in finditer_near(_ISO_IN, text, ("pt", *(f"p{n}" for n in range(10)))):
        yield Duration(*hit.span(), _iso(hit))
    for hit in finditer_near(_FRACTION, text, ("\u2044",)):
        if int(hit["under"]):
            amount = int(hit["whole"] or 0) + Decimal(int(hit["over"])) / int(hit["under"])
            yield Duration(*hit.span(), amount * _SECONDS[hit["unit"]])
    yield from _abroad(text)


@lru_cache(maxsize=512)  # each field of a list is asked for under the same few names
def _units_abroad(hint: str) -> tuple[str, ...]:
    """The units that a parameter's description names in a language that puts no spaces between words."""
    tables = (language.lengths for language in languages() if not language.spaced)
    said = (unit for table in tables for unit, words in table.items() if any(word in hint for word in words))
    return tuple(dict.fromkeys(said))


def _abroad(text: str) -> Iterator[Duration]:
    for start, end, amount, unit in lengths_abroad(text):
        for seconds in _lengths(amount, unit):
            yield Duration(start, end, seconds)


def seconds_of(value: JsonValue, hint: str) -> tuple[Decimal, ...]:
    """The lengths a value may mean, given the parameter's name and description; empty if it names no length."""
    written = isinstance(value, str) and len(value) <= _TEXT and _WITH_UNIT.search(value)
    if written and (lengths := _read(value.strip().lower())):
        return lengths
    if not _about_time(hint):
        return ()
    if isinstance(value, str) and (hit := _FIGURES.fullmatch(value.strip())):
        return _figures(hit)
    number = number_of(value)
    if number is None:
        return ()
    named = [unit for unit in _SECONDS if unit in hint.lower()] or _units_abroad(hint) or ["minute", "hour", "second"]
    return tuple(seconds for unit in named for seconds in _lengths(number, unit))


def unit_of_parameter(name: str, description: str) -> str | None:
    """The one unit of time that a parameter's name or description fixes, such as `minute`; None if none or several."""
    words = map(_singular, re.split(r"[\W_]+", name.lower()))
    named = {_NAME_UNITS[word] for word in words if word in _NAME_UNITS}
    described = {_unit(hit["unit"] or hit["short"]) for hit in _NAMED_UNIT.finditer(description.lower())}
    units = named if len(named) == 1 else described
    return next(iter(units)) if len(units) == 1 else None


def unit_behind(text: str, end: int) -> str | None:
    """The unit of time written right behind an amount in a folded text."""
    hit = _BEHIND.match(text, end)
    return _unit(hit["unit"]) if hit else None


@lru_cache(maxsize=1024)
def _about_time(hint: str) -> bool:
    return _ABOUT_TIME.search(hint) is not None


@lru_cache(maxsize=1024)
def _read(text: str) -> tuple[Decimal, ...]:
    if hit := _ISO.fullmatch(text):
        return (_iso(hit),)
    whole = next((found for found in durations_in(text) if (found.start, found.end) == (0, len(text))), None)
    return (whole.seconds,) if whole else ()


def _iso(hit: re.Match[str]) -> Decimal:
    parts = ((_SECONDS[unit], amount) for unit, amount in hit.groupdict().items() if unit in _SECONDS and amount)
    return sum((Decimal(amount.replace(",", ".")) * seconds for seconds, amount in parts), Decimal(0))


def _figures(hit: re.Match[str]) -> tuple[Decimal, ...]:
    """1:30:00 has hours, minutes and seconds; 1:30 may be hours and minutes, or minutes and seconds."""
    first, second = int(hit["h"]), int(hit["m"])
    if hit["s"]:
        return (Decimal(first * 3600 + second * 60 + int(hit["s"])),)
    return (Decimal(first * 3600 + second * 60), Decimal(first * 60 + second))


def _lengths(amount: Decimal, unit: str) -> tuple[Decimal, ...]:
    exact = amount * _SECONDS[unit]
    return (exact, amount * _ROUND[unit]) if unit in _ROUND else (exact,)


def _amount(text: str) -> Decimal:
    text = text.replace("-", " ")
    if "quarter" in text:
        return Decimal("0.75") if text.startswith("three") else Decimal("0.25")
    if text.startswith("half"):
        return Decimal("0.5")
    return _number(text)


def _number(text: str) -> Decimal:
    if text in ("a", "an", "another"):
        return Decimal(1)
    return Decimal(text[:24].replace(",", ".")) if text[0].isdigit() else spelled(text)


def _unit(text: str) -> str:
    return _SHORT.get(_singular(text), _singular(text))


def _singular(text: str) -> str:
    return text[:-1] if len(text) > 1 and text.endswith("s") else text
