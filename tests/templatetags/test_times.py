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


def test_an_element_names_the_moment_for_people_and_for_the_script() -> None:
    at = datetime(2026, 9, 3, 7, 5, 9, tzinfo=UTC)
    with time_machine.travel(at + timedelta(minutes=12), tick=False):
        assert times.since(at) == (
            '<time datetime="2026-09-03T07:05:09Z" title="3 Sep 2026, 07:05:09 UTC" data-ago="short">12 min</time>'
        )
        assert times.since(at, short=False).endswith('data-ago="">12 min ago</time>')


def test_a_countdown_says_whether_it_is_urgent() -> None:
    now = datetime(2026, 9, 3, 7, 5, 9, tzinfo=UTC)
    with time_machine.travel(now, tick=False):
        soon = times.countdown(now + timedelta(seconds=118))
    assert 'class="countdown countdown--soon"' in soon
    assert soon.endswith("data-countdown>1:58</time>")
