"""Lengths of time as people write them: a 30-minute call, half an hour, 1h30, PT1H30M, zwei Stunden, 2時間."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from reviews.provenance.text.fold import words_of_name
from reviews.provenance.values.locales import any_word_of, unit_words
from reviews.provenance.values.numbers import number_of
from reviews.provenance.values.numerals import numerals_in

# A twelfth of the Gregorian year, in seconds.
_MONTH: Final = 2_629_746
_SECONDS: Final[Mapping[str, int]] = MappingProxyType(
    {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "month": _MONTH, "year": 12 * _MONTH}
)
# A month and a year as people count them in days.
_ROUND: Final[Mapping[str, int]] = MappingProxyType({"month": 30 * 86400, "year": 365 * 86400})
# Letters that mean a unit right behind a figure only.
_LETTERS: Final = frozenset("smhdw")
# English amounts that are no numerals.
_AMOUNTS: Final = {
    "half an": "0.5", "half": "0.5", "half a": "0.5", "quarter of an": "0.25", "three quarters of an": "0.75",
    "a couple of": "2", "an": "1", "a": "1", "another": "1",
}  # fmt: skip
_HALF: Final = " and a half"
_ISO: Final = re.compile(
    r"(?<![\w-])p(?=[0-9t])(?:(?P<year>[0-9]{1,9})y)?(?:(?P<month>[0-9]{1,9})m)?(?:(?P<week>[0-9]{1,9})w)?"
    r"(?:(?P<day>[0-9]{1,9})d)?(?:t(?=[0-9])(?:(?P<hour>[0-9]{1,9}(?:[.,][0-9]{1,9})?)h)?"
    r"(?:(?P<minute>[0-9]{1,9}(?:[.,][0-9]{1,9})?)m)?(?:(?P<second>[0-9]{1,9}(?:[.,][0-9]{1,9})?)s)?)?(?![\w-])"
)
# Hours, minutes and seconds with colons.
_FIGURES: Final = re.compile(r"(?P<h>[0-9]{1,3}):(?P<m>[0-5][0-9])(?::(?P<s>[0-5][0-9]))?")
# Between two parts of one length: 1 hour and 30 minutes, 1h 30m.
_BETWEEN: Final = re.compile(r",? ?(?:and )?")
_MAX_GAP: Final = 6
# A name that says that the value is a length, and leaves its unit open.
_ABOUT_TIME: Final = frozenset("duration length timeout interval ttl delay wait period".split())
# Characters of a value that may be a length of time.
_LONGEST: Final = 64


class Length(NamedTuple):
    """A length of time in a text; months and years are there twice, by the calendar and in round days."""

    start: int
    end: int
    seconds: Decimal


class _Part(NamedTuple):
    start: int
    end: int
    amount: Decimal
    unit: str


def durations_in(text: str) -> Iterator[Length]:
    """Every length of time of a folded text."""
    for hit in _ISO.finditer(text) if "p" in text else ():
        yield Length(*hit.span(), _seconds_of_iso(hit))
    parts: list[_Part] = []
    for part in sorted({*_in_figures(text), *_in_words(text)}, key=lambda part: (part.start, -part.end)):
        # "Half hours" is a part of "two and a half hours".
        parts += [part] if not parts or part.start >= parts[-1].end else []
    at = 0
    while at < len(parts):
        end = at + 1
        while end < len(parts) and _continues_length(text, parts[end - 1], parts[end]):
            end += 1
        yield from _join_parts(parts[at:end])
        at = end


def seconds_of(value: str, parameter_name: str) -> tuple[Decimal, ...]:
    """The lengths that a value may mean; the name may tell the unit, as `timeout_minutes` does."""
    return _seconds_of(value.strip().lower(), parameter_name) if len(value) <= _LONGEST else ()


# A value is held against one text after the other.
@lru_cache(maxsize=256)
def _seconds_of(text: str, parameter_name: str) -> tuple[Decimal, ...]:
    if lengths := _read_lengths(text):
        return lengths
    units = [_unit_named(word) for word in words_of_name(parameter_name)]
    named_units = tuple(dict.fromkeys(unit for unit in units if unit))
    if not named_units and _ABOUT_TIME.isdisjoint(words_of_name(parameter_name)):
        return ()
    if hit := _FIGURES.fullmatch(text):
        first, second = int(hit["h"]), int(hit["m"])
        if hit["s"]:
            return (Decimal(first * 3600 + second * 60 + int(hit["s"])),)
        return (Decimal(first * 3600 + second * 60), Decimal(first * 60 + second))
    number = number_of(text)
    if number is None:
        return ()
    return tuple(number * _SECONDS[unit] for unit in named_units or ("minute", "hour", "second"))


@lru_cache(maxsize=1024)
def _read_lengths(text: str) -> tuple[Decimal, ...]:
    """The lengths that a whole text names."""
    return tuple(length.seconds for length in durations_in(text) if (length.start, length.end) == (0, len(text)))


def _in_figures(text: str) -> Iterator[_Part]:
    for hit in _counted_pattern().finditer(text):
        unit = hit["unit"] or hit["letter"]
        half = Decimal("0.5") if hit["half"] else 0
        end = hit.start("minutes") if hit["minutes"] else hit.end()
        yield _Part(hit.start(), end, Decimal(hit["amount"].replace(",", ".")) + half, _units_by_name()[unit])
        # "1h30": the minutes need no unit.
        if hit["minutes"]:
            yield _Part(end, hit.end("minutes"), Decimal(hit["minutes"]), "minute")


def _in_words(text: str) -> Iterator[_Part]:
    """Amounts in words: three hours, half an hour, an hour and a half."""
    amounts = [(start, end, value) for start, end, value in numerals_in(text)]
    amounts += [(*hit.span(), Decimal(_AMOUNTS[hit.group()])) for hit in _worded_pattern().finditer(text)]
    for start, end, value in amounts:
        half = text.startswith(_HALF, end)
        hit = _named_unit().match(text, end + len(_HALF) * half)
        if hit:
            half_behind = text.startswith(_HALF, hit.end()) and not half
            stop = hit.end() + len(_HALF) * half_behind
            yield _Part(
                start, stop, value + (Decimal("0.5") if half or half_behind else 0), _units_by_name()[hit["unit"]]
            )


def _continues_length(text: str, first: _Part, second: _Part) -> bool:
    """Whether a smaller unit goes on with a length: "and 30 minutes"."""
    gap = second.start - first.end
    smaller = _SECONDS[second.unit] < _SECONDS[first.unit]
    return smaller and 0 <= gap <= _MAX_GAP and _BETWEEN.fullmatch(text, first.end, second.start) is not None


def _join_parts(parts: list[_Part]) -> Iterator[Length]:
    start, end = parts[0].start, parts[-1].end
    yield Length(start, end, sum((part.amount * _SECONDS[part.unit] for part in parts), Decimal(0)))
    if any(part.unit in _ROUND for part in parts):
        rounded = (part.amount * _ROUND.get(part.unit, _SECONDS[part.unit]) for part in parts)
        yield Length(start, end, sum(rounded, Decimal(0)))


def _seconds_of_iso(hit: re.Match[str]) -> Decimal:
    parts = ((_SECONDS[unit], amount) for unit, amount in hit.groupdict().items() if amount)
    return sum((Decimal(amount.replace(",", ".")) * seconds for seconds, amount in parts), Decimal(0))


def _unit_named(word: str) -> str | None:
    """The unit that a word of a parameter's name means: `minutes`, `secs`, `hrs`."""
    return _units_by_name().get(word) or _units_by_name().get(word.removesuffix("s")) if len(word) > 1 else None


