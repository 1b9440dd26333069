import pytest

from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_grounded


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("2026-03-31", "end of the month"),
        ("2026-03-31", "eom"),
        ("2026-12-31", "end of the year"),
        ("2026-03-13", "end of next week"),
        ("2026-06-30", "end of next quarter"),
        ("2026-05-31", "end of May"),
        ("2026-05-15", "mid-May"),
        ("2026-05-04", "first Monday of May"),
        ("2026-03-27", "last Friday of the month"),
        ("2026-07-01", "Q3"),
        ("2026-09-30", "third quarter"),
        ("2026-04-01", "next quarter"),
        ("2026-03-08", "this weekend"),
        ("2026-03-15", "next weekend"),
        ("2026-03-15", "the 15th"),
        ("2026-04-15", "the 15th of next month"),
        ("2026-12-25", "Christmas"),
        ("2025-12-31", "in 2025"),
        ("2026-02-01", "February 2026"),
    ],
)
def test_a_day_told_by_its_place_in_a_longer_stretch(value: str, quote: str) -> None:
    check_grounded(value, in_text=f"Do it {quote}, please", how=Grounding.NORMALIZE, quotes=(quote,))


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("2026-03-10", "in three working days"),
        ("2026-03-12", "in five working days"),
        ("2026-04-16", "in 30 working days"),
        ("2026-02-26", "5 working days ago"),
        ("2026-03-13", "a week from Friday"),
        ("2026-03-08", "three days from now"),
        ("2026-03-07", "in a couple of days"),
        ("2026-03-05 10:00", "in an hour"),
        ("2026-03-05T08:30:00", "30 minutes ago"),
    ],
)
def test_a_day_or_time_counted_from_another(value: str, quote: str) -> None:
    check_grounded(value, in_text=f"Do it {quote}, please", how=Grounding.NORMALIZE, quotes=(quote,))


@pytest.mark.parametrize(
    ("value", "text", "nearest"),
    [
        ("2026-03-14", "Do it next Friday", "next Friday"),
        ("2026-03-30", "at the end of the month", "end of the month"),
        ("2026-05-05", "on the first Monday of May", "first Monday of May"),
        ("2026-03-16", "on the 15th", "the 15th"),
        ("2026-03-05 11:00", "in an hour", "in an hour"),
    ],
)
def test_another_day_is_without_source_and_shows_the_words(value: str, text: str, nearest: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.UNGROUNDED, nearest=nearest)


def test_a_day_beyond_the_calendar_is_no_day() -> None:
    check_grounded("9999-12-31", in_text="in 999 years", how=Grounding.UNGROUNDED)
