"""Django under ASGI in a few threads that stay.

Django's own ASGI handler makes a thread for each request and takes every synchronous middleware to one and back, which
costs several times what our views do. Nothing here is asynchronous but the long-poll in front, so each request runs
from its first middleware to its last query in one thread of a fixed pool.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import IO, Any, Final

from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.http import HttpResponseBase
from django.urls import set_script_prefix

Scope = Any
Headers = list[tuple[bytes, bytes]]

# Few, because threads that share one interpreter hold each other up, and together far below the 32 connections of the
# database's pool, so that none ever waits for one. A reviewer's edit may keep a thread for seconds, and must not keep
# agents out; probes have their own, because a site whose threads all wait for the database must still say it lives.
THREADS: Final[Mapping[str, int]] = MappingProxyType({"agents": 6, "desk": 6, "probes": 2})
_PROBES: Final = ("/healthz", "/readyz")


class ThreadedDjango(ASGIHandler):
    """The ASGI application that runs Django synchronously in threads of its own."""

    def __init__(self) -> None:
        # Not the parent's, which would load the middleware for coroutines.
        BaseHandler.__init__(self)
        self.load_middleware()
        self._lanes = {name: ThreadPoolExecutor(number, name) for name, number in THREADS.items()}

    async def __call__(self, scope: Scope, receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise ValueError(f"Django can only handle HTTP connections, not {scope['type']}.")
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        run = asyncio.get_running_loop().run_in_executor
        lane = self._lanes[_lane_of(scope["path"])]
        response, head, content = await run(lane, self._answer_request, scope, body)
        await send({"type": "http.response.start", "status": response.status_code, "headers": head})
        if content is not None:
            await send({"type": "http.response.body", "body": content})
            return
        try:
            await self._stream_response(response, lane, receive, send)
        finally:
            await run(lane, response.close)

    def _answer_request(self, scope: Scope, body: IO[bytes]) -> tuple[HttpResponseBase, Headers, bytes | None]:
        """The response with its headers, and its content unless it comes as a stream. Runs in a thread."""
        with body:
            set_script_prefix(get_script_prefix(scope))
            signals.request_started.send(sender=self.__class__, scope=scope)
            request, refusal = self.create_request(scope, body)
            response: Any = refusal if request is None else self.get_response(request)
        # Header values are Latin-1 on the wire, under ASGI as everywhere.
        head = [(name.lower().encode(), value.encode("latin1")) for name, value in response.items()]
        head += [(b"set-cookie", cookie.output(header="").strip().encode()) for cookie in response.cookies.values()]
        if response.streaming:
            return response, head, None
        content: bytes = response.content
        # Here, because closing ends the request, which gives this thread's connection back.
        response.close()
        return response, head, content

    async def _stream_response(
        self, response: Any, lane: ThreadPoolExecutor, receive: Callable[[], Any], send: Callable[[Any], Any]
    ) -> None:
        """Send the parts as they come, until the client goes away."""
        disconnected = asyncio.ensure_future(receive())
        parts = response.streaming_content if response.is_async else _in_threads(iter(response.streaming_content), lane)
        try:
            async for part in parts:
                if disconnected.done():
                    return
                await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            disconnected.cancel()


def _lane_of(path: str) -> str:
    """Which threads answer requests to this path."""
    if path.startswith(_PROBES):
        return "probes"
    return "agents" if path.startswith("/api/") else "desk"


async def _in_threads(parts: Iterator[bytes], lane: ThreadPoolExecutor) -> AsyncIterator[bytes]:
    # One at a time, so that neither memory nor a thread is held while a slow client reads.
    loop = asyncio.get_running_loop()
    while (part := await loop.run_in_executor(lane, next, parts, None)) is not None:
        yield part