@cache
def _units_by_name() -> Mapping[str, str]:
    """The unit of each of its names; a name of two units means the shorter one."""
    unit_names = {word: unit for unit in reversed(tuple(_SECONDS)) for word in unit_words(f"duration-{unit}")}
    plain = {word: unit for word, unit in unit_names.items() if len(word) > 1 or not word.isascii() or word in _LETTERS}
    return MappingProxyType({**plain, "m": "minute", "hrs": "hour", "mins": "minute", "secs": "second"})


@cache
def _unit_pattern() -> str:
    return any_word_of(tuple(name for name in _units_by_name() if name not in _LETTERS))


@cache
def _counted_pattern() -> re.Pattern[str]:
    """Figures and a unit; the day of a month and the minute of an hour are no lengths (3月5日, 10時30分)."""
    return re.compile(
        rf"(?=[0-9])(?<![\w.,:/月時时点-])(?P<amount>[0-9]{{1,9}}+(?:[.,][0-9]{{1,9}})?+)"
        rf"(?:[ -]{{0,2}}(?P<unit>{_unit_pattern()})(?![a-z])"
        rf"|(?P<letter>[{''.join(sorted(_LETTERS))}])(?:(?<=h)(?P<minutes>[0-5][0-9])(?![0-9])m?|(?![a-z'0-9])))"
        r"(?P<half> and a half|半)?"
    )


@cache
def _named_unit() -> re.Pattern[str]:
    return re.compile(rf"[ -]?(?P<unit>{_unit_pattern()})(?![a-z])")


@cache
def _worded_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,:/-])(?:{any_word_of(tuple(_AMOUNTS))})(?=[ -](?:{_unit_pattern()})(?![a-z]))")
