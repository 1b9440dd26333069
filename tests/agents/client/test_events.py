"""The client follows the feed of events over broken connections."""

import itertools
import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from reviews.agents.client.provenanceguard import (
    AsyncGuard,
    Event,
    Guard,
    GuardError,
    MalformedAnswerError,
    ProblemError,
    UnreachableError,
)
from reviews.agents.client.provenanceguard import events as following

URL, KEY = "http://guard.test", "pgr_secret"
Answer = Callable[[httpx.Request], httpx.Response]


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "FIRST_PAUSE_SECONDS", 0.0)


def event(number: int) -> dict[str, Any]:
    at = datetime(2026, 1, 1, tzinfo=UTC).isoformat()
    links = {"self": "http://guard.test/api/v1/actions/a", "review": ""}
    data = {"id": f"a{number}", "status": "decided", "outcome": "approve", "decided_by": "guard", "agent": "payer",
            "trace_id": "t", "tool_call_id": "c", "tool": "pay", "metadata": {}, "expires_at": at, "links": links,
            "new_field": 1}  # fmt: skip
    return {"id": str(number), "type": "action.decided", "timestamp": at, "data": data}


def text_of(*numbers: int) -> str:
    return "".join(f"id: {number}\nevent: x\ndata: {json.dumps(event(number))}\n\n" for number in numbers)


def breaking(text: str) -> Answer:
    """A stream whose connection breaks behind this."""

    async def parts() -> AsyncIterator[bytes]:
        for part in (text[:40], text[40:]):
            yield part.encode()
        raise httpx.ReadError("cut")

    return lambda _: httpx.Response(200, headers={"content-type": "text/event-stream"}, content=parts())


def refusing(status: int, **headers: str) -> Answer:
    return lambda _: httpx.Response(status, headers=headers, json={"title": "Refused", "detail": "No."})


class Server:
    """Answers in this order, the last one for ever."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = itertools.chain(answers, itertools.repeat(answers[-1]))
        self.requests: list[httpx.Request] = []

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return next(self._answers)(request)

    @property
    def places(self) -> list[str | None]:
        return [request.headers.get("last-event-id") for request in self.requests]


async def follow(server: Server, count: int, **options: Any) -> list[Event]:
    events = AsyncGuard(URL, KEY, transport=httpx.MockTransport(server)).events(**options)
    followed = [await anext(events) for _ in range(count)]
    await events.aclose()
    return followed


async def test_a_stream_that_breaks_goes_on_behind_the_last_event() -> None:
    half = f"retry: 2000\n\n{text_of(1)}:\n\nid: 5\n\nid: 6\ndata: {{"
    server = Server(breaking(half), refusing(503), breaking(text_of(6, 7)))
    events = await follow(server, 3, after="0", agent="payer")
    assert [(each.id, each.data.id) for each in events] == [("1", "a1"), ("6", "a6"), ("7", "a7")]
    assert server.places == ["0", "5", "5"]
    assert server.requests[0].url.params["agent"] == "payer"
    assert server.requests[0].headers["accept"] == "text/event-stream"
    assert isinstance(events[0].timestamp, datetime)


async def test_an_event_is_never_taken_for_permission() -> None:
    (told,) = await follow(Server(breaking(text_of(1))), 1)
    with pytest.raises(TypeError):
        bool(told)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (refusing(401), ProblemError),
        (refusing(422), ProblemError),
        (breaking("id: 1\ndata: {}\n\n"), MalformedAnswerError),
        (lambda _: httpx.Response(200, text="<html>"), MalformedAnswerError),
    ],
)
async def test_what_a_later_try_would_meet_again_is_raised(answer: Answer, error: type[GuardError]) -> None:
    with pytest.raises(error):
        await follow(Server(answer), 1)


async def test_an_address_that_cannot_be_is_raised_without_the_key() -> None:
    def impossible(_: httpx.Request) -> httpx.Response:
        raise httpx.LocalProtocolError(f"Bearer {KEY}")

    with pytest.raises(UnreachableError) as raised:
        await follow(Server(impossible), 1)
    assert KEY not in str(raised.value)


def test_a_thread_follows_too_and_leaves_when_it_likes() -> None:
    server = Server(breaking(text_of(1)), breaking(text_of(2)))
    with Guard(URL, KEY, transport=httpx.MockTransport(server)) as guard:
        ids = [each.id for each in itertools.islice(guard.events(after="latest"), 2)]
    assert (ids, server.places) == (["1", "2"], ["latest", "1"])
