"""Streams of events without a server: a scripted Django, and news that are told by hand."""

import asyncio
import json
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

import pytest
from django.conf import settings

from reviews.access import Reader
from reviews.api.longpoll import event_streams, news_poller
from reviews.api.longpoll.asgi import Message
from reviews.api.longpoll.long_poll import LongPoll
from tests.api.longpoll.test_long_poll import Browser, Scripted, ScriptedDjango
from tests.eventually import until

PATH = "/api/v1/events"
pytestmark = pytest.mark.usefixtures("listening", "news")


def cursor(number: int) -> str:
    return f"{number:016x}{UUID(int=number).hex}"


def page(*numbers: int, at: int | None = None, more: bool = False) -> Scripted:
    items = [{"id": cursor(number), "type": "action.decided", "data": {"n": number}} for number in numbers]
    last = cursor(at if at is not None else numbers[-1] if numbers else 0)
    body = json.dumps({"items": items, "cursor": last, "has_more": more})
    return 200, [(b"content-type", b"application/json"), (b"etag", b"x"), (b"vary", b"origin")], body.encode()


class News:
    """What the database would say: of keys that are revoked nothing, of the others whether something came."""

    def __init__(self) -> None:
        self.newest = 0
        self.revoked = False

    def __call__(self, readers: Collection[Reader]) -> Mapping[Reader, bool]:
        return {} if self.revoked else {reader: reader[1] < self.newest for reader in readers}


@pytest.fixture
def news(monkeypatch: pytest.MonkeyPatch) -> News:
    told = News()
    monkeypatch.setattr(event_streams, "read_news", told)
    monkeypatch.setattr(news_poller, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(news_poller, "GATHER_SECONDS", 0)
    return told


def follow(poll: LongPoll, query: str = "", **headers: str) -> Browser:
    return Browser(poll, "GET", PATH, query, b"", accept="text/event-stream", **headers)


def text(browser: Browser) -> str:
    return b"".join(message.get("body", b"") for message in browser.sent).decode()


def asked(django: ScriptedDjango) -> list[dict[str, list[str]]]:
    return [parse_qs(scope["query_string"].decode()) for scope in django.requests]


async def test_events_are_sent_as_they_happen_each_with_its_place(news: News) -> None:
    django = ScriptedDjango(page(1, 2, more=True), page(3), page(4, at=6), page(at=6))
    browser = follow(LongPoll(django), "status=decided&limit=5")
    await until(lambda: cursor(3) in text(browser))
    assert cursor(4) not in text(browser)
    news.newest = 6
    await until(lambda: f"id: {cursor(6)}\n\n" in text(browser))
    assert browser.header(b"content-type") == b"text/event-stream"
    assert (browser.header(b"vary"), browser.header(b"etag")) == (b"origin", None)
    events = [part for part in text(browser).split("\n\n") if "data:" in part]
    assert [json.loads(part.partition("data: ")[2])["data"]["n"] for part in events] == [1, 2, 3, 4]
    assert events[0].startswith(f"id: {cursor(1)}\nevent: action.decided\n")
    assert [query.get("after") for query in asked(django)] == [None, [cursor(2)], [cursor(3)]]
    assert all(query["status"] == ["decided"] for query in asked(django))
    browser.leave()
    await browser.answer()


async def test_a_stream_of_chosen_members_keeps_the_place_and_type_of_each_event() -> None:
    django = ScriptedDjango(page(1))
    browser = follow(LongPoll(django), "fields=data")
    await until(lambda: cursor(1) in text(browser))
    assert [query["fields"] for query in asked(django)] == [["id,type,data"]]
    assert text(browser).count(f"id: {cursor(1)}\nevent: action.decided\n") == 1


async def test_a_client_that_comes_back_goes_on_behind_what_it_saw(news: News) -> None:
    django = ScriptedDjango(page(at=7))
    browser = follow(LongPoll(django), "after=latest", last_event_id=cursor(7))
    await until(lambda: cursor(7) in text(browser))
    assert asked(django) == [{"after": [cursor(7)]}]
    browser.leave()
    await browser.answer()


async def test_a_quiet_stream_shows_that_it_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_streams, "HEARTBEAT_SECONDS", 0.02)
    django = ScriptedDjango(page(1))
    browser = follow(LongPoll(django))
    await until(lambda: text(browser).endswith(":\n\n:\n\n"))
    assert len(django.requests) == 1
    browser.leave()
    await browser.answer()


async def test_a_revoked_key_ends_its_streams(news: News) -> None:
    browser = follow(LongPoll(ScriptedDjango(page(1))))
    await until(lambda: cursor(1) in text(browser))
    news.revoked = True
    assert (await browser.answer())[0] == 200
    assert browser.sent[-1] == {"type": "http.response.body", "body": b""}


async def test_a_server_that_stops_ends_its_streams_and_begins_none() -> None:
    poll = LongPoll(ScriptedDjango(page(1)))
    browser = follow(poll)
    await until(lambda: cursor(1) in text(browser))
    poll.close()
    assert (await browser.answer())[0] == 200
    assert (await follow(poll).answer())[0] == 503


async def test_what_django_refuses_is_answered_as_it_is() -> None:
    assert await follow(LongPoll(ScriptedDjango((401, [], b"who?")))).answer() == (401, b"who?")


@pytest.mark.parametrize(
    ("bounds", "key"),
    [({"max_event_streams_per_key": 1}, "Bearer key"), ({"max_event_streams": 1}, "Bearer other")],
)
async def test_streams_are_bounded_for_each_key_and_in_all(
    bounds: dict[str, Any], key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "GUARD", settings.GUARD.model_copy(update=bounds))
    poll = LongPoll(ScriptedDjango(page(1)))
    first = follow(poll)
    await until(lambda: bool(first.sent))
    refused = follow(poll, authorization=key)
    assert (await refused.answer())[0] == 429
    assert refused.header(b"retry-after") == b"15"
    first.leave()
    await first.answer()
    again = follow(poll, authorization=key)
    await until(lambda: cursor(1) in text(again))
    again.leave()
    await again.answer()


async def test_a_client_that_takes_nothing_is_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_streams, "SEND_SECONDS", 0.02)
    poll = LongPoll(ScriptedDjango(page(1)))

    async def take_nothing(message: Message) -> None:
        browser.sent.append(message)
        if "body" in message:
            await asyncio.Event().wait()

    monkeypatch.setattr(Browser, "_send", lambda _, message: take_nothing(message))
    browser = follow(poll)
    assert (await browser.answer())[0] == 200
    assert len(browser.sent) == 2
