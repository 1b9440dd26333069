"""Formulas over quoted inputs, such as "q1 * q2 + q3": what they give, and that nothing else gives it.

A formula is a judge's claim like any other. Were its numbers free, it could give any value: they are factors between
units and a single 1. What an input has no part in, it does not rest on: "q1 / q1 * 60" is refused.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, time, timedelta
from fractions import Fraction
from math import floor
from operator import add, mul, sub, truediv
from typing import Final, TypeAlias

Operand: TypeAlias = Fraction | date | time | str
"""A number, a day, a time of day, or words, which are only counted."""

# Of time, of data, percent and the powers of ten: by these units differ.
_FACTORS: Final = frozenset({7, 12, 24, 60, 100, 1000, 1024})
_MAX_FACTORS: Final = 2
# Characters: a formula over a few inputs has no more.
_MAX_LENGTH: Final = 200
# Hours.
_DAY: Final = 24
# Days that a date may be moved by: longer ones leave the calendar.
_MAX_DAYS: Final = 100_000
_NAME: Final = "q"
_NUMBERS: Final = (
    "Numbers of a formula are factors between units (60, 100, 1000 …) of more inputs than one, and a 1 as in"
    " (1 - q1 / 100) * q2 or q2 - q1 + 1."
)
_OPERATIONS: Final[Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]]] = {
    ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv
}  # fmt: skip
# What need not depend on each of its inputs.
_CHOOSING: Final = frozenset({"min", "max", "count", "round"})
# What takes values of one unit.
_ADDING: Final = frozenset({"min", "max", "sum", "mean"})
_FUNCTIONS: Final[Mapping[str, Callable[[Sequence[Operand]], Operand | None]]] = {
    "min": lambda values: min(values, default=None) if _are_alike(values) else None,
    "max": lambda values: max(values, default=None) if _are_alike(values) else None,
    "sum": lambda values: sum(_numbers(values), Fraction()),
    "mean": lambda values: sum(_numbers(values), Fraction()) / len(values),
    "count": lambda values: Fraction(len(values)),
    # Half of one counts as one, as people round.
    "round": lambda values: Fraction(floor(_numbers(values)[0] + Fraction(1, 2))) if len(values) == 1 else None,
}


class NoFormulaError(ValueError):
    """The text is no formula over these inputs; the message says why."""


class Formula:
    """One formula, read."""

    def __init__(self, text: str, inputs: int) -> None:
        """Raises `NoFormulaError`."""
        names = {f"{_NAME}{number}" for number in range(1, inputs + 1)}
        try:
            self._root = ast.parse(text.strip(), mode="eval").body if len(text) <= _MAX_LENGTH else ast.Pass()
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            self._root = ast.Pass()
        if not all(map(_is_known, ast.walk(self._root))):
            raise NoFormulaError("A computation is a formula over q1, q2 … with + - * / and named functions.")
        if self._names_in(self._root) != names:
            raise NoFormulaError(f"The formula has to use each of its {inputs} inputs, q1 to q{inputs}, and no other.")
        if not self._has_sound_numbers(inputs):
            raise NoFormulaError(_NUMBERS)

    def evaluate(self, inputs: Sequence[Operand]) -> Operand | None:
        """What it gives; None where it does not take these inputs, or does not depend on each."""
        with suppress(ArithmeticError, ValueError, TypeError):
            result = self._value_of(self._root, inputs)
            if all(self._depends_on_all(node, inputs) for node in ast.walk(self._root)):
                return result
        return None

    @property
    def numbers(self) -> frozenset[int]:
        """Its own numbers."""
        values = (node.value for node in ast.walk(self._root) if isinstance(node, ast.Constant))
        return frozenset(value for value in values if isinstance(value, int))

    @property
    def divisors(self) -> frozenset[int]:
        """Those of them that it divides by."""
        divided = (
            node.right for node in ast.walk(self._root) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        )
        constants = (part.value for part in divided if isinstance(part, ast.Constant))
        return frozenset(value for value in constants if isinstance(value, int))

    @property
    def adds(self) -> bool:
        """Whether it adds, subtracts or compares."""
        names = {node.id for node in ast.walk(self._root) if isinstance(node, ast.Name)}
        return not names.isdisjoint(_ADDING) or any(
            isinstance(node, ast.Add | ast.Sub) for node in ast.walk(self._root)
        )

    def multiplies(self, number: int) -> bool:
        """Whether this input, from 1, is nothing but a factor of something else that is quoted."""
        name = f"{_NAME}{number}"
        parts = [
            (node.left, node.right)
            for node in ast.walk(self._root)
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
        ]
        cofactors = [cofactor for pair in parts for factor, cofactor in (pair, pair[::-1]) if _is_name(factor, name)]
        uses = sum(_is_name(node, name) for node in ast.walk(self._root))
        return bool(uses) and len(cofactors) == uses and all(self._names_in(node) - {name} for node in cofactors)

    @staticmethod
    def _names_in(node: ast.AST) -> set[str]:
        called = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
        return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and id(part) not in called}

    def _has_sound_numbers(self, inputs: int) -> bool:
        numbers = [node for node in ast.walk(self._root) if isinstance(node, ast.Constant)]
        ones, scaling = set(_ones_in(self._root)), set(_scaling_in(self._root))
        factors = [node for node in numbers if id(node) in scaling and node.value in _FACTORS]
        sound = sum(id(node) in ones for node in numbers) + len(factors)
        # One value in another unit is no computation: it is quoted, and read with its unit.
        return sound == len(numbers) and len(ones) <= 1 and len(factors) <= (_MAX_FACTORS if inputs > 1 else 0)

    def _value_of(self, node: ast.AST, inputs: Sequence[Operand]) -> Operand | None:
        match node:
            case ast.Constant(value=int() as number):
                return Fraction(number)
            case ast.Name(id=name):
                return inputs[int(name[1:]) - 1]
            case ast.Call(func=ast.Name(id=name), args=parts):
                return _FUNCTIONS[name]([_given(self._value_of(part, inputs)) for part in parts])
            case ast.BinOp(left=left, op=operation, right=right):
                return _operate(
                    type(operation), _given(self._value_of(left, inputs)), _given(self._value_of(right, inputs))
                )
        return None

    def _depends_on_all(self, node: ast.AST, inputs: Sequence[Operand]) -> bool:
        """Whether this part changes with each input that stands in it."""
        chosen = any(isinstance(part, ast.Name) and part.id in _CHOOSING for part in ast.walk(node))
        if not isinstance(node, ast.BinOp) or chosen:
            return True
        value = self._value_of(node, inputs)
        return all(self._value_of(node, _moved(inputs, int(name[1:]) - 1)) != value for name in self._names_in(node))


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_known(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[_, *_], keywords=[]):
            return name in _FUNCTIONS
        case ast.Constant(value=value):
            return type(value) is int
        case ast.BinOp(op=operation):
            return type(operation) in _OPERATIONS
        case ast.operator() | ast.expr_context():
            return True
        case ast.Name(id=name):
            return name in _FUNCTIONS or (name[0] == _NAME and name[1:].isdecimal())
    return False


def _ones_in(root: ast.AST) -> Iterator[int]:
    """The ids of each 1 from which a share is taken off or to which it is added, or that counts both ends."""
    for node in ast.walk(root):
        match node:
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                parts = [part for part in (left, right) if isinstance(part, ast.BinOp)]
                yield from (
                    id(part.left) for part in parts if _is_one(part.left) and type(part.op) in (ast.Add, ast.Sub)
                )
            case ast.BinOp(left=ast.BinOp(op=ast.Sub()), op=ast.Add(), right=right) if _is_one(right):
                yield id(right)


def _is_one(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _scaling_in(root: ast.AST) -> Iterator[int]:
    """The ids of what something else is multiplied with or divided by."""
    for node in ast.walk(root):
        match node:
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                yield from (id(left), id(right))
            case ast.BinOp(op=ast.Div(), right=right):
                yield id(right)


def _given(value: Operand | None) -> Operand:
    if value is None:
        raise ValueError("A part of the formula gives nothing.")
    return value


def _moved(inputs: Sequence[Operand], at: int) -> Sequence[Operand]:
    value = inputs[at]
    moved: Operand = f"{value}?"
    match value:
        case date():
            moved = value + timedelta(days=1)
        case time():
            moved = value.replace(minute=(value.minute + 1) % 60)
        case Fraction():
            moved = value + 1
    return [*inputs[:at], moved, *inputs[at + 1 :]]


def _numbers(values: Sequence[Operand]) -> list[Fraction]:
    numbers = [value for value in values if isinstance(value, Fraction)]
    if len(numbers) != len(values):
        raise TypeError("A day is no number.")
    return numbers


def _are_alike(values: Sequence[Operand]) -> bool:
    return len(set(map(type, values))) == 1


def _operate(operation: type[ast.operator], left: Operand, right: Operand) -> Operand | None:
    match left, right:
        case Fraction(), Fraction():
            return _OPERATIONS[operation](left, right)
        case date(), date() if operation is ast.Sub:
            return Fraction((left - right).days)
        case (time(), time() | Fraction()) | (Fraction(), time()) if operation is ast.Sub:
            # The hours between them, also around midnight; beside a time of day a number is an hour.
            return (_hour_of(left) - _hour_of(right)) % _DAY
        case date(), Fraction(denominator=1) if operation in (ast.Add, ast.Sub) and abs(right) <= _MAX_DAYS:
            return left + timedelta(days=int(right)) * (1 if operation is ast.Add else -1)
    return None


def _hour_of(operand: Operand) -> Fraction:
    match operand:
        case time():
            return Fraction(operand.hour * 3600 + operand.minute * 60 + operand.second, 3600)
        case Fraction(denominator=1) if 0 <= operand <= _DAY:
            return operand
    raise ValueError("It is no hour of the day.")
