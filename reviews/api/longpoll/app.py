"""Long-poll in front of Django: an agent that waits for a decision, or for the answer to a plan, holds no thread and
no database connection.

Django's ASGI handler keeps a thread for every open request. So a request that may wait is answered by Django at
once, without waiting; while that answer says "undecided", this coroutine waits for news of the action or plan, asks
Django again, and only then answers the agent.
"""

import asyncio
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

from django.conf import settings

from reviews.api import problems
from reviews.api.longpoll.asgi import (
    Answer,
    Application,
    BodyTooLargeError,
    DisconnectedError,
    Receive,
    Scope,
    Send,
    ask,
    first_header,
    read_request,
    silence,
    without_body,
)
from reviews.api.longpoll.wakeups import Waiter, Wakeups
from reviews.intake.wire.json_body import too_large
from reviews.messaging import signals

UNHEARD_SECONDS: Final = 3.0
"""How often what is undecided is read again while no subscription tells about it."""
CONCURRENT_ASKS: Final = 24
"""Most of these requests in Django at once: when all wake together, they must not all take a thread."""

_WAITED_FOR: Final = ("/api/v1/actions", "/api/v1/plans")
"""Where what is decided later is submitted, and below which it is read."""
_ONE = re.compile(rf"(?:{'|'.join(_WAITED_FOR)})/([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})")
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
    subject_id: str | None
    """None for a submission: its answer tells."""


class LongPoll:
    """The ASGI application: bounds bodies, waits, and leaves everything else to Django."""

    def __init__(self, django: Application) -> None:
        self._django = django
        self._asking = asyncio.Semaphore(CONCURRENT_ASKS)
        self.wakeups = Wakeups(settings.REDIS_URL, signals.CHANNEL)

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
        wait = _wait_of(scope)
        then = receive if wait is None else silence
        try:
            scope, told = await read_request(scope, receive, limit=limit, then=then)
        except BodyTooLargeError:
            await Answer.of(problems.of_error(too_large(limit))).send(send)
        except DisconnectedError:
            return
        else:
            await (self._django(scope, told, send) if wait is None else self._poll(scope, told, wait, receive, send))

    async def _poll(self, scope: Scope, told: Receive, wait: _Wait, receive: Receive, send: Send) -> None:
        deadline = asyncio.get_running_loop().time() + wait.seconds
        if wait.subject_id is None:
            answer = await self._submit(scope, told, deadline, receive)
        else:
            waiter = self.wakeups.waiter()
            # Waiting begins before the first look: a decision in between is not missed.
            with waiter.on(wait.subject_id):
                first = await self._ask(scope, told)
                answer = first if not _undecided(first) else await self._wait(scope, waiter, deadline, receive)
        if answer is not None:
            await answer.send(send)

    async def _submit(self, scope: Scope, told: Receive, deadline: float, receive: Receive) -> Answer | None:
        waiter = self.wakeups.waiter()
        heard, live = self.wakeups.heard, self.wakeups.live
        first = await self._ask(scope, told)
        location = first.header(b"location") or b""
        found = _ONE.fullmatch(location.decode("latin1"))
        if found is None:
            return first
        last: Answer | None = first
        if _undecided(first):
            with waiter.on(found[1]):
                if not live or heard != self.wakeups.heard:
                    # Something was told, or may have been, before this wait began: look once more.
                    waiter.wake()
                last = await self._wait(_reading(scope, found[0]), waiter, deadline, receive)
        return last and _as_submitted(last, location, _preferred(scope))

    async def _wait(self, reading: Scope, waiter: Waiter, deadline: float, receive: Receive) -> Answer | None:
        """The first decided answer to `reading`, or the one at the deadline; None when the agent went away."""
        clock = asyncio.get_running_loop().time
        gone = asyncio.ensure_future(receive())
        gone.add_done_callback(lambda _: waiter.wake())
        try:
            while True:
                left = max(deadline - clock(), 0)
                await waiter.wait(left if self.wakeups.live else min(left, UNHEARD_SECONDS))
                if gone.done():
                    return None
                answer = await self._ask(reading, without_body())
                if not _undecided(answer) or clock() >= deadline:
                    return answer
        finally:
            gone.cancel()

    async def _ask(self, scope: Scope, told: Receive) -> Answer:
        async with self._asking:
            return await ask(self._django, scope, told)


def _wait_of(scope: Scope) -> _Wait | None:
    """How long this request may wait; None when it does not ask to, or asks in a way Django must refuse."""
    if scope["method"] == "POST" and scope["path"] in _WAITED_FOR:
        wanted, subject_id = _preferred(scope), None
    elif scope["method"] == "GET" and (found := _ONE.fullmatch(scope["path"])):
        wanted, subject_id = _queried(scope), found[1]
    else:
        return None
    seconds = min(wanted, settings.GUARD.max_wait_seconds)
    return _Wait(seconds, subject_id) if seconds > 0 else None


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


def _as_submitted(answer: Answer, location: bytes, granted: int) -> Answer:
    """An answer as the one to the submission: 202 while undecided, with the action's place and the granted wait."""
    if answer.status not in (HTTPStatus.OK, HTTPStatus.ACCEPTED):
        return answer
    headers = [(name, value) for name, value in answer.headers if name.lower() != b"location"]
    headers += [(b"location", location), (b"preference-applied", b"wait=%d" % granted)]
    return Answer(HTTPStatus.ACCEPTED if _undecided(answer) else HTTPStatus.OK, headers, answer.body)
