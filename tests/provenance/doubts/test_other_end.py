"""An end that neither the user says nor their beginning and length give."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reviews.provenance.doubts import other_end
from tests.provenance.argument_grounding.made import call, context
from tests.provenance.argument_grounding.tools import NUMBER, TEXT, tool
from tests.provenance.doubts.asking import doubt_of

OFFERED = (tool("book_room", "Books a room.", start=TEXT, end=TEXT, minutes=NUMBER),)


def told(said: str, start: str, end: str, **others: int) -> str:
    asked = replace(context(f"Book a room {said}.", offered=OFFERED), now=datetime(2026, 9, 30, 10, tzinfo=UTC))
    doubt = doubt_of(other_end, asked, call("book_room", start=start, end=end, **others), "/end")
    return doubt.note if doubt else ""


@pytest.mark.parametrize(
    ("said", "start", "end", "met"),
    [
        (
            "on 3 October at 14:00 for 90 minutes",
            "2026-10-03T14:00",
            "2026-10-03T15:00",
            "15:30; the call ends at 15:00",
        ),
        ("at 14:00 for an hour", "14:00", "15:30", "15:00; the call"),
        ("on 3 October at 23:30 for an hour", "2026-10-03T23:30", "2026-10-03T23:59", "4 Oct, 00:30; the call"),
    ],
)
def test_it_is_told_with_when_the_users_words_end(said: str, start: str, end: str, met: str) -> None:
    assert met in told(said, start, end)


@pytest.mark.parametrize(
    ("said", "end", "others"),
    [
        ("at 14:00 for 90 minutes", "15:30", {}),
        ("from 14:00 to 15:00, ready in 90 minutes", "15:00", {}),
        ("at 14:00 for 90 minutes", "15:00", {"minutes": 90}),
        ("at 14:00 for 90 minutes, with a break of 10 minutes", "15:00", {}),
        ("at 14:00 for two days", "15:00", {}),
        ("at 14:00", "15:00", {}),
        ("at 14:00, 90 minutes before it send a note", "13:00", {}),
    ],
)
def test_nothing_is_told_where_the_words_give_it_or_leave_it_open(said: str, end: str, others: dict[str, int]) -> None:
    assert told(said, "14:00", end, **others) == ""


def test_nothing_ends_beyond_the_calendar() -> None:
    assert told("on 31 December 9999 at 23:30 for an hour", "9999-12-31T23:30", "9999-12-31T23:59") == ""


@pytest.mark.parametrize(
    ("end", "better"),
    [
        ("2026-10-03T15:00", ["2026-10-03T15:30"]),
        ("2026-10-03 15:00:00", ["2026-10-03 15:30:00"]),
        ("October 3, 2026, 3 pm", []),
    ],
)
def test_the_time_that_the_words_lead_to_is_offered_as_the_value_is_written(end: str, better: list[str]) -> None:
    asked = replace(
        context("Book a room on 3 October at 14:00 for 90 minutes.", offered=OFFERED),
        now=datetime(2026, 9, 30, tzinfo=UTC),
    )
    doubt = doubt_of(other_end, asked, call("book_room", start="2026-10-03T14:00", end=end), "/end")
    assert doubt is not None
    assert [rival.value for rival in doubt.rivals] == better
