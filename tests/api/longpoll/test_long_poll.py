"""Waiting in front of Django, without a server: a scripted Django and a hand-fed subscription."""

import asyncio
import time

import pytest
from django.conf import settings

from reviews.api.longpoll.asgi import Message, Receive, Scope, Send
from reviews.api.longpoll.long_poll import LongPoll
from tests.eventually import until

Scripted = tuple[int, list[tuple[bytes, bytes]], bytes]

ACTION = "/api/v1/actions/0190a1b2-0000-7000-8000-000000000000"
ID = ACTION.rpartition("/")[2]
UNDECIDED: Scripted = (200, [(b"retry-after", b"1")], b"undecided")
CONTINUED = [(b"continue-from", b"token.1"), (b"continue-behind", b"1"), (b"tools-digest", b"digest")]
COUNTED = [(b"idempotency-replayed", b"true"), (b"ratelimit", b'"submissions-per-key";r=7')]
SUBMITTED: Scripted = (
    202,
    [(b"retry-after", b"1"), (b"location", ACTION.encode()), *CONTINUED, *COUNTED],
    b"submitted",
)
DECIDED: Scripted = (200, [], b"decided")
GONE: Scripted = (401, [], b"revoked")


class ScriptedDjango:
    """Gives the answers it was told, the last one for ever; keeps what it was asked."""

    def __init__(self, *answers: Scripted) -> None:
        self.answers = list(answers)
        self.requests: list[Scope] = []
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.requests.append(scope)
        message = await receive()
        self.bodies.append(message["body"])
        while message.get("more_body"):
            message = await receive()
        status, headers, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        await send({"type": "http.response.start", "status": status, "headers": list(headers)})
        await send({"type": "http.response.body", "body": body})


class Browser:
    """One request to the application under test."""

    def __init__(
        self, poll: LongPoll, method: str, path: str, query: str = "", body: bytes = b"", **headers: str
    ) -> None:
        self._left: asyncio.Queue[Message] = asyncio.Queue()
        more = int(headers.get("content_length", 0)) > len(body)
        self._left.put_nowait({"type": "http.request", "body": body, "more_body": more})
        self.sent: list[Message] = []
        named = {"authorization": "Bearer key", **headers}
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()],
        }
        self.started = time.monotonic()
        self.task = asyncio.create_task(poll(scope, self._left.get, self._send))

    async def _send(self, message: Message) -> None:
        self.sent.append(message)

    def leave(self) -> None:
        self._left.put_nowait({"type": "http.disconnect"})

    async def answer(self) -> tuple[int, bytes]:
        await asyncio.wait_for(self.task, 10)
        return self.sent[0]["status"], b"".join(message.get("body", b"") for message in self.sent)

    def header(self, name: bytes) -> bytes | None:
        return next((value for key, value in self.sent[0]["headers"] if key == name), None)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started


@pytest.fixture
def shortened(monkeypatch: pytest.MonkeyPatch) -> float:
    """Every wait is cut to these seconds."""
    seconds = 0.1
    monkeypatch.setattr(settings, "GUARD", settings.GUARD.model_copy(update={"max_wait_seconds": seconds}))
    return seconds


def tell(poll: LongPoll, action_id: str = ID) -> None:
    poll.wakeups.receive({"type": "message", "data": action_id.encode()})


