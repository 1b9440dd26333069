"""What adapters call a conversation, whatever their framework has for it."""

from typing import Any
from uuid import UUID

import pytest

from reviews.agents.client.provenanceguard.adapters.traces import MAX_NAMES, Recent, name_trace

RUN = UUID(int=7)


@pytest.mark.parametrize(
    ("given", "own", "name"),
    [
        (None, ("thread", "message"), "thread"),
        (None, (None, "message"), "message"),
        (None, ("", RUN), str(RUN)),
        (None, (7,), "7"),
        (None, (None, ""), None),
        ("mine", ("thread",), "mine"),
        (lambda context: context["user"], ("thread",), "Ann"),
        (lambda context: None, ("thread",), "thread"),
    ],
)
def test_the_developers_name_goes_before_the_frameworks(given: Any, own: tuple[object, ...], name: str | None) -> None:
    assert name_trace(given, {"user": "Ann"}, *own) == name


def test_a_name_that_is_too_long_for_the_api_is_still_one_of_its_own() -> None:
    first, second = name_trace("x" * 201, None), name_trace("x" * 202, None)
    assert first
    assert second
    assert len(first) <= 200
    assert first != second


def test_of_many_conversations_the_oldest_are_forgotten() -> None:
    recent = Recent()
    for number in range(MAX_NAMES + 1):
        recent.note(number, f"prompt {number}")
        recent.note(1, "the last")
    assert (recent.get(0), recent.get(1), recent.get(MAX_NAMES)) == (None, "the last", f"prompt {MAX_NAMES}")
