"""Lengths of time as people write them: a 30-minute call, half an hour, 1h30, PT1H30M, zwei Stunden, 2時間."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache, lru_cache
from typing import Final, NamedTuple

from reviews.provenance.text.boundaries import UNSPACED, Occurrence
from reviews.provenance.text.names import tokens_of
from reviews.provenance.values.locales import QuotedNames, any_word_of, quoted_unit_words, unit_words
from reviews.provenance.values.numbers import number_of
from reviews.provenance.values.numerals import numerals_in

# A twelfth of the Gregorian year, in seconds.
_MONTH: Final = 2_629_746
_SECONDS: Final = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "month": _MONTH, "year": 12 * _MONTH
}  # fmt: skip
# By the calendar, and with a month and a year as people count them in days.
_READINGS: Final = (_SECONDS, {**_SECONDS, "month": 30 * 86400, "year": 365 * 86400})
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
_FIGURES: Final = re.compile(
    r"(?<![\w.,:/-])(?P<h>[0-9]{1,3}):(?P<m>[0-5][0-9])(?::(?P<s>[0-5][0-9]))?(?![\w:]|[.,/-]\w)"
)
# Between two parts of one length: 1 hour and 30 minutes, 1h 30m.
_BETWEEN: Final = re.compile(r",? ?(?:and )?")
# Letters of a day's name that is hardly another word.
_LONG_DAY: Final = 4
# A name that says that the value is a length, and leaves its unit open.
_ABOUT_TIME: Final = frozenset("duration length timeout interval ttl delay wait period".split())
_LIKELY_UNITS: Final = ("minute", "hour", "second")
# Characters of a value that may be a length of time.
_LONGEST: Final = 64


class _Part(NamedTuple):
    start: int
    end: int
    amount: Decimal
    unit: str


def durations_in(text: str) -> Iterator[Occurrence[Decimal]]:
    """Every length of time of a folded text in seconds; months and years twice, by the calendar and in round days."""
    for hit in _ISO.finditer(text) if "p" in text else ():
        amounts = ((unit, Decimal(amount.replace(",", "."))) for unit, amount in hit.groupdict().items() if amount)
        yield Occurrence(*hit.span(), sum((amount * _SECONDS[unit] for unit, amount in amounts), Decimal(0)))
    lengths: list[list[_Part]] = []
    for part in sorted({*_in_figures(text), *_in_words(text)}, key=lambda part: (part.start, -part.end)):
        last = lengths[-1][-1] if lengths else None
        # "Half hours" is a part of "two and a half hours".
        if last and part.start < last.end:
            continue
        is_smaller = last is not None and _SECONDS[part.unit] < _SECONDS[last.unit]
        if last and is_smaller and _BETWEEN.fullmatch(text, last.end, part.start):
            lengths[-1].append(part)
        else:
            lengths.append([part])
    for parts in lengths:
        readings = (sum((part.amount * seconds[part.unit] for part in parts), Decimal(0)) for seconds in _READINGS)
        yield from (Occurrence(parts[0].start, parts[-1].end, seconds) for seconds in dict.fromkeys(readings))


def seconds_of(value: str, parameter_name: str) -> tuple[Decimal, ...]:
    """The lengths that a value may mean; the name may tell the unit, as `timeout_minutes` does."""
    return _seconds_of(value.strip().lower(), parameter_name) if len(value) <= _LONGEST else ()


# A value is held against one text after the other.
@lru_cache(maxsize=1024)
def _seconds_of(text: str, parameter_name: str) -> tuple[Decimal, ...]:
    if lengths := tuple(length.value for length in durations_in(text) if length.place == (0, len(text))):
        return lengths
    words, units = tokens_of(parameter_name), _units_by_name()
    units_named = [units.get(word) or units.get(word.removesuffix("s")) for word in words if len(word) > 1]
    if not any(units_named) and _ABOUT_TIME.isdisjoint(words):
        return ()
    if _FIGURES.fullmatch(text):
        return tuple(length.value for length in clock_lengths_in(text))
    number = number_of(text)
    if number is None:
        return ()
    return tuple(number * _SECONDS[unit] for unit in dict.fromkeys(filter(None, units_named)) or _LIKELY_UNITS)


def clock_lengths_in(text: str) -> Iterator[Occurrence[Decimal]]:
    """What may be a length with colons, in seconds: of two figures hours and minutes, or minutes and seconds."""
    for hit in _FIGURES.finditer(text):
        first, second, last = (Decimal(figure) for figure in hit.groups(default="0"))
        yield Occurrence(*hit.span(), first * 3600 + second * 60 + last)
        if hit["s"] is None:
            yield Occurrence(*hit.span(), first * 60 + second)


def whole_months_of(seconds: Decimal) -> int | None:
    """So many months by the calendar, as `durations_in` reads them first; None for any other length."""
    return int(seconds) // _MONTH if seconds and not seconds % _MONTH else None


def seconds_of_units_in(text: str, *, days: bool = False) -> frozenset[Decimal]:
    """The seconds of each unit of time that a folded text names, in many languages; long names also end a word.

    `days`: whether a number stands there, beside which also a short name of a day is one: bir gün.
    """
    seconds = {Decimal(_SECONDS[unit.value]) for unit in _named_units().found_in(text)}
    is_day = days and not quoted_unit_words("duration-day").isdisjoint(text.split())
    return frozenset({*seconds, *((Decimal(_SECONDS["day"]),) if is_day else ())})


def seconds_of_unit(word: str) -> frozenset[Decimal]:
    """The seconds of each unit of time that a folded word behind a number may be."""
    unit = _units_by_name().get(word)
    return frozenset({Decimal(_SECONDS[unit])}) if unit else seconds_of_units_in(word, days=True)


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
    worded = (Occurrence(*hit.span(), Decimal(_AMOUNTS[hit[0]])) for hit in _worded_pattern().finditer(text))
    for start, end, value in (*numerals_in(text), *worded):
        half = text.startswith(_HALF, end)
        if hit := _named_unit().match(text, end + len(_HALF) * half):
            half_behind = text.startswith(_HALF, hit.end()) and not half
            amount = value + (Decimal("0.5") if half or half_behind else 0)
            yield _Part(start, hit.end() + len(_HALF) * half_behind, amount, _units_by_name()[hit["unit"]])


@cache
def _units_by_name() -> Mapping[str, str]:
    """The unit of each of its names; a name of two units means the shorter one."""
    unit_names = {word: unit for unit in reversed(tuple(_SECONDS)) for word in unit_words(f"duration-{unit}")}
    plain = {word: unit for word, unit in unit_names.items() if len(word) > 1 or not word.isascii() or word in _LETTERS}
    return {**plain, "m": "minute", "hrs": "hour", "mins": "minute", "secs": "second"}


def _unit_pattern() -> str:
    return any_word_of(name for name in _units_by_name() if name not in _LETTERS)


@cache
def _named_units() -> QuotedNames[str]:
    """As `_units_by_name`, with the languages whose numbers are not read; of two meanings the shorter.

    Many a short name of a day is another word elsewhere: den, dag.
    """
    return QuotedNames({
        name: unit
        for unit in reversed(_SECONDS)
        for name in quoted_unit_words(f"duration-{unit}")
        if unit != "day" or len(name) >= _LONG_DAY or UNSPACED.search(name)
    })  # fmt: skip


@cache
def _counted_pattern() -> re.Pattern[str]:
    """Figures and a unit; the day of a month and the minute of an hour are no lengths (3月5日, 10時30分)."""
    return re.compile(
        rf"(?=[0-9])(?<![\w.,:/月時时点-])(?P<amount>[0-9]{{1,9}}+(?>(?:[.,][0-9]{{1,9}})?))"
        rf"(?:[ -]{{0,2}}(?P<unit>{_unit_pattern()})(?![a-z])"
        rf"|(?P<letter>[{''.join(sorted(_LETTERS))}])(?:(?<=h)(?P<minutes>[0-5][0-9])(?![0-9])m?|(?![a-z'0-9])))"
        r"(?P<half> and a half|半)?"
    )


@cache
def _named_unit() -> re.Pattern[str]:
    return re.compile(rf"[ -]?(?P<unit>{_unit_pattern()})(?![a-z])")


@cache
def _worded_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,:/-])(?:{any_word_of(_AMOUNTS)})(?=[ -](?:{_unit_pattern()})(?![a-z]))")
