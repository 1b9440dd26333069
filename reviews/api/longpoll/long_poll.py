"""Long-poll in front of Django: an agent that waits for a decision, or for the answer to a plan, holds no thread and
no database connection; nor does a stream of events (`longpoll.event_streams`).

Django's ASGI handler keeps a thread for every open request. So a request that may wait is answered by Django at
once, without waiting; while that answer says "undecided", this coroutine waits for news of the action or plan, and only
then answers the agent: with what the news carry (`longpoll.pushed_answers`), or else with what Django says when asked
again.
"""

import asyncio
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

from django.conf import settings
from structlog.contextvars import bound_contextvars

from reviews.api import problems, request_ids
from reviews.api.longpoll import pushed_answers
from reviews.api.longpoll.asgi import (
    Answer,
    Application,
    BodyTooLargeError,
    BodyTooSlowError,
    DisconnectedError,
    Receive,
    Scope,
    Send,
    call_application,
    first_header,
    read_request,
    receive_nothing,
    whole_and_in_time,
    without_body,
)
from reviews.api.longpoll.batched_queries import BatchedDecisionPoller
from reviews.api.longpoll.event_streams import EventStreams, wants_stream
from reviews.api.longpoll.termination import on_termination
from reviews.api.longpoll.wakeups import Waiter, Wakeups
from reviews.api.preferences import BadHeaderError, preferred_wait
from reviews.api.trailing_slash import canonical_path
from reviews.intake.wire.bounded_json_body import largest_body, too_large
from reviews.messaging import metrics, signals
from reviews.scheduling import broker

# How often what is undecided is read again while the subscription is away: rare enough that thousands of waiting agents
# do not add to an outage, and short enough that an approval is not missed for long.
UNHEARD_SECONDS: Final = 3.0
# Most of these requests in Django at once: when all agents wake together, they must not all take a thread. Below the
# 32 connections of the database pool, so that people at the desk still get one.
CONCURRENT_ASKS: Final = 24

# Below the six seconds after which a web server that stops is killed.
LAST_ANSWERS_SECONDS: Final = 4.0

_WAITED_FOR: Final = ("/api/v1/actions", "/api/v1/plans")
"""Where what is decided later is submitted, and below which it is read."""
# Only what the router would take for an id: anything else goes to Django and is refused there.
_ONE = re.compile(rf"(?:{'|'.join(_WAITED_FOR)})/([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})")
# What a later look needs: who asks, from which site, in which form, and as part of which request.
# Headers of the submission itself, such as its length or its idempotency key, belong to no GET.
_PASSED_ON = (
    b"authorization",
    b"host",
    b"accept",
    b"origin",
    b"x-request-id",
)
# And what only the answer to a submission says.
_OF_SUBMISSION = (
    b"location",
    b"continue-from",
    b"continue-behind",
    b"tools-digest",
    b"idempotency-replayed",
    b"ratelimit",
    b"ratelimit-policy",
)
# 304: what the agent holds is still so, and it may be undecided still.
_UNDECIDED_STATUSES = (HTTPStatus.OK, HTTPStatus.ACCEPTED, HTTPStatus.NOT_MODIFIED)


@dataclass(frozen=True, slots=True)
class _Wait:
    """What a request asks for."""

    seconds: int
    subject_id: str | None
    """None for a submission: its answer tells."""


