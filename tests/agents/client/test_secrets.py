"""Whatever goes wrong, an agent may hand it to its model: the key is in none of it."""

import logging
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx
import pytest

from reviews.agents.client.provenanceguard import (
    AsyncGuard,
    GuardError,
    MalformedAnswerError,
    ProblemError,
    UnusableKeyError,
)
from reviews.agents.client.provenanceguard.testing import KEY, FakeGuard

ACTION = "0199c2f4-6a51-7c30-9d1b-2f6f0c6b8a11"


def everything_about(error: BaseException) -> str:
    """All that a log or a model could be given of an error, with whatever led to it."""
    return "".join([str(error), repr(error), repr(vars(error)), *traceback.format_exception(error)])


@pytest.fixture
def server() -> Iterator[str]:
    """Something that listens: only behind a connection are the headers of a request looked at."""

    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as listening:
        Thread(target=listening.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()


@pytest.mark.parametrize(
    "key",
    [f"{KEY}\nX-Other: 1", f"{KEY}\r\n{KEY}", f"{KEY}\0", f"{KEY}é", f"{KEY} {KEY}", f"{KEY}\u2028{KEY}", "", "\n"],
)
async def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(server: str, key: str) -> None:
    with pytest.raises(GuardError) as raised:
        async with AsyncGuard(server, key) as guard:
            await guard.get(ACTION)
    assert isinstance(raised.value, UnusableKeyError)
    assert KEY not in everything_about(raised.value)


@pytest.mark.parametrize("key", [None, KEY.encode()])
def test_a_key_that_is_no_text_says_so_and_is_not_shown(key: Any) -> None:
    with pytest.raises(UnusableKeyError, match="Is its variable set") as raised:
        AsyncGuard("http://guard", key)
    assert KEY not in everything_about(raised.value)


async def test_white_space_around_a_key_is_no_part_of_it() -> None:
    signed: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        signed.append(request.headers["Authorization"])
        return httpx.Response(200, json={"items": [], "next_cursor": None})

    async with AsyncGuard("http://guard", f" {KEY}\r\n", transport=httpx.MockTransport(answer)) as guard:
        await guard.list_actions()
    assert signed == [f"Bearer {KEY}"]


ECHO = f"Authorization: Bearer {KEY}"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (httpx.Response(400, json={"title": ECHO}), ProblemError),
        (httpx.Response(422, json={"detail": "no", "errors": [{"pointer": ECHO, "detail": ECHO}]}), ProblemError),
        (httpx.Response(400, json={"type": ECHO, "errors": ECHO}), ProblemError),
        (httpx.Response(400, json={"errors": [ECHO, None]}), ProblemError),
        (httpx.Response(200, text=ECHO), MalformedAnswerError),
        (httpx.Response(200, json={"id": ACTION, "status": ECHO}), MalformedAnswerError),
        (httpx.Response(200, text="[" * 100_000), MalformedAnswerError),
        (httpx.Response(400, text="[" * 100_000), ProblemError),
    ],
)
async def test_an_answer_that_repeats_the_request_gives_no_key_away(
    answer: httpx.Response, kind: type[GuardError]
) -> None:
    async with FakeGuard(broken=[answer]).async_guard() as guard:
        with pytest.raises(kind) as raised:
            await guard.get(ACTION)
    assert KEY not in everything_about(raised.value)


async def test_a_broken_connection_gives_no_key_away() -> None:
    broken: list[httpx.Response | httpx.TransportError]
    broken = [httpx.LocalProtocolError(f"Illegal header value b'Bearer {KEY}'") for _ in range(5)]
    async with FakeGuard(broken=broken).async_guard(patience=0) as guard:
        with pytest.raises(GuardError) as raised:
            await guard.get(ACTION)
    assert KEY not in everything_about(raised.value)


async def test_an_answer_that_cannot_be_unpacked_is_not_believed() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=httpx.ByteStream(b"no gzip"))

    async with AsyncGuard("http://guard", KEY, transport=httpx.MockTransport(answer)) as guard:
        with pytest.raises(MalformedAnswerError) as raised:
            await guard.get(ACTION)
    assert KEY not in everything_about(raised.value)


async def test_neither_the_client_nor_its_log_shows_the_key(server: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        async with AsyncGuard(server, KEY) as guard:
            with pytest.raises(ProblemError):
                await guard.get(ACTION)
            assert KEY not in repr(guard) + repr(vars(guard))
    assert caplog.records
    assert KEY not in caplog.text


async def test_an_outcome_with_half_a_character_is_reported() -> None:
    fake = FakeGuard()
    async with fake.async_guard() as guard:
        action = await guard.submit({"query": "Pay.", "action": {"tool": "pay", "arguments": {}}})
        await guard.report(action.id, succeeded=True, outcome="\ud83d\0")
    assert fake.reports == [{"status": "succeeded", "outcome": "\ud83d\0"}]
