from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from reviews.provenance.core.context import NamedText, SourceKind
from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_grounded

IN_BERLIN = datetime(2026, 3, 5, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2026-03-06T13:00:00Z", "tomorrow 15:00+02:00"),
        ("2026-03-06T14:00:00Z", "tomorrow at 3pm CET"),
        ("2026-03-06T14:00:00Z", "tomorrow at 3pm Berlin time"),
        ("2026-03-06T14:00:00Z", "2026-03-06T15:00:00+01:00[Europe/Berlin]"),
        ("2026-03-06T09:00:00-05:00", "tomorrow at 3pm (CET)"),
        ("2026-03-06T20:00:00Z", "tomorrow at 3pm ET"),
        ("2026-03-07T04:00:00Z", "tomorrow at 11pm New York time"),
        ("2026-03-06T15:00:00", "tomorrow at 3pm CET"),
        ("2026-03-06T15:00:00+01:00", "tomorrow at 3pm"),
    ],
)
def test_the_same_instant_in_another_zone(value: str, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.NORMALIZE)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2026-03-06T15:00:00Z", "tomorrow 15:00+02:00"),
        ("2026-03-06T13:00:00+02:00", "tomorrow 15:00+02:00"),
        ("2026-03-06T15:00:00Z", "tomorrow at 3pm Berlin time"),
        ("2026-03-06T14:00:00-05:00", "tomorrow at 3pm CET"),
    ],
)
def test_another_instant_is_without_source_though_the_clock_may_look_the_same(value: str, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.UNGROUNDED)


@pytest.mark.parametrize("value", ["2026-03-06T14:00:00Z", "2026-03-06T15:00:00+01:00", "2026-03-06T15:00:00"])
def test_the_clock_of_the_trace_tells_the_zone_of_the_user(value: str) -> None:
    check_grounded(value, in_text="tomorrow at 3pm", now=IN_BERLIN, how=Grounding.NORMALIZE)


def test_a_time_of_the_user_in_another_zone_is_another_time() -> None:
    check_grounded("2026-03-06T15:00:00Z", in_text="tomorrow at 3pm", now=IN_BERLIN, how=Grounding.UNGROUNDED)


def test_a_system_prompt_may_tell_the_zone() -> None:
    told = (NamedText(SourceKind.SYSTEM_PROMPT, "user", "The user's time zone is Europe/Berlin."),)
    check_grounded("2026-03-06T14:00:00Z", in_text="tomorrow at 3pm", extra=told, how=Grounding.NORMALIZE)
    check_grounded("2026-03-06T15:00:00Z", in_text="tomorrow at 3pm", extra=told, how=Grounding.UNGROUNDED)


@pytest.mark.parametrize("value", [1772805600, 1772805600000, "1772805600"])
def test_seconds_or_milliseconds_since_1970_are_an_instant(value: object) -> None:
    check_grounded(value, in_text="tomorrow at 14:00", name="post_at", how=Grounding.NORMALIZE)


def test_other_seconds_are_another_instant() -> None:
    check_grounded(1772805660, in_text="tomorrow at 14:00", name="post_at", how=Grounding.UNGROUNDED)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("America/New_York", "at 3pm New York time"),
        ("America/New_York", "at 3pm ET"),
        ("Europe/Berlin", "the Berlin office"),
        ("UTC", "at 15:00 GMT"),
    ],
)
def test_a_zone_in_everyday_words(value: str, text: str) -> None:
    check_grounded(value, in_text=text, name="time_zone", how=Grounding.NORMALIZE)


def test_another_zone_is_without_source() -> None:
    check_grounded("Europe/Berlin", in_text="at 3pm ET", name="time_zone", how=Grounding.UNGROUNDED)
