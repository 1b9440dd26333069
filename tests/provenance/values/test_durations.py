from decimal import Decimal

import pytest
from babel.units import format_unit
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.text.fold import fold
from reviews.provenance.values.durations import durations_in, seconds_of
from reviews.provenance.values.locales import SPOKEN
from tests.provenance.values.writing import TEXT

HOURS, MINUTES = 3600, 60


def lengths(text: str) -> list[Decimal]:
    return [length.value for length in durations_in(fold(text))]


@given(
    st.integers(min_value=1, max_value=400),
    st.sampled_from([("second", 1), ("minute", MINUTES), ("hour", HOURS), ("week", 7 * 24 * HOURS)]),
    st.sampled_from(SPOKEN),
)
def test_a_length_is_read_as_each_language_writes_it(count: int, unit: tuple[str, int], locale: str) -> None:
    written = format_unit(count, f"duration-{unit[0]}", "long", locale=locale)
    # Without a name of its own for the unit Babel writes the key.
    if "duration" not in written:
        assert count * unit[1] in lengths(written)


@given(st.integers(0, 400), st.integers(0, 59), st.integers(0, 59))
def test_iso_8601_reads_back(hours: int, minutes: int, seconds: int) -> None:
    assert lengths(f"PT{hours}H{minutes}M{seconds}S") == [hours * HOURS + minutes * MINUTES + seconds]


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("a half-hour meeting", 30), ("half an hour", 30), ("a 30-minute call", 30), ("for 1.5 hours", 90),
        ("an hour and a half", 90), ("for 1h30", 90), ("2h 15m", 135), ("1 hour and 30 minutes", 90),
        ("three hours", 180), ("zwei Stunden", 120), ("2時間", 120), ("two and a half hours", 150),
        ("a quarter of an hour", 15),
    ],
)  # fmt: skip
def test_a_length_in_words_is_read_once(text: str, minutes: int) -> None:
    assert lengths(text) == [minutes * MINUTES]


@pytest.mark.parametrize("text", ["3月5日", "10時30分", "room 5h2", "at 15:30", "5 apples"])
def test_what_is_no_length_is_none(text: str) -> None:
    assert lengths(text) == []


@pytest.mark.parametrize(
    ("value", "name", "seconds"),
    [
        (90, "timeout_minutes", [5400]), (10, "timeoutSeconds", [10]), (3, "hours", [10800]), ("1h30", "x", [5400]),
        ("PT1H", "x", [3600]), ("45 minutes", "length", [2700]), (30, "duration", [1800, 108000, 30]),
        ("1:30", "duration", [5400, 90]), (5, "amount", []), ("soon", "duration", []), (None, "minutes", []),
    ],
)  # fmt: skip
def test_a_value_means_a_length_in_the_unit_of_its_name(value: object, name: str, seconds: list[int]) -> None:
    assert list(seconds_of(str(value), name)) == seconds


@given(TEXT, st.text(max_size=20))
def test_every_length_lies_in_its_text(text: str, name: str) -> None:
    folded = fold(text)
    assert all(0 <= length.start < length.end <= len(folded) for length in durations_in(folded))
    assert all(length.is_finite() for length in seconds_of(text, name))
