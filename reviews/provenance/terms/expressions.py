"""Evaluates the one operation of a `Computed` term."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import reduce
from operator import mul, sub, truediv
from typing import TypeAlias

from reviews.provenance.core.context import JsonValue
from reviews.provenance.terms.terms import Operation
from reviews.provenance.values.moments import moment_of
from reviews.provenance.values.numbers import number_of

Operand: TypeAlias = Decimal | date
# Two places behind the decimal sign: half a cent is how far a rounded amount may be from the exact one.
_HALF_A_CENT = Decimal("0.005")
_HUNDRED = 100
# Days that a date may be moved by: longer ones leave the calendar.
_MAX_DAYS = 100_000


def operand_of(text: JsonValue, readings: Sequence[Decimal] = ()) -> Operand | None:
    """What an input means: a day, else a number. `readings`: what the source's own reading of it was."""
    moment = moment_of(text) if isinstance(text, str) else None
    if moment and moment[0]:
        return moment[0]
    return readings[0] if readings else number_of(text)


def evaluate_operation(operation: Operation, inputs: Sequence[Operand]) -> Operand | None:
    """What the operation gives; None for inputs that it does not take."""
    numbers = [value for value in inputs if isinstance(value, Decimal)]
    days = [value for value in inputs if isinstance(value, date)]
    if operation == "count":
        return Decimal(len(inputs))
    if operation == "days_between":
        return Decimal(abs((days[1] - days[0]).days)) if len(days) == 2 else None  # noqa: PLR2004
    if operation == "days_after":
        return _move_day(days[0], numbers[0]) if len(days) == len(numbers) == 1 else None
    if operation in ("min", "max") and days and not numbers:
        return min(days) if operation == "min" else max(days)
    return _of_numbers(operation, numbers) if numbers and not days else None


def is_result(value: JsonValue, result: Operand) -> bool:
    """Whether a value is the result: to half a cent where the exact one has more decimal places."""
    if isinstance(result, date):
        moment = moment_of(value) if isinstance(value, str) else None
        return moment is not None and moment[0] == result
    number = number_of(value)
    if number is None:
        return False
    return number == result or (abs(number - result) <= _HALF_A_CENT and _decimal_places(number) >= 2)  # noqa: PLR2004


def _of_numbers(operation: Operation, numbers: Sequence[Decimal]) -> Decimal | None:
    over_all: Mapping[str, Callable[[Sequence[Decimal]], Decimal]] = {
        "add": _add_up, "sum": _add_up, "mean": lambda values: _add_up(values) / len(values), "min": min, "max": max,
        "multiply": lambda values: reduce(mul, values),
    }  # fmt: skip
    of_two: Mapping[str, Callable[[Decimal, Decimal], Decimal]] = {
        "subtract": sub, "divide": truediv, "share": lambda part, total: part * total / _HUNDRED,
    }  # fmt: skip
    try:
        if operation in over_all:
            return over_all[operation](numbers)
        if operation in of_two and len(numbers) == 2:  # noqa: PLR2004
            return of_two[operation](*numbers)
        return Decimal(round(numbers[0])) if operation == "round" and len(numbers) == 1 else None
    except (ArithmeticError, ValueError):
        return None


def _add_up(values: Sequence[Decimal]) -> Decimal:
    return sum(values, Decimal())


def _move_day(day: date, days: Decimal) -> date | None:
    if days != int(days) or abs(days) > _MAX_DAYS:
        return None
    try:
        return day + timedelta(days=int(days))
    except OverflowError:
        return None


def _decimal_places(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0
