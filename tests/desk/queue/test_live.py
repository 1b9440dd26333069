"""Open pages hear of a changed queue."""

import asyncio
import json
from http import HTTPStatus
from typing import Any

import pytest
from django.db import connection

from reviews.desk.queue import live
from reviews.models import Membership
from tests.cast import Cast
from tests.desk.desk import Desk, held, rejected_by_another, waiting


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look reads anew, and keeps the connection of the test."""
    monkeypatch.setattr(live, "_latest", {})
    monkeypatch.setattr(live, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(connection, "close", lambda: None)


def test_the_state_changes_with_what_waits_and_who_holds_it(cast: Cast) -> None:
    states = [live.read_state(cast.reviewer)]
    review = waiting(cast)
    states.append(live.read_state(cast.reviewer))
    held(review, cast.other_reviewer)
    states.append(live.read_state(cast.reviewer))
    rejected_by_another(cast, held(review, cast.other_reviewer, seconds=-1))
    states.append(live.read_state(cast.reviewer))
    assert [state["waiting"] for state in states] == [0, 1, 1, 0]
    assert states[1]["digest"] != states[2]["digest"]
    assert states[3] == states[0]


def test_a_stream_tells_what_changed_and_is_silent_otherwise(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    states = iter([{"waiting": 1}, {"waiting": 1}, {"waiting": 2}])
    monkeypatch.setattr(live, "look_once", lambda _: next(states))
    monkeypatch.setattr(live, "MAX_LOOKS", 3)

    async def follow(membership: Membership) -> list[str]:
        return [event async for event in live.follow_queue(membership)]

    told = asyncio.run(follow(cast.reviewer))
    assert [json.loads(event.removeprefix("data: ")) if event[0] == "d" else event for event in told] == [
        {"waiting": 1}, ":\n\n", {"waiting": 2},
    ]  # fmt: skip


def test_a_process_looks_once_for_all_pages_of_a_workspace(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "LOOK_SECONDS", 60.0)
    first = live.look_once(cast.reviewer)
    waiting(cast)
    assert live.look_once(cast.other_reviewer) == first
    assert live.look_once(cast.outsider) == live.read_state(cast.outsider)


def test_the_stream_is_for_who_sees_the_queue(cast: Cast, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MAX_LOOKS", 0)
    response: Any = desk.client.get("/queue/events")
    assert (response.status_code, response["Content-Type"]) == (HTTPStatus.OK, "text/event-stream")
    assert Desk.of(cast.annotator).client.get("/queue/events").status_code == HTTPStatus.FORBIDDEN


def test_a_stream_is_never_sent_to_the_sign_in_page(desk: Desk) -> None:
    desk.client.logout()
    response: Any = desk.client.get("/queue/events", headers={"accept": "text/event-stream"})
    assert response.status_code == HTTPStatus.NO_CONTENT


def test_a_page_that_asks_by_itself_is_not_sent_to_the_sign_in_page(cast: Cast, desk: Desk) -> None:
    item = waiting(cast)
    desk.client.logout()
    polled: Any = desk.client.get(f"/reviews/{item.pk}/comments", headers={"hx-request": "true", "poll": "1"})
    assert polled.status_code == HTTPStatus.NO_CONTENT
