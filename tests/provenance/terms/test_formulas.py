"""A formula gives what plain Python gives, of nothing but its inputs."""

from collections.abc import Sequence
from datetime import date, timedelta
from fractions import Fraction
from math import floor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reviews.provenance.terms.formulas import Formula, NoFormulaError, Operand

numbers = st.fractions(1, 10_000, max_denominator=100)


def given_by(text: str, *inputs: Operand | int) -> Operand | None:
    values = [Fraction(value) if isinstance(value, int) else value for value in inputs]
    return Formula(text, len(values)).evaluate(values)


@given(st.lists(numbers, min_size=1, max_size=8))
def test_functions_over_all_give_what_python_gives(values: list[Fraction]) -> None:
    names = ", ".join(f"q{number}" for number in range(1, len(values) + 1))
    wanted = {"sum": sum(values), "min": min(values), "max": max(values), "count": len(values)}
    wanted |= {"mean": sum(values) / Fraction(len(values))}
    assert {name: given_by(f"{name}({names})", *values) for name in wanted} == wanted


@given(numbers, numbers, numbers)
@example(Fraction(1), Fraction(100), Fraction(1))
def test_operations_give_what_python_gives(one: Fraction, two: Fraction, three: Fraction) -> None:
    assert given_by("q1 + q2 * q3", one, two, three) == one + two * three
    assert given_by("(q1 + q2) * 100 / q3", one, two, three) == (one + two) * 100 / three
    # Of a hundred percent off, nothing is left that rests on the price.
    assert given_by("q1 * (1 - q2 / 100)", one, two) == (one * (1 - two / 100) or None)
    # Python rounds half of one to the even number, people round it up.
    assert given_by("round(q1 / q2)", one, two) == floor(one / two + Fraction(1, 2))


@given(st.dates(date(1950, 1, 1), date(2150, 1, 1)), st.integers(1, 9_999))
def test_days_are_counted_and_moved(day: date, days: int) -> None:
    moved = day + timedelta(days=days)
    assert given_by("q1 + q2", day, days) == moved
    assert given_by("q1 - q2", moved, days) == day
    assert given_by("q2 - q1 + 1", day, moved) == days + 1
    assert given_by("max(q1, q2)", day, moved) == moved


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("q1 / q2", (1, 0)),
        ("q1 + q2", (date(2026, 1, 1), date(2026, 1, 2))),
        ("q1 + q2", (date(2026, 1, 1), Fraction(1, 2))),
        ("q1 + q2", (date(2026, 1, 1), 10**9)),
        ("q1 + q2", (date(9999, 12, 31), 1)),
        ("q1 * q2", (date(2026, 1, 1), 2)),
        ("sum(q1, q2)", (date(2026, 1, 1), 2)),
        ("min(q1, q2)", (date(2026, 1, 1), 2)),
        ("round(q1, q2)", (3, 1)),
        ("q1 * q2", ("two boxes", 3)),
    ],
)
def test_inputs_that_a_formula_does_not_take_give_nothing(text: str, inputs: Sequence[Operand]) -> None:
    assert given_by(text, *inputs) is None


@pytest.mark.parametrize(
    "text",
    [
        "q1 + 110", "q1 * 3", "q1 + 60", "60 / q1", "q1 + 1 + 1", "q1 * 60 * 60 * 24", "q1 + 1.5", "q1 + True", "60",
        "q1 * (60 + 1)", "q1 - -60", "q1 + 1", "q1 - 1", "1 - q1", "q1 * 1000", "q1 / 100", "q1 * (q1 + 1)",
    ],
)  # fmt: skip
def test_no_number_of_its_own_gives_a_formula_its_value(text: str) -> None:
    with pytest.raises(NoFormulaError):
        Formula(text, 1)


@pytest.mark.parametrize(
    ("text", "inputs"), [("q1 / q1 * q2", (7, 90)), ("q1 - q1 + q2", (7, 90)), ("(q1 - q1) * q2 + q2", (7, 90))]
)
def test_what_changes_nothing_is_no_input(text: str, inputs: Sequence[int]) -> None:
    assert given_by(text, *inputs) is None


@pytest.mark.parametrize(
    "text",
    [
        "", "q", "q2", "q1 + q3", "q1 ** q2", "q1 // q2", "__import__('os')", "q1.real + q2", "[q1, q2]",
        "q1 if q2 else q1", "min()", "abs(q1) + q2", "sum(q1, start=q2)", "min(*q1, q2)", "sum + q1 + q2", "(" * 190,
        "q1 + q2 " * 40, "q1\x00+q2",
    ],
)  # fmt: skip
def test_what_is_no_formula_is_never_run(text: str) -> None:
    with pytest.raises(NoFormulaError):
        Formula(text, 2)


def test_words_are_counted_and_never_computed_with() -> None:
    assert given_by("count(q1, q2) + q3", "Amina", "her husband", 4) == 6
    assert given_by("q1 + q2", "Amina", 4) is None


@pytest.mark.parametrize(
    ("text", "holds"),
    [("q1 * q2", True), ("q2 - q1 * q2", True), ("q1 + q2", False), ("q2 / q1", False), ("q1 * 100 + q2", False),
     ("q1 * q2 + q1", False), ("q1 * (q1 * q2)", True)],
)  # fmt: skip
def test_a_factor_of_what_is_quoted_is_told_from_any_other_part(text: str, *, holds: bool) -> None:
    assert Formula(text, 2).multiplies(1) is holds
