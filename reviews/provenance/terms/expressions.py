"""Evaluates the one operation of a `Computed` term."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from functools import reduce
from operator import mul
from typing import TypeAlias

from reviews.provenance.core.context import JsonValue
from reviews.provenance.terms.terms import Operation
from reviews.provenance.text.fold import fold
from reviews.provenance.values.moments import moment_of
from reviews.provenance.values.numbers import number_of

Operand: TypeAlias = Decimal | date
# Two places behind the decimal sign: half a cent is how far a rounded amount may be from the exact one.
_CENTS = -2
_HALF_A_CENT = Decimal("0.005")
_HUNDRED = 100
# Days that a date may be moved by: longer ones leave the calendar.
_MAX_DAYS = 100_000


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
