"""Which texts are worth reading for a day."""

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.values.date import calendar_of, days_in, writing_of

_PIECES = [
    "2026", "-", "/", ".", "03", "3", "17", "1", "26", "t0900", "20260317", "march", "mars", " ", "5th", "st", "of ",
    "juin", "mai", "13th to the 17th of may", "a", "jan", "-17, 2026", "١٢", " de enero", "2031-07-19", "7/19/31",
]  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), max_size=9).map("".join), st.sampled_from([None, datetime(2026, 1, 5)]))  # noqa: DTZ001
def test_no_day_that_is_read_is_ruled_out(text: str, now: datetime | None) -> None:
    calendar = calendar_of(text)
    for moment in days_in(text, now):
        assert moment.day is not None
        assert calendar.may_name(moment.day, moment.day)
        assert writing_of(moment.day).search(text)


@pytest.mark.parametrize("text", ["2026-03-18", "paid 17.03 to lars", "17 april", "no. 20260317", "17/03/2025"])
def test_other_days_are_ruled_out(text: str) -> None:
    assert not calendar_of(text).may_name(date(2026, 3, 17), date(2026, 3, 17))
