"""The user's first free time."""

from collections.abc import Mapping
from datetime import datetime

import pytest

from reviews.provenance.core.context import Case, Context, NamedText, ProposedAction, SourceKind, Step, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import Grounded, ground_arguments

NOW = datetime(2026, 3, 5, 8, 0)  # noqa: DTZ001 - a trace's clock has the user's own zone; a Thursday
HOURS = "No meeting may start before 09:00 or end after 17:00."
ASKED = "book a 30 minute call with Raj at the earliest time I'm free tomorrow"
EARLIEST = "earliest time I'm free"
DAY = """[{"title": "a", "start": "2026-03-06 09:00", "minutes": 60},
{"title": "b", "start": "2026-03-06 10:15", "minutes": 45}]"""
WHOLE_DAY = {"from": "2026-03-06 00:00", "to": "2026-03-06 23:59"}


def look(output: str, tool: str = "list_events", **asked: str) -> Step:
    return Step(tool, asked or WHOLE_DAY, output)


def start(value: str, *history: Step, text: str = ASKED, minutes: int = 30, hours: str = HOURS) -> Grounded:
    """The grounding of the call's start."""
    prompt = NamedText(SourceKind.SYSTEM_PROMPT, "office", hours)
    context = Context(text, (ToolDoc("create_event"),), history, (prompt,), NOW)
    action = ProposedAction("create_event", {"start": value, "duration_minutes": minutes})
    found = ground_arguments(Case(context, action))[0]
    assert all(context.verifies(span) for span in (*found.spans, *found.against))
    return found


def check(found: Grounded, *against: str) -> None:
    """The evidence is exactly this, beside the words that ask for a free time."""
    told = tuple(span for span in found.against if span.source != "query" or len(found.against) == 1)
    assert tuple(span.quote for span in told) == against, found
    assert (found.how is Grounding.UNGROUNDED) == bool(against), found


def test_with_no_listing_nobody_can_know() -> None:
    check(start("2026-03-06 09:00"), EARLIEST)


@pytest.mark.parametrize(
    "asked",
    [
        {"query": "Raj", **WHOLE_DAY},
        {"attendee": "raj@corp.example", **WHOLE_DAY},
        {"about": "Raj", **WHOLE_DAY},
        {"from": "2026-03-05 00:00", "to": "2026-03-05 23:59"},
    ],
)
def test_a_listing_of_something_else_is_none(asked: Mapping[str, str]) -> None:
    check(start("2026-03-06 09:00", look("No events found.", **asked)), EARLIEST)


def test_other_lookups_are_none() -> None:
    check(start("2026-03-06 09:00", look('["raj@corp.example"]', "find_email", name="raj")), EARLIEST)


def test_the_first_gap_follows_from_the_entries() -> None:
    found = start("2026-03-06 11:00", look(DAY))
    assert [span.quote for span in found.spans] == [EARLIEST, "2026-03-06 09:00", "2026-03-06 10:15", HOURS[:-1]]
    assert found.how is Grounding.DERIVE


def test_a_gap_that_is_too_short_is_skipped() -> None:
    check(start("2026-03-06 10:00", look(DAY)), "2026-03-06 10:15")
    check(start("2026-03-06 10:00", look(DAY), minutes=15))


def test_a_time_that_is_taken() -> None:
    check(start("2026-03-06 09:30", look(DAY)), "2026-03-06 09:00")


def test_a_later_time_than_the_first() -> None:
    check(start("2026-03-06 14:00", look(DAY)), "2026-03-06 10:15")


def test_an_empty_day_starts_with_the_first_hour() -> None:
    assert start("2026-03-06 09:00", look("No events found.")).how is Grounding.DERIVE
    check(start("2026-03-06 08:00", look("No events found.")), HOURS[:-1])


def test_the_hours_that_are_past_are_not_free() -> None:
    today = look("[]", date="2026-03-05")
    assert start("2026-03-05 09:00", today, text="a call at the first time I can do today").how is Grounding.DERIVE


def test_without_hours_only_what_is_taken_is_known() -> None:
    check(start("2026-03-06 09:30", look(DAY), hours="Be kind."), "2026-03-06 09:00")
    assert not start("2026-03-06 13:00", look(DAY), hours="Be kind.").against


@pytest.mark.parametrize(
    "text",
    [
        "book a call with Raj tomorrow at 9",
        "book a call at the first time Raj is free tomorrow",
        "my first meeting tomorrow should be a call with Raj at 9:00",
    ],
)
def test_requests_that_do_not_leave_it_to_the_users_calendar(text: str) -> None:
    assert not start("2026-03-06 09:00", text=text).against


@pytest.mark.parametrize("words", ["at the first time I can do", "as soon as I'm free", "in my next free slot"])
def test_ways_to_ask(words: str) -> None:
    assert start("2026-03-06 09:00", text=f"book a call {words} tomorrow").against
