from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.values.relative_days import past_periods_in

DAYS = st.dates(date(2000, 1, 1), date(2099, 1, 1))


@given(DAYS)
def test_last_week_is_what_weeks_from_sunday_and_from_monday_share(today: date) -> None:
    (period,) = past_periods_in("all of last week", today)
    days = [today - timedelta(days=n) for n in range(1, 15)]
    shared = [
        day
        for day in days
        if day.isocalendar()[:2] == (today - timedelta(weeks=1)).isocalendar()[:2]
        and (day + timedelta(days=1)).isocalendar()[:2] == (today - timedelta(days=6)).isocalendar()[:2]
    ]
    assert period.value == (min(shared), max(shared))


@given(DAYS, st.integers(2, 60))
def test_the_last_days_hold_neither_today_nor_the_day_that_only_some_count(today: date, count: int) -> None:
    (period,) = past_periods_in(f"in the past {count} days", today)
    first, last = period.value
    assert (today - last).days == 1
    assert (today - first).days == count - 1


@pytest.mark.parametrize("text", ["the last week", "last weekend", "next week", "at last", "the last day", "last 4"])
def test_what_may_be_read_otherwise_is_no_period(text: str) -> None:
    assert not list(past_periods_in(text, date(2026, 3, 4)))


def test_a_period_beyond_the_calendar_is_none() -> None:
    assert list(past_periods_in("the last 999 weeks", date(1, 1, 9))) == []