@pytest.mark.usefixtures("listening")
class TestWhileListening:
    async def test_a_decided_action_is_answered_at_once(self) -> None:
        django = ScriptedDjango(DECIDED)
        assert await Browser(LongPoll(django), "GET", ACTION, "wait=5").answer() == (200, b"decided")
        assert len(django.requests) == 1

    async def test_news_end_the_wait(self) -> None:
        poll = LongPoll(ScriptedDjango(UNDECIDED, DECIDED))
        browser = Browser(poll, "GET", ACTION, "wait=5")
        await until(lambda: len(poll.wakeups) == 1)
        tell(poll)
        assert await browser.answer() == (200, b"decided")
        assert browser.seconds < 4

    async def test_news_of_another_action_do_not(self, shortened: float) -> None:
        poll = LongPoll(ScriptedDjango(UNDECIDED))
        browser = Browser(poll, "GET", ACTION, "wait=1")
        await until(lambda: len(poll.wakeups) == 1)
        tell(poll, "another")
        assert await browser.answer() == (200, b"undecided")
        assert browser.seconds >= shortened

    async def test_false_news_do_not_end_the_wait(self) -> None:
        django = ScriptedDjango(UNDECIDED, UNDECIDED, DECIDED)
        poll = LongPoll(django)
        browser = Browser(poll, "GET", ACTION, "wait=5")
        for count in (1, 2):
            await until(lambda count=count: len(django.requests) == count)  # type: ignore[misc]
            await asyncio.sleep(0.02)
            tell(poll)
        assert await browser.answer() == (200, b"decided")

    async def test_news_during_the_first_look_are_not_missed(self) -> None:
        async def decided_meanwhile(scope: Scope, receive: Receive, send: Send) -> None:
            tell(poll)
            await django(scope, receive, send)

        django = ScriptedDjango(UNDECIDED, DECIDED)
        poll = LongPoll(decided_meanwhile)
        browser = Browser(poll, "GET", ACTION, "wait=5")
        assert await browser.answer() == (200, b"decided")
        assert browser.seconds < 4

    async def test_news_during_a_submission_are_not_missed(self) -> None:
        async def decided_meanwhile(scope: Scope, receive: Receive, send: Send) -> None:
            await django(scope, receive, send)
            tell(poll)

        django = ScriptedDjango(SUBMITTED, DECIDED)
        poll = LongPoll(decided_meanwhile)
        browser = Browser(poll, "POST", "/api/v1/actions", body=b"{}", prefer="wait=5")
        assert (await browser.answer())[0] == 200
        assert browser.seconds < 4

    async def test_a_submission_is_answered_with_its_decision(self) -> None:
        django = ScriptedDjango(SUBMITTED, DECIDED)
        poll = LongPoll(django)
        browser = Browser(poll, "POST", "/api/v1/actions", body=b"{}", prefer="respond-async, wait=5", origin="o")
        await until(lambda: len(poll.wakeups) == 1)
        tell(poll)
        assert await browser.answer() == (200, b"decided")
        assert browser.header(b"location") == ACTION.encode()
        assert [(name, browser.header(name)) for name, _ in CONTINUED + COUNTED] == CONTINUED + COUNTED
        assert browser.header(b"preference-applied") == b"wait=5"
        assert (django.requests[1]["method"], django.requests[1]["path"]) == ("GET", ACTION)
        assert {(b"authorization", b"Bearer key"), (b"origin", b"o")} <= set(django.requests[1]["headers"])
        assert django.bodies == [b"{}", b""]

    @pytest.mark.usefixtures("shortened")
    async def test_an_undecided_submission_is_still_202(self) -> None:
        browser = Browser(LongPoll(ScriptedDjango(SUBMITTED, UNDECIDED)), "POST", "/api/v1/actions", prefer="wait=1")
        assert await browser.answer() == (202, b"undecided")
        assert browser.header(b"location") == ACTION.encode()

    async def test_a_refused_submission_is_answered_at_once(self) -> None:
        browser = Browser(LongPoll(ScriptedDjango(GONE)), "POST", "/api/v1/actions", prefer="wait=5")
        assert await browser.answer() == (401, b"revoked")
        assert browser.header(b"preference-applied") is None

    async def test_a_key_revoked_meanwhile_ends_the_wait_with_its_refusal(self) -> None:
        poll = LongPoll(ScriptedDjango(UNDECIDED, GONE))
        browser = Browser(poll, "GET", ACTION, "wait=5")
        await until(lambda: len(poll.wakeups) == 1)
        tell(poll)
        assert await browser.answer() == (401, b"revoked")

    async def test_who_leaves_is_forgotten(self) -> None:
        poll = LongPoll(ScriptedDjango(UNDECIDED))
        browsers = [Browser(poll, "GET", ACTION, "wait=50") for _ in range(20)]
        await until(lambda: len(poll.wakeups) == 20)
        for browser in browsers:
            browser.leave()
        await asyncio.gather(*(browser.task for browser in browsers))
        assert len(poll.wakeups) == 0
        assert not poll.wakeups._waiting
        assert browsers[0].sent == []
        assert len(asyncio.all_tasks()) == 1

    @pytest.mark.usefixtures("shortened")
    async def test_a_long_wait_is_cut(self) -> None:
        browser = Browser(LongPoll(ScriptedDjango(UNDECIDED)), "GET", ACTION, "wait=999999")
        assert await browser.answer() == (200, b"undecided")
        assert browser.seconds < 4

    @pytest.mark.parametrize("query", ["", "wait=0", "wait=-1", "wait=soon", "wait=1&wait=2", "wait="])
    async def test_what_asks_for_no_wait_passes(self, query: str) -> None:
        browser = Browser(LongPoll(ScriptedDjango(UNDECIDED)), "GET", ACTION, query)
        assert await browser.answer() == (200, b"undecided")
        assert browser.seconds < 4

    async def test_a_server_that_stops_answers_who_waits_with_what_stands(self) -> None:
        django = ScriptedDjango(UNDECIDED)
        poll = LongPoll(django)
        browser = Browser(poll, "GET", ACTION, "wait=5")
        await until(lambda: len(poll.wakeups) == 1)
        poll.close()
        assert await browser.answer() == (200, b"undecided")
        assert browser.seconds < 4
        # Nor does anybody begin to wait.
        late = Browser(poll, "GET", ACTION, "wait=5")
        assert await late.answer() == (200, b"undecided")
        assert late.seconds < 4
        assert len(django.requests) == 2

    async def test_a_stop_wakes_everybody(self) -> None:
        poll = LongPoll(ScriptedDjango(UNDECIDED, DECIDED))
        browser = Browser(poll, "GET", ACTION, "wait=50")
        await until(lambda: len(poll.wakeups) == 1)
        await poll.wakeups.stop()
        assert await browser.answer() == (200, b"decided")


