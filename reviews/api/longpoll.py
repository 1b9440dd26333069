"""Long-poll in front of Django: an agent that waits for a decision holds no thread and no database connection.

Django's ASGI handler keeps a thread for every open request. So a request that may wait is answered by Django at
once, without waiting; while that answer says "undecided", this coroutine waits for the action to be settled, asks
Django again, and only then answers the agent.
"""

import asyncio
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

from django.conf import settings

from reviews import delivery
from reviews.api import problems
from reviews.api.asgi import (
    Answer,
    Application,
    BodyTooLargeError,
    DisconnectedError,
    Message,
    Receive,
    Scope,
    Send,
    ask,
    first_header,
    read_body,
    replay,
    with_length,
)
from reviews.api.parsing import too_large
from reviews.api.wakeups import Waiter, Wakeups

UNHEARD_SECONDS: Final = 3.0
"""How often an undecided action is read again while no subscription tells about it."""
CONCURRENT_ASKS: Final = 24
"""Most of these requests in Django at once: when all wake together, they must not all take a thread."""

_ACTIONS: Final = "/api/v1/actions"
_ACTION = re.compile(rf"{_ACTIONS}/([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})")
_PREFERRED_WAIT = re.compile(rb'(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=[;,]|$)', re.IGNORECASE)
_PASSED_ON = (
    b"authorization",
    b"host",
    b"accept",
    b"x-forwarded-proto",
    b"x-forwarded-for",
)
_UNDECIDED_STATUSES = (HTTPStatus.OK, HTTPStatus.ACCEPTED, HTTPStatus.NOT_MODIFIED)


@dataclass(frozen=True, slots=True)
class _Wait:
    """What a request asks for."""

    seconds: int
    action_id: str | None
    """None for a submission: its answer tells."""


class LongPoll:
    """The ASGI application: bounds bodies, waits, and leaves everything else to Django."""

    def __init__(self, django: Application) -> None:
        self._django = django
        self._asking = asyncio.Semaphore(CONCURRENT_ASKS)
        self.wakeups = Wakeups(settings.REDIS_URL, delivery.CHANNEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http" and scope["path"].startswith("/api/"):
            await self._serve_api(scope, receive, send)
        else:
            await self._django(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        self.wakeups.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.wakeups.stop()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve_api(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = settings.GUARD.max_body_bytes
        try:
            body = await read_body(scope, receive, limit)
        except BodyTooLargeError:
            await Answer.of(problems.of_error(too_large(limit))).send(send)
            return
        except DisconnectedError:
            return
        complete = with_length(scope, body)
        wait = _wait_of(scope)
        if wait is None:
            await self._django(complete, replay(body, receive), send)
        else:
            await self._poll(complete, body, wait, receive, send)

    async def _poll(self, scope: Scope, body: bytes, wait: _Wait, receive: Receive, send: Send) -> None:
        deadline = asyncio.get_running_loop().time() + wait.seconds
        waiter = self.wakeups.waiter()
        if wait.action_id is not None:
            # Waiting begins before the first look: a decision in between is not missed.
            with waiter.on(wait.action_id):
                answer = await self._until_decided(await self._ask(scope), scope, waiter, deadline, receive)
        else:
            answer = await self._submit(scope, body, waiter, deadline, receive)
        if answer is not None:
            await answer.send(send)

    async def _submit(
        self,
        scope: Scope,
        body: bytes,
        waiter: Waiter,
        deadline: float,
        receive: Receive,
    ) -> Answer | None:
        heard, live = self.wakeups.heard, self.wakeups.live
        first = await self._ask(scope, body)
        location = first.header(b"location")
        found = _ACTION.fullmatch(location.decode()) if location else None
        if found is None:
            return first
        with waiter.on(found[1]):
            if not live or heard != self.wakeups.heard:
                waiter.event.set()
            answer = await self._until_decided(first, _reading(scope, found[0]), waiter, deadline, receive)
        return _as_submitted(answer, first, scope) if answer is not None else None

    async def _until_decided(
        self,
        answer: Answer,
        reading: Scope,
        waiter: Waiter,
        deadline: float,
        receive: Receive,
    ) -> Answer | None:
        """The first answer that is decided, or the last one before the deadline; None when the agent went away."""
        if not _undecided(answer):
            return answer
        gone = asyncio.ensure_future(receive())
        try:
            while _undecided(answer) and (left := deadline - asyncio.get_running_loop().time()) > 0:
                await self._pause(waiter, gone, left)
                if gone.done():
                    return None
                waiter.event.clear()
                answer = await self._ask(reading)
        finally:
            gone.cancel()
        return answer

    async def _pause(self, waiter: Waiter, gone: "asyncio.Future[Message]", left: float) -> None:
        news = asyncio.ensure_future(waiter.event.wait())
        seconds = left if self.wakeups.live else min(left, UNHEARD_SECONDS)
        try:
            await asyncio.wait((news, gone), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            news.cancel()

    async def _ask(self, scope: Scope, body: bytes = b"") -> Answer:
        async with self._asking:
            return await ask(self._django, scope, body)


def _wait_of(scope: Scope) -> _Wait | None:
    """How long this request may wait; None when it does not ask to, or asks in a way Django must refuse."""
    if scope["method"] == "POST" and scope["path"] == _ACTIONS:
        wanted, action_id = _preferred(scope), None
    elif scope["method"] == "GET" and (found := _ACTION.fullmatch(scope["path"])):
        wanted, action_id = _queried(scope), found[1]
    else:
        return None
    seconds = min(wanted, settings.GUARD.max_wait_seconds)
    return _Wait(seconds, action_id) if seconds > 0 else None


def _preferred(scope: Scope) -> int:
    found = _PREFERRED_WAIT.search(first_header(scope["headers"], b"prefer") or b"")
    return int(found[1]) if found else 0


def _queried(scope: Scope) -> int:
    values = parse_qs(scope["query_string"].decode("latin1")).get("wait", [])
    return int(values[0]) if len(values) == 1 and re.fullmatch(r"[0-9]{1,9}", values[0]) else 0


def _undecided(answer: Answer) -> bool:
    return answer.status in _UNDECIDED_STATUSES and answer.header(b"retry-after") is not None


def _reading(scope: Scope, path: str) -> Scope:
    """The request an agent would make to read its action again."""
    headers = [(name, value) for name, value in scope["headers"] if name.lower() in _PASSED_ON]
    return {
        **scope,
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": headers,
    }


def _as_submitted(answer: Answer, first: Answer, scope: Scope) -> Answer:
    """What was read again, as the answer to the submission: still 202 while undecided, and with its Location."""
    if answer is not first and answer.status == HTTPStatus.OK:
        status = HTTPStatus.ACCEPTED if _undecided(answer) else HTTPStatus.OK
        location = (b"location", first.header(b"location") or b"")
        answer = Answer(status, [*answer.headers, location], answer.body)
    if answer.status in (HTTPStatus.OK, HTTPStatus.ACCEPTED):
        answer.headers.append((b"preference-applied", b"wait=%d" % _preferred(scope)))
    return answer