class LongPoll:
    """The ASGI application: bounds bodies, waits, and leaves everything else to Django."""

    def __init__(self, django: Application, poller: BatchedDecisionPoller | None = None) -> None:
        self._django = django
        self._poller = poller
        self._asking = asyncio.Semaphore(CONCURRENT_ASKS)
        self._closing = asyncio.Event()
        self._response_cache = pushed_answers.ResponseCache()
        self.wakeups = Wakeups(settings.REDIS_URL, signals.CHANNEL)
        self._event_streams = EventStreams(lambda scope: self._ask_django(scope, without_body()), self.wakeups)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
        elif scope["type"] == "http":
            # The one copy, which is changed from here on: for as long as an agent waits, each would be kept.
            scope = {**scope, "path": canonical_path(scope["path"])}
            request_id = _name_request(scope)
            with bound_contextvars(request_id=request_id):
                await self._serve_request(scope, whole_and_in_time(receive, settings.GUARD.max_body_seconds), send)
        else:
            await self._django(scope, receive, send)

    async def _run_lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        self.wakeups.start()
        broker.send_in_background()
        signals.carry_answers(pushed_answers.read_settled)
        with on_termination(self.close):
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await self.wakeups.stop()
        await send({"type": "lifespan.shutdown.complete"})

    def close(self) -> None:
        """Answer everybody who waits with what stands, and let nobody wait from now on."""
        self._closing.set()
        self._event_streams.close()
        self.wakeups.wake_all()

    async def _serve_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, whose body must have come in time."""
        try:
            if scope["path"].startswith("/api/"):
                await self._serve_api(scope, receive, send)
            else:
                await self._django(scope, receive, send)
        except DisconnectedError:
            # The server tells broken chunks and a client that has left alike: whoever is still there gets an answer.
            broken = problems.of_status(HTTPStatus.BAD_REQUEST, "The request body broke off.", {"Connection": "close"})
            await Answer.from_response(broken).send(send)
        except BodyTooSlowError:
            # Nobody has begun to answer: all of them read the body first.
            seconds = settings.GUARD.max_body_seconds
            detail = f"The request body did not come within {seconds:g} s."
            # Closed behind it, because what is left of the body may still come.
            headers = {"Connection": "close"}
            await Answer.from_response(problems.of_status(HTTPStatus.REQUEST_TIMEOUT, detail, headers)).send(send)

    async def _serve_api(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = largest_body()
        wait = _wait_of(scope)
        # While an agent waits, its disconnect is listened for here; otherwise Django does.
        then = receive if wait is None else receive_nothing
        try:
            request = await read_request(scope, receive, limit=limit, then=then)
        except BodyTooLargeError:
            await Answer.from_response(problems.of_error(too_large(limit))).send(send)
        else:
            if wants_stream(scope):
                await request()
                await self._event_streams.serve(scope, receive, send)
            elif wait is None:
                await self._django(scope, request, send)
            else:
                await self._answer_poll(scope, request, wait, receive, send)

    async def _answer_poll(self, scope: Scope, request: Receive, wait: _Wait, receive: Receive, send: Send) -> None:
        """Answer a request that may wait. Sends nothing when the agent has gone away."""
        answer: Answer | None
        # What is answered here may be made of the headers of another answer, and is about one action.
        scope["headers"] = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        if wait.subject_id is None:
            answer = await self._submit_and_wait(scope, request, wait.seconds, receive)
        else:
            deadline = asyncio.get_running_loop().time() + wait.seconds
            waiter = self.wakeups.new_waiter()
            # Waiting begins before the first look: a decision in between is not missed.
            with waiter.listen_for(wait.subject_id):
                if await self._surely_undecided(scope, wait.subject_id):
                    await request()
                    answer = await self._await_decision(scope, None, waiter, deadline, receive)
                else:
                    answer = await self._ask_django(scope, request)
                    self._response_cache.remember_headers(scope, answer)
                    if _is_undecided(answer):
                        answer = await self._await_decision(scope, answer, waiter, deadline, receive)
        if answer is not None:
            await answer.send(send)

    async def _surely_undecided(self, scope: Scope, subject_id: str) -> bool:
        """Whether Django would answer a look now with nothing new. False also when only Django can tell."""
        secret = pushed_answers.key_of(scope)
        # What Django refuses or redirects, it must see at once: odd parameters and headers, and plain HTTP.
        plain = (
            pushed_answers.ONLY_WAIT.fullmatch(scope["query_string"])
            and first_header(scope["headers"], b"prefer") is None
        )
        redirected = settings.SECURE_SSL_REDIRECT and scope.get("scheme") != "https"
        if self._poller is None or self._closing.is_set() or not (secret and plain) or redirected:
            return False
        return scope["path"].startswith(_WAITED_FOR[0]) and await self._poller.is_undecided(secret, subject_id)

    async def _submit_and_wait(self, scope: Scope, request: Receive, granted: int, receive: Receive) -> Answer | None:
        """Submit, then wait `granted` seconds for what was submitted; None when the agent went away."""
        deadline = asyncio.get_running_loop().time() + granted
        waiter = self.wakeups.new_waiter()
        messages, live = self.wakeups.messages, self.wakeups.live
        first = await self._ask_django(scope, request)
        location = first.header(b"location") or b""
        place = _ONE.fullmatch(location.decode("latin1"))
        if place is None:
            # Refused: there is nothing to wait for.
            return first
        last: Answer | None = first
        if _is_undecided(first):
            with waiter.listen_for(place[1]):
                if not live or messages != self.wakeups.messages:
                    # The id was unknown until now: it may have been decided, and published, before this wait began.
                    waiter.wake()
                last = await self._await_decision(_request_to_read(scope, place[0]), first, waiter, deadline, receive)
        return last and _as_submitted(last, first, granted)

    async def _await_decision(
        self, reading: Scope, answer: Answer | None, waiter: Waiter, deadline: float, receive: Receive
    ) -> Answer | None:
        """The first decided answer to `reading`, or what stands at the deadline or when the server stops.

        `answer` is the undecided one from before, if Django was asked. None when the agent went away.
        """
        metrics.LONG_POLLS_BEGUN.inc()
        with metrics.LONG_POLLS.track_inprogress():
            return await self._until_decided(reading, answer, waiter, deadline, receive)

    async def _until_decided(
        self, reading: Scope, answer: Answer | None, waiter: Waiter, deadline: float, receive: Receive
    ) -> Answer | None:
        clock = asyncio.get_running_loop().time
        disconnected = asyncio.ensure_future(receive())
        disconnected.add_done_callback(lambda _: waiter.wake())
        try:
            while not self._closing.is_set():
                # Read again now and then while nothing would be heard, though nobody may have been woken.
                seconds = max(deadline - clock(), 0)
                news = await waiter.wait(seconds if self.wakeups.live else min(seconds, UNHEARD_SECONDS))
                if disconnected.done():
                    return None
                if self._closing.is_set():
                    break
                if news and (pushed := self._response_cache.answer_to(reading, news)):
                    return pushed
                answer = await self._ask_django(reading, without_body())
                self._response_cache.remember_headers(reading, answer)
                # At the deadline the agent gets what stands now, undecided or not.
                if not _is_undecided(answer) or clock() >= deadline:
                    break
            # Not read again for a server that stops: thousands would, and not be done in the time it has left.
            return answer or await self._last_answer(reading)
        finally:
            disconnected.cancel()

    async def _last_answer(self, reading: Scope) -> Answer:
        """What stands when the server stops, for as many as there is time for; the others are asked to come again."""
        try:
            async with asyncio.timeout(LAST_ANSWERS_SECONDS):
                return await self._ask_django(reading, without_body())
        except TimeoutError:
            detail = "The server is being restarted; ask again."
            return Answer.from_response(
                problems.of_status(HTTPStatus.SERVICE_UNAVAILABLE, detail, {"Retry-After": "1"})
            )

    async def _ask_django(self, scope: Scope, request: Receive) -> Answer:
        """Django's answer, which it gives at once; waits while too many others are being answered."""
        async with self._asking:
            return await call_application(self._django, scope, request)


