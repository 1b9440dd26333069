"""The feed of events as server-sent events. Django answers each page; between pages a stream holds no thread.

A stream is a position in the feed: every page is asked for with the stream's own key, so that what a key may follow is
decided in one place, and anew each time. Whoever reconnects with `Last-Event-ID` goes on there.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl, urlencode

from django.conf import settings

from reviews.api import problems
from reviews.api.longpoll.asgi import Answer, Receive, Scope, Send, first_header
from reviews.api.longpoll.news_poller import Follower, NewsPoller, read_news
from reviews.api.longpoll.wakeups import Wakeups
from reviews.messaging import metrics
from reviews.records import commit_order

PATH: Final = "/api/v1/events"
MEDIA_TYPE: Final = b"text/event-stream"
# Proxies commonly cut a silent connection after a minute, and clients notice a dead one by its silence.
HEARTBEAT_SECONDS: Final = 15.0
# A client that takes nothing for so long would keep a page in memory for ever.
SEND_SECONDS: Final = 30.0
# After which browsers connect again.
RETRY_MILLISECONDS: Final = 2000
# Of Django's answer, what describes its own body.
_OF_PAGE: Final = (b"content-type", b"content-length", b"etag", b"cache-control")

Query: TypeAlias = Sequence[tuple[str, str]]
AskDjango: TypeAlias = Callable[[Scope], Awaitable[Answer]]


def wants_stream(scope: Scope) -> bool:
    """Whether the request asks for the feed as a stream."""
    accept = first_header(scope["headers"], b"accept") or b""
    return scope["method"] == "GET" and scope["path"] == PATH and MEDIA_TYPE in accept


class EventStreams:
    """The open streams of one process."""

    def __init__(self, ask_django: AskDjango, wakeups: Wakeups) -> None:
        self._ask_django = ask_django
        self._poller = NewsPoller(wakeups, read_news)
        self._is_closed = False

    def close(self) -> None:
        """End every stream, and let none begin: the clients connect again, elsewhere."""
        self._is_closed = True
        self._poller.end_all()

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events from where the request says, until the client leaves, its key is revoked or the server stops."""
        query = _query_of(scope)
        first = await self._ask_django(_page_request(scope, query))
        if first.status != HTTPStatus.OK:
            await first.send(send)
        elif refusal := self._refusal(scope):
            await refusal.send(send)
        else:
            # Whoever takes nothing is let go of without a word.
            with suppress(TimeoutError):
                await self._stream(scope, query, first, receive, send)

    def _refusal(self, scope: Scope) -> Answer | None:
        """Why no stream may be opened; None where one may."""
        if self._is_closed:
            return Answer.from_response(problems.of_status(HTTPStatus.SERVICE_UNAVAILABLE, "The server is restarted."))
        bounds = settings.GUARD
        if self._poller.count_of(_key_hash(scope)) >= bounds.max_event_streams_per_key:
            detail = f"This key has {bounds.max_event_streams_per_key} open streams here already."
        elif len(self._poller) >= bounds.max_event_streams:
            detail = "There are too many open streams here."
        else:
            return None
        headers = {"Retry-After": str(int(HEARTBEAT_SECONDS))}
        return Answer.from_response(problems.of_status(HTTPStatus.TOO_MANY_REQUESTS, detail, headers))

    async def _stream(self, scope: Scope, query: Query, answer: Answer, receive: Receive, send: Send) -> None:
        with self._following(_key_hash(scope), receive) as follower:
            await send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": _headers(answer)})
            text = f"retry: {RETRY_MILLISECONDS}\n\n"
            while not follower.is_over:
                page = json.loads(answer.body)
                follower.position = commit_order.parse_cursor(page["cursor"])
                await _send_part(send, text + _events_text(page))
                text = ""
                while not page["has_more"] and not await follower.wait(HEARTBEAT_SECONDS):
                    await _send_part(send, ":\n\n")
                if not follower.is_over:
                    answer = await self._ask_django(_page_request(scope, _reading_on(query, page["cursor"])))
                    # Revoked, or the database is away: the client connects again, and is told what it is.
                    follower.is_over = answer.status != HTTPStatus.OK
            await send({"type": "http.response.body", "body": b""})

    @contextmanager
    def _following(self, key_hash: str, receive: Receive) -> Iterator[Follower]:
        """A stream that is told of news while the context lasts, and of its client's leaving."""
        follower = Follower(key_hash)
        disconnected = asyncio.ensure_future(receive())
        disconnected.add_done_callback(lambda _: follower.wake(is_over=True))
        self._poller.add(follower)
        try:
            with metrics.EVENT_STREAMS.track_inprogress():
                yield follower
        finally:
            self._poller.remove(follower)
            disconnected.cancel()


def _query_of(scope: Scope) -> Query:
    """The request's filters, and where it begins: what a client that reconnects has seen stands before `after`."""
    sent = parse_qsl(scope["query_string"].decode("latin1"), keep_blank_values=True)
    # A stream is written with both, so they are asked for whatever else the client wants.
    query = [(name, f"id,type,{value}" if name == "fields" else value) for name, value in sent]
    last_seen = first_header(scope["headers"], b"last-event-id")
    return _reading_on(query, last_seen.decode("latin1")) if last_seen else query


def _reading_on(query: Query, after: str) -> Query:
    return [*((name, value) for name, value in query if name != "after"), ("after", after)]


def _page_request(scope: Scope, query: Query) -> Scope:
    """The request for a page of the feed, as the same client would make it."""
    replaced = (b"accept", b"accept-encoding", b"if-none-match", b"last-event-id")
    headers = [(name, value) for name, value in scope["headers"] if name not in replaced]
    headers.append((b"accept", b"application/json"))
    return {**scope, "query_string": urlencode(query).encode(), "headers": headers}


def _key_hash(scope: Scope) -> str:
    # Django has accepted the header: behind its scheme stands a key.
    secret = (first_header(scope["headers"], b"authorization") or b"").partition(b" ")[2].strip()
    return sha256(secret).hexdigest()


def _headers(page: Answer) -> list[tuple[bytes, bytes]]:
    """Those of Django's answer, such as which pages may read it, but for what describes the page."""
    return [
        *((name, value) for name, value in page.headers if name not in _OF_PAGE),
        (b"content-type", MEDIA_TYPE),
        (b"cache-control", b"no-store"),
        # nginx would collect the events otherwise.
        (b"x-accel-buffering", b"no"),
    ]


def _events_text(page: Mapping[str, Any]) -> str:
    """The events of a page, and its cursor where the last one does not say it: an id without data moves on alone."""
    # One line each: JSON has no line break outside of its texts, and there it is escaped.
    events = [f"id: {item['id']}\nevent: {item['type']}\ndata: {json.dumps(item)}\n\n" for item in page["items"]]
    is_told = bool(page["items"]) and page["items"][-1]["id"] == page["cursor"]
    return "".join(events) + ("" if is_told else f"id: {page['cursor']}\n\n")


async def _send_part(send: Send, text: str) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
