"""The one operation of a `Computed` term: what it gives of quoted words, and whether that is the value."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import reduce
from operator import mul
from typing import Final, TypeAlias

from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.terms import Operation
from reviews.provenance.text.fold import fold
from reviews.provenance.values.durations import durations_in
from reviews.provenance.values.moments import moment_of, zone_of
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
# Days that a date may be moved by: longer ones leave the calendar.
_MAX_DAYS = 100_000


def why_not_result(operation: Operation, quotes: Sequence[str], leaf: Leaf) -> str:
    """Why the operation over these words does not give the value; empty where it does."""
    match operation:
        case "concatenate":
            given = "" if is_concatenation(leaf.text, quotes) else shorten_text("".join(quotes), 60)
        case "time_after" | "time_before":
            moment = move_moment(operation, quotes)
            # Another offset is another time.
            if moment is None or zone_of(quotes[0]) != zone_of(leaf.text):
                return _takes_others(operation)
            written = " ".join(part.isoformat() for part in moment if part)
            given = "" if is_moment(leaf.value, moment) else written
        case _:
            return _why_not_computed(operation, quotes, leaf)
    return _gives(operation, given, leaf) if given else ""


def _why_not_computed(operation: Operation, quotes: Sequence[str], leaf: Leaf) -> str:
    operands = []
    for quote in quotes:
        values = {number.value for number in numbers_in(quote.lower())}
        operand = operand_of(quote.strip(), tuple(values) if len(values) == 1 else ())
        if operand is None:
            return f"“{shorten_text(quote, 60)}” is no number or day."
        operands.append(operand)
    computed = evaluate_operation(operation, operands)
    if computed is None:
        return _takes_others(operation)
    return "" if is_result(leaf.value, computed) else _gives(operation, str(computed), leaf)


def _takes_others(operation: Operation) -> str:
    return f"“{operation}” does not take these inputs."


def _gives(operation: Operation, result: str, leaf: Leaf) -> str:
    return f"“{operation}” gives {result}, not “{shorten_text(leaf.text, 60)}”."


def operand_of(text: JsonValue, readings: Sequence[Decimal] = ()) -> Operand | None:
    """What an input means: a day, else a number. `readings`: what the source's own reading of it was."""
    day, _ = moment_of(text) or (None, None)
    return day or (readings[0] if readings else number_of(text))


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


def move_moment(operation: Operation, inputs: Sequence[str]) -> DayAndClock | None:
    """Where a length of time leads to from a day, a time of day, or both, as people write them; None for other inputs.

    A day alone is moved by whole days. Months and years lead nowhere: how long they are only the calendar knows.
    """
    match inputs:
        case [moment, length] if len(length) <= _MAX_LENGTH:
            day, clock = moment_of(moment) or (None, None)
            lengths = list(durations_in(fold(length))) if day or clock else []
        case _:
            return None
    # A month has more readings than one, or is no whole number of days.
    if len(lengths) != 1 or (lengths[0].value > _SHORTEST_MONTH and lengths[0].value % _DAY):
        return None
    with suppress(OverflowError):
        by = timedelta(seconds=float(lengths[0].value))
        begin = datetime.combine(day or _ANY_DAY, clock or time())
        met = begin - by if operation == "time_before" else begin + by
        if clock or met.time() == time():
            return (met.date() if day else None, met.time() if clock else None)
    return None


def is_moment(value: JsonValue, moment: DayAndClock) -> bool:
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