async def test_without_subscription_it_looks_again_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviews.api.longpoll.wakeups.Wakeups.start", lambda self: None)
    monkeypatch.setattr("reviews.api.longpoll.long_poll.UNHEARD_SECONDS", 0.05)
    browser = Browser(LongPoll(ScriptedDjango(UNDECIDED, UNDECIDED, DECIDED)), "GET", ACTION, "wait=5")
    assert await browser.answer() == (200, b"decided")
    assert browser.seconds < 4


async def test_other_pages_are_left_alone() -> None:
    django = ScriptedDjango(DECIDED)
    assert await Browser(LongPoll(django), "GET", "/queue").answer() == (200, b"decided")
    assert b"content-length" not in dict(django.requests[0]["headers"])


async def test_a_body_over_the_bound_is_refused_unread() -> None:
    django = ScriptedDjango(DECIDED)
    browser = Browser(LongPoll(django), "POST", "/api/v1/actions", content_length="9000000")
    status, body = await browser.answer()
    assert (status, b"too-large" in body) == (413, True)
    assert django.requests == []


@pytest.mark.parametrize("path", ["/api/v1/actions", "/sign-in"])
async def test_a_body_that_does_not_come_is_refused(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(settings, "GUARD", settings.GUARD.model_copy(update={"max_body_seconds": 0.1}))
    slow = Browser(LongPoll(ScriptedDjango(DECIDED)), "POST", path, body=b"{", content_length="9")
    status, _ = await slow.answer()
    assert (status, slow.header(b"connection")) == (408, b"close")


async def test_a_body_without_length_gets_one() -> None:
    django = ScriptedDjango(DECIDED)
    await Browser(LongPoll(django), "POST", "/api/v1/actions", body=b"{}", transfer_encoding="chunked").answer()
    assert dict(django.requests[0]["headers"])[b"content-length"] == b"2"
    assert b"transfer-encoding" not in dict(django.requests[0]["headers"])
