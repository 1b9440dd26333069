from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from reviews.templatetags import times

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (86_399, "23 h"), (172_800, "2 d")],
)
def test_a_duration_is_whole_units(seconds: float, words: str) -> None:
    assert times.duration(seconds) == words


@pytest.mark.parametrize(("seconds", "words"), [(0, "now"), (4, "now"), (48, "48 s ago"), (7300, "2 h ago")])
def test_the_past_says_how_long_ago(seconds: int, words: str) -> None:
    with time_machine.travel(NOW, tick=False):
        assert times.ago(NOW - timedelta(seconds=seconds)) == words


@pytest.mark.parametrize(
    ("seconds", "words", "urgency"),
    [
        (0, "expired", "countdown--over"),
        (61, "1:01", "countdown--soon"),
        (299, "4:59", "countdown--soon"),
        (300, "5 min", ""),
    ],
)
def test_the_time_left_is_exact_when_it_matters(seconds: int, words: str, urgency: str) -> None:
    with time_machine.travel(NOW, tick=False):
        due = NOW + timedelta(seconds=seconds)
        assert (times.left(due), times.urgency(due)) == (words, urgency)
