"""The one operation of a `Computed` term: what it gives of quoted words, and whether that is the value."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import reduce
from itertools import islice, product
from operator import mul
from typing import Final, TypeAlias

from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.terms import Operation
from reviews.provenance.terms.worded_readings import may_be_ratio, quoted_lengths_in
from reviews.provenance.text.fold import fold
from reviews.provenance.values.durations import durations_in
from reviews.provenance.values.moments import moment_of, moments_in, zone_of
from reviews.provenance.values.numbers import number_of, numbers_in

Operand: TypeAlias = Decimal | date
DayAndClock: TypeAlias = tuple[date | None, time | None]
"""A day, a time of day, or both."""
# A time of day is moved around the clock, on whichever day.
_ANY_DAY: Final = date(2000, 1, 2)
# Seconds.
_DAY: Final = 86_400
_SHORTEST_MONTH: Final = 28 * _DAY
# Characters of a length of time in words.
_MAX_LENGTH: Final = 64
# Two places behind the decimal sign: half a cent is how far a rounded amount may be from the exact one.
_CENTS = -2
_HALF_A_CENT = Decimal("0.005")
_HUNDRED = 100
# Ways to read the inputs of one operation together.
_MAX_READINGS = 64
# Days that a date may be moved by: longer ones leave the calendar.
_MAX_DAYS = 100_000


def why_not_result(operation: Operation, quotes: Sequence[str], leaf: Leaf, now: datetime | None = None) -> str:
    """Why the operation over these words does not give the value; empty where it does.

    `now`: the clock by which days are told that stand there without their year, or by words such as "tomorrow".
    """
    match operation:
        case "concatenate":
            given = "" if is_concatenation(leaf.text, quotes) else shorten_text("".join(quotes), 60)
        case "time_after" | "time_before":
            return _why_not_moved(operation, quotes, leaf, now)
        case _:
            return _why_not_computed(operation, quotes, leaf, now)
    return _gives(operation, given, leaf) if given else ""


def _why_not_moved(operation: Operation, quotes: Sequence[str], leaf: Leaf, now: datetime | None) -> str:
    *begin, length = quotes
    moved = (_move_by(operation, at, seconds) for at, seconds in product(_beginnings(begin, now), _lengths_in(length)))
    moments = [moment for moment in moved if moment]
    # Another offset is another time; what is said without one is said by the clock.
    zones = {zone_of(quote) for quote in begin} - {None} or {None, now.utcoffset() if now else None}
    if not moments or zone_of(leaf.text) not in zones:
        return _takes_others(operation)
    if any(_is_moment(leaf.value, moment) for moment in moments):
        return ""
    return _gives(operation, " ".join(part.isoformat() for part in moments[0] if part), leaf)


def _why_not_computed(operation: Operation, quotes: Sequence[str], leaf: Leaf, now: datetime | None) -> str:
    match quotes:
        case [words, whole] if may_be_ratio(operation, words, read_operand(whole), leaf.value):
            return ""
    operands: list[Sequence[Operand]] = []
    for quote in quotes:
        operand = read_operand(quote)
        days = () if isinstance(operand, date) else tuple(day for day, _ in _read_by_clock(quote, now) if day)
        if not days and operand is None:
            return f"“{shorten_text(quote, 60)}” is no number or day."
        operands.append(days if days or operand is None else (operand,))
    readings = islice(product(*operands), _MAX_READINGS)
    computed = [result for inputs in readings if (result := evaluate_operation(operation, inputs)) is not None]
    if not computed:
        return _takes_others(operation)
    return "" if any(is_result(leaf.value, each) for each in computed) else _gives(operation, str(computed[0]), leaf)


def read_operand(quote: str) -> Operand | None:
    """What an input means: a day, else a number."""
    day, _ = moment_of(quote.strip()) or (None, None)
    values = {number.value for number in numbers_in(quote.lower())}
    return day or (values.pop() if len(values) == 1 else number_of(quote.strip()))


def _takes_others(operation: Operation) -> str:
    return f"“{operation}” does not take these inputs."


def _gives(operation: Operation, result: str, leaf: Leaf) -> str:
    return f"“{operation}” gives {result}, not “{shorten_text(leaf.text, 60)}”."


def evaluate_operation(operation: Operation, inputs: Sequence[Operand]) -> Operand | None:
    """What the operation gives; None for inputs that it does not take."""
    numbers = [value for value in inputs if isinstance(value, Decimal)]
    days = [value for value in inputs if isinstance(value, date)]
    if operation == "count":
        return Decimal(len(inputs))
    if not days:
        return _of_numbers(operation, numbers) if numbers else None
    match operation, days, numbers:
        case "days_between", [first, last], _:
            return Decimal(abs((last - first).days))
        case "days_after", [day], [count] if count == int(count) and abs(count) <= _MAX_DAYS:
            with suppress(OverflowError):
                return day + timedelta(days=int(count))
        case (("min" | "max"), _, []):
            return min(days) if operation == "min" else max(days)
    return None


def _lengths_in(words: str) -> Sequence[Decimal]:
    """The length of time, in seconds, that words say; else each one that they may mean to whoever reads them."""
    read = [length.value for length in durations_in(fold(words))] if len(words) <= _MAX_LENGTH else []
    if not read:
        return sorted(quoted_lengths_in(words))
    # How long a month is only the calendar knows: it has more readings than one, or is no whole number of days.
    return read if len(read) == 1 and (read[0] <= _SHORTEST_MONTH or not read[0] % _DAY) else ()


def _move_by(operation: Operation, begin: DayAndClock, seconds: Decimal) -> DayAndClock | None:
    """Where a length of time leads to; a day alone is moved by whole days."""
    day, clock = begin
    with suppress(OverflowError):
        by = timedelta(seconds=float(seconds))
        start = datetime.combine(day or _ANY_DAY, clock or time())
        met = start - by if operation == "time_before" else start + by
        if clock or met.time() == time():
            return (met.date() if day else None, met.time() if clock else None)
    return None


def _beginnings(quotes: Sequence[str], now: datetime | None) -> Iterator[DayAndClock]:
    """Each moment that the quotes may mean: one that is written, a day and a time of day; without any it is now."""
    match quotes:
        case [] if now:
            # A moment is told to the minute, and one that is days ahead by its day.
            yield from (
                (now.date(), None),
                *((now.date(), at) for at in (now.time().replace(second=0, microsecond=0), now.time())),
            )
        case [quote]:
            yield from _read_moments(quote, now)
        case [first, second]:
            for (day, no_clock), (no_day, clock) in product(_read_moments(first, now), _read_moments(second, now)):
                if day and clock and not (no_clock or no_day):
                    yield day, clock


def _read_moments(quote: str, now: datetime | None) -> Sequence[DayAndClock]:
    written = moment_of(quote)
    return [written] if written else _read_by_clock(quote, now)


def _read_by_clock(quote: str, now: datetime | None) -> Sequence[DayAndClock]:
    """The readings of the one moment that these words tell against the clock: "12 May", "next Tuesday at noon"."""
    found = list(moments_in(fold(quote), now)) if now and len(quote) <= _MAX_LENGTH else []
    return [(moment.day, moment.clock) for moment in found] if len({moment.place for moment in found}) == 1 else []


def _is_moment(value: JsonValue, moment: DayAndClock) -> bool:
    """Whether a value is this moment, or its day, or its time of day."""
    day, clock = moment_of(value) or (None, None)
    return (day or clock) is not None and day in (None, moment[0]) and clock in (None, moment[1])


def _of_numbers(operation: Operation, numbers: Sequence[Decimal]) -> Decimal | None:
    result: Decimal | None = None
    with suppress(ArithmeticError, ValueError):
        match operation, numbers:
            case (("add" | "sum"), _):
                result = sum(numbers, Decimal())
            case "mean", _:
                result = sum(numbers, Decimal()) / len(numbers)
            case (("min" | "max"), _):
                result = min(numbers) if operation == "min" else max(numbers)
            case "multiply", _:
                result = reduce(mul, numbers)
            case "subtract", [first, second]:
                result = first - second
            case "divide", [first, second]:
                result = first / second
            case "share", [part, total]:
                result = part * total / _HUNDRED
            case "round", [number]:
                result = Decimal(round(number))
    return result


def is_result(value: JsonValue, result: Operand) -> bool:
    """Whether a value is the result: to half a cent where the exact one has more decimal places."""
    if isinstance(result, date):
        return (moment_of(value) or (None, None))[0] == result
    number = number_of(value)
    if number is None:
        return False
    exponent = number.as_tuple().exponent
    has_cents = isinstance(exponent, int) and exponent <= _CENTS
    return number == result or (has_cents and abs(number - result) <= _HALF_A_CENT)


def is_concatenation(value: str, pieces: Sequence[str]) -> bool:
    """Whether a text has the letters and figures of the pieces in their order, and only signs between them."""
    joined = "".join(map(_letters_of, pieces))
    return bool(joined) and _letters_of(value) == joined


def _letters_of(text: str) -> str:
    return "".join(sign for sign in fold(text) if sign.isalnum())
