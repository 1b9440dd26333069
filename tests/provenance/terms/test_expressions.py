"""A result is held against a value as people round, and a moment is moved as the calendar has it."""

from fractions import Fraction

import pytest

from reviews.provenance.core.context import JsonValue
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.expressions import is_result, why_not_result


@pytest.mark.parametrize(
    ("value", "result"), [(33.33, "33.333333"), ("33.33", "33.333333"), (33, "33"), (10.5, "10.50")]
)
def test_an_amount_may_be_rounded_to_its_last_place(value: JsonValue, result: str) -> None:
    assert is_result(value, Fraction(result))


@pytest.mark.parametrize(
    ("value", "result"), [(33, "33.333"), (33.34, "33.333"), ("thirty", "31"), (True, "2"), ([], "0")]
)
def test_another_amount_is_no_result(value: JsonValue, result: str) -> None:
    assert not is_result(value, Fraction(result))


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
def test_a_moment_is_moved_by_a_length(operation: str, moment: str, length: str, value: str) -> None:
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


@pytest.mark.parametrize(
    ("operation", "moment", "length", "value"),
    [
        ("time_after", "2025-03-15", "two months", "2025-05-15"),
        ("time_after", "2025-05-01T10:00", "6 months", "2025-11-01T10:00"),
        ("time_after", "2024-11-30", "P1Y", "2025-11-30"),
        ("time_before", "2025-01-31", "a month", "2024-12-31"),
        ("time_after", "2025-10-21", "3 Monate", "2026-01-21"),
    ],
)
def test_months_lead_to_the_same_day_of_another(operation: str, moment: str, length: str, value: str) -> None:
    assert not why_not_result(operation, (moment, length), Leaf(value))
    assert why_not_result(operation, (moment, length), Leaf(value.replace("1", "0", 1)))
    assert why_not_result(operation, (moment, length), Leaf(moment))


@pytest.mark.parametrize(
    ("moment", "length"),
    [
        ("10:00", "a month"), ("10:00", "P1Y"), ("2025-01-31", "a month"), ("2024-02-29", "a year"),
        ("2025-03-01", "2 years and 3 days"), ("2025-03-01", "1 month or 2 months"), ("2025-03-01", "99999 years"),
        ("0001-01-01", "-3 months"),
    ],
)  # fmt: skip
def test_where_no_such_day_is_known_a_month_leads_nowhere(moment: str, length: str) -> None:
    assert "does not take" in why_not_result("time_after", (moment, length), Leaf(moment))


@pytest.mark.parametrize("share", ["4 %", "4 Prozent", "4 percent", "four percent"])
def test_a_percentage_is_computed_with_in_any_spelling(share: str) -> None:
    assert not why_not_result("q2 * (1 + q1 / 100)", (share, "3500"), Leaf(3640))
    assert not why_not_result("q1 * q2", (share, "3500"), Leaf(140))
    assert why_not_result("q2 * (1 + q1 / 100)", (share, "3500"), Leaf(3540))


@pytest.mark.parametrize(
    ("length", "value"),
    [("een maand", "2026-12-30"), ("due mesi", "2027-01-30"), ("два месяца", "2027-01-30"), ("ein Jahr", "2027-11-30"),
     ("medio año", "2027-05-30")],
)  # fmt: skip
def test_a_day_is_moved_by_months_in_words_of_many_languages(length: str, value: str) -> None:
    assert not why_not_result("time_after", ("2026-11-30", length), Leaf(value))
    assert why_not_result("time_after", ("2026-11-30", length), Leaf("2027-03-30"))
    assert why_not_result("time_after", ("2026-11-30", length), Leaf("2026-12-31"))


def test_pieces_that_say_nothing_are_joined_to_no_value() -> None:
    assert why_not_result("concatenate", ["", ""], Leaf("mia@acme.example")) != ""
