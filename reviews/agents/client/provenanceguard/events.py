"""The feed of events, followed over broken connections without one lost or repeated."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any

import httpx

from .connections import BrokenStreamError, Connections
from .endpoints import EVENTS
from .errors import MalformedAnswerError
from .typed_json import read_object
from .values import Event

_STREAM = "text/event-stream"
# The server shows every 15 seconds that it lives; one sign may come late, and another one be lost.
SILENCE_SECONDS = 45.0
# Behind a stream that gave something; a server of one machine is back within some of these.
FIRST_PAUSE_SECONDS = 0.5
MAX_PAUSE_SECONDS = 15.0


async def follow_events(
    connections: Connections, after: str | None, filters: Mapping[str, Any]
) -> AsyncGenerator[Event, None]:
    """Each event behind `after`, for ever. Raises as `AsyncGuard.events` does."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        retry_after = 0.0
        try:
            headers = {"Accept": _STREAM} | ({"Last-Event-ID": after} if after else {})
            options: dict[str, Any] = {"headers": headers, "params": dict(filters)}
            async with connections.stream(EVENTS, silence=SILENCE_SECONDS, **options) as response:
                async for place, event in _read_stream(response):
                    pause, after = FIRST_PAUSE_SECONDS, place
                    if event is not None:
                        yield event
        except BrokenStreamError as broken:
            retry_after = broken.retry_after
        # Uneven, so that a fleet's controllers do not come back all at once.
        await asyncio.sleep(max(retry_after, pause * random.uniform(0.5, 1.5)))  # noqa: S311  # not a secret
        pause = min(pause * 2, MAX_PAUSE_SECONDS)


async def _read_stream(response: httpx.Response) -> AsyncIterator[tuple[str, Event | None]]:
    """Each place in the feed that the stream tells, with its event if there is one. Raises `MalformedAnswerError`."""
    if not response.headers.get("Content-Type", "").startswith(_STREAM):
        raise MalformedAnswerError(f"{EVENTS} answered with something else than a stream of events")
    place, data = "", list[str]()
    async for line in response.aiter_lines():
        name, _, value = line.partition(":")
        if name == "id":
            place = value.removeprefix(" ")
        elif name == "data":
            data.append(value.removeprefix(" "))
        elif not line and place:
            yield place, _read_event("\n".join(data)) if data else None
            place, data = "", []


def _read_event(data: str) -> Event:
    try:
        return read_object(Event, json.loads(data))
    except (json.JSONDecodeError, RecursionError, KeyError, TypeError) as error:
        # Not chained: what was raised may hold the event.
        raise MalformedAnswerError(f"{EVENTS} told something undocumented: {type(error).__name__}") from None
