"""Operations give what plain Python gives."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.core.context import JsonValue
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.expressions import Operand, evaluate_operation, is_result, read_operand, why_not_result
from reviews.provenance.terms.terms import Operation

numbers = st.decimals(-10_000, 10_000, places=2)


@given(st.lists(numbers, min_size=1, max_size=8))
def test_operations_over_all_give_what_python_gives(values: list[Decimal]) -> None:
    total = sum(values, Decimal())
    assert (evaluate_operation("add", values), evaluate_operation("sum", values)) == (total, total)
    assert (evaluate_operation("min", values), evaluate_operation("max", values)) == (min(values), max(values))
    assert (evaluate_operation("mean", values), evaluate_operation("count", values)) == (
        total / len(values),
        Decimal(len(values)),
    )


@given(numbers, numbers)
def test_operations_of_two_give_what_python_gives(one: Decimal, other: Decimal) -> None:
    assert evaluate_operation("subtract", (one, other)) == one - other
    assert evaluate_operation("multiply", (one, other)) == one * other
    assert evaluate_operation("share", (one, other)) == one * other / 100
    assert evaluate_operation("divide", (one, other)) == (one / other if other else None)


@given(st.dates(date(1950, 1, 1), date(2150, 1, 1)), st.integers(-9_999, 9_999))
def test_days_are_counted_and_moved(day: date, days: int) -> None:
    moved = day + timedelta(days=days)
    assert evaluate_operation("days_after", (day, Decimal(days))) == moved
    assert evaluate_operation("days_between", (day, moved)) == abs(days)


@pytest.mark.parametrize(
    ("operation", "inputs"),
    [
        ("divide", (Decimal(1), Decimal(0))),
        ("subtract", (Decimal(1),)),
        ("round", (Decimal(1), Decimal(2))),
        ("add", (Decimal(1), date(2026, 1, 1))),
        ("days_between", (date(2026, 1, 1),)),
        ("days_after", (date(2026, 1, 1), Decimal("0.5"))),
        ("days_after", (date(2026, 1, 1), Decimal(10**9))),
        ("days_after", (date(9999, 12, 31), Decimal(1))),
        ("round", (Decimal("Infinity"),)),
        ("multiply", (Decimal("9e999999"), Decimal("9e999999"))),
    ],
)
def test_inputs_that_an_operation_does_not_take_give_nothing(operation: Operation, inputs: tuple[Operand, ...]) -> None:
    assert evaluate_operation(operation, inputs) is None


@pytest.mark.parametrize(
    ("value", "result"), [(33.33, "33.333333"), ("33.33", "33.333333"), (33, "33"), (10.5, "10.50")]
)
def test_an_amount_may_be_rounded_to_its_last_place(value: JsonValue, result: str) -> None:
    assert is_result(value, Decimal(result))


@pytest.mark.parametrize(
    ("value", "result"), [(33, "33.333"), (33.34, "33.333"), ("thirty", "31"), (True, "2"), ([], "0")]
)
def test_another_amount_is_no_result(value: JsonValue, result: str) -> None:
    assert not is_result(value, Decimal(result))


def test_days_and_numbers_are_operands_and_words_are_none() -> None:
    assert read_operand("2026-03-04") == date(2026, 3, 4)
    assert read_operand("1,250.50") == Decimal("1250.50")
    assert read_operand("Ann") is None


@pytest.mark.parametrize(
    ("operation", "moment", "length", "value"),
    [
        ("time_after", "14:15", "1.5 hours", "15:45"),
        ("time_before", "11:00", "75 min", "09:45"),
        ("time_after", "23:30", "an hour", "00:30"),
        ("time_after", "2025-10-21T14:15", "1.5 hours", "2025-10-21T15:45"),
        ("time_after", "2025-10-21 23:15", "zwei Stunden", "2025-10-22T01:15:00"),
        ("time_after", "2025-11-03", "28 jours", "2025-12-01"),
        ("time_before", "2025-11-03", "a week", "2025-10-27"),
        ("time_after", "2 pm", "3時間", "17:00"),
        # A day and time apart from each other in the call.
        ("time_after", "2025-10-21 23:15", "2 hours", "01:15"),
        ("time_after", "2025-10-21 23:15", "2 hours", "2025-10-22"),
    ],
)
def test_a_moment_is_moved_by_a_length(operation: Operation, moment: str, length: str, value: str) -> None:
    assert not why_not_result(operation, (moment, length), Leaf(value))


@pytest.mark.parametrize(
    ("inputs", "value"),
    [
        (("14:15", "1.5 hours"), "15:15"),
        (("14:15", "1.5 hours"), "2025-10-21"),
        (("2025-10-21", "2 hours"), "2025-10-21"),
        (("2025-10-21", "90"), "2026-01-19"),
        (("14:15",), "14:15"),
        (("soon", "2 hours"), "02:00"),
        (("14:15", "1 hour or 2 hours"), "15:15"),
        (("14:15", "1 hour" + " " * 64), "15:15"),
        (("9999-12-31", "2 days"), "10000-01-02"),
        (("2025-10-21", "9999999999 years"), "2025-10-21"),
    ],
)
def test_what_is_no_moment_and_one_length_leads_nowhere(inputs: tuple[str, ...], value: str) -> None:
    assert why_not_result("time_after", inputs, Leaf(value))


@pytest.mark.parametrize("length", ["a month", "3 months", "a year", "P1M", "P1Y", "2 years and 3 days"])
@pytest.mark.parametrize("moment", ["2025-03-01", "2025-03-01T10:00", "10:00"])
def test_how_long_a_month_is_only_the_calendar_knows(moment: str, length: str) -> None:
    assert "does not take" in why_not_result("time_after", (moment, length), Leaf(moment))
