import pytest

from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_grounded


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("2026-11-21", "November 21"),
        ("2026-11-21", "21 Nov 2026"),
        ("2026-11-21", "Nov 21st, 2026"),
        ("2026-05-13", "13th to the 17th of May"),
        ("2026-05-13", "13-17 May 2026"),
        ("2024-05-13", "May 13-17, 2024"),
        ("2024-05-17", "May 13 to 17, 2024"),
        ("2026-11-21", "2026/11/21"),
        ("2026-11-21", "11/21/2026"),
        ("21 November 2026", "2026-11-21"),
        ("2026-03-05", "today"),
        ("2026-03-06", "tomorrow"),
        ("2026-03-04", "yesterday"),
        ("2026-03-07", "day after tomorrow"),
        ("2026-03-13", "next Friday"),
        ("2026-03-06", "next Friday"),
        ("2026-03-06", "this Friday"),
        ("2026-03-19", "in two weeks"),
        ("2026-03-02", "3 days ago"),
        ("2026-02-26", "last week"),
        ("2026-02-28", "last month"),
        ("2026-04-05", "in a month"),
        ("15:00", "3pm"),
        ("15:00:00", "3 p.m."),
        ("15:00", "at 3"),
        ("12:00", "noon"),
        ("2026-03-05T14:30:00", "March 5th at 2:30pm"),
        ("2026-03-06 15:00", "tomorrow at 15:00"),
        ("2026-03-06T09:00:00Z", "9 am tomorrow"),
        ("2026-03-06 00:00:00", "tomorrow"),
    ],
)
def test_a_day_or_time_written_another_way_is_normalised(value: str, quote: str) -> None:
    check_grounded(value, in_text=f"Do it {quote} please", how=Grounding.NORMALIZE, quotes=(quote,))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2026-11-22", "November 21"),
        ("2026-05-05", "May 3 and 5 people"),
        ("2024-11-21", "November 21"),
        ("2026-03-06 16:00", "tomorrow at 15:00"),
        ("2026-13-45", "tomorrow"),
        ("2026-02-30", "February 28"),
        ("2026-03-06 09:00", "tomorrow"),
    ],
)
def test_another_day_is_without_source(value: str, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.UNGROUNDED)


def test_without_a_clock_nothing_is_relative() -> None:
    check_grounded("2026-03-06", in_text="tomorrow", now=None, how=Grounding.UNGROUNDED)


def test_without_a_clock_a_day_may_be_of_any_year() -> None:
    check_grounded("2025-11-21", in_text="on November 21", now=None, how=Grounding.NORMALIZE)


def test_a_day_and_a_time_far_apart_are_joined() -> None:
    text = "Book a meeting tomorrow with the whole team, starting at 3pm"
    check_grounded("2026-03-06 15:00:00", in_text=text, how=Grounding.DERIVE, quotes=("tomorrow", "3pm"))


def test_a_day_and_a_time_of_two_sources_are_joined() -> None:
    check_grounded("2026-03-06 15:00", in_text="tomorrow", outputs=("free: 15:00",), how=Grounding.DERIVE)


def test_a_time_fixed_to_another_day_is_not_joined() -> None:
    check_grounded("2026-03-06 15:10", in_text="tomorrow", outputs=("2026-01-01 15:10",), how=Grounding.UNGROUNDED)


def test_a_start_and_a_length_give_the_end() -> None:
    check_grounded("2026-03-06 16:30", in_text="tomorrow at 3pm for 90 minutes", how=Grounding.DERIVE)


def test_a_record_ends_after_its_length() -> None:
    output = '[{"event_start": "2026-03-06 09:00:00", "duration": "45"}]'
    check_grounded("2026-03-06 09:45:00", outputs=(output,), how=Grounding.DERIVE, quotes=("2026-03-06 09:00:00", "45"))


def test_a_record_moved_by_a_length_the_user_names() -> None:
    output = '[{"event_start": "2026-03-06 09:00:00"}]'
    text = "Delay it by 1.5 hours"
    check_grounded("2026-03-06 10:30:00", in_text=text, outputs=(output,), how=Grounding.DERIVE)
    check_grounded("2026-03-06 11:00:00", in_text=text, outputs=(output,), how=Grounding.UNGROUNDED)