def _name_request(scope: Scope) -> str:
    """Give the request a name that all that is done for it shares."""
    name = request_ids.HEADER.lower().encode()
    sent_id = first_header(scope["headers"], name)
    request_id = request_ids.request_id_of(sent_id.decode("latin1") if sent_id else None)
    headers = [(key, value) for key, value in scope["headers"] if key.lower() != name]
    scope["headers"] = [*headers, (name, request_id.encode())]
    return request_id


def _wait_of(scope: Scope) -> _Wait | None:
    """How long this request may wait; None when it does not ask to, or asks in a way Django must refuse."""
    if scope["method"] == "POST" and scope["path"] in _WAITED_FOR:
        requested, subject_id = _preferred_seconds(scope), None
    elif scope["method"] == "GET" and (place := _ONE.fullmatch(scope["path"])):
        values = parse_qs(scope["query_string"].decode("latin1")).get("wait", [])
        # One that Django will refuse waits for nothing.
        valid = len(values) == 1 and re.fullmatch(r"[0-9]{1,9}", values[0])
        requested, subject_id = int(values[0]) if valid else 0, place[1]
    else:
        return None
    seconds = min(requested, settings.GUARD.max_wait_seconds)
    return _Wait(seconds, subject_id) if seconds > 0 else None


def _preferred_seconds(scope: Scope) -> int:
    """Seconds of the `Prefer: wait` of a submission; 0 without one, and for one that Django will refuse."""
    values = [value.decode("latin1") for name, value in scope["headers"] if name.lower() == b"prefer"]
    try:
        return preferred_wait(values)
    except BadHeaderError:
        return 0


def _is_undecided(answer: Answer) -> bool:
    """Whether it is worth asking again: Django says so with `Retry-After`."""
    return answer.status in _UNDECIDED_STATUSES and answer.header(b"retry-after") is not None


def _request_to_read(scope: Scope, path: str) -> Scope:
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


def _as_submitted(answer: Answer, first: Answer, granted: int) -> Answer:
    """An answer as the one to the submission: 202 while undecided, with the granted wait and what the `first` said."""
    if answer.status not in (HTTPStatus.OK, HTTPStatus.ACCEPTED):
        return answer
    headers = [(name, value) for name, value in answer.headers if name.lower() not in _OF_SUBMISSION]
    headers += [(name, value) for name, value in first.headers if name.lower() in _OF_SUBMISSION]
    headers.append((b"preference-applied", b"wait=%d" % granted))
    return Answer(HTTPStatus.ACCEPTED if _is_undecided(answer) else HTTPStatus.OK, headers, answer.body)
