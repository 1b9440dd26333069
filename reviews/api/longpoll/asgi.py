"""The little of ASGI that stands in front of Django: bounded bodies, buffered answers."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from django.http import HttpResponse

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers: TypeAlias = list[tuple[bytes, bytes]]


class BodyTooLargeError(Exception):
    """The client sends more than the bound."""


class BodyTooSlowError(Exception):
    """The client does not send its body in time."""


class DisconnectedError(Exception):
    """The client went away before its request was complete, or sent what is no body, such as broken chunks."""


@dataclass
class Answer:
    """A complete response."""

    # An application that ends without an answer has failed.
    status: int = 500
    headers: Headers = field(default_factory=list)
    body: bytes = b""

    def header(self, name: bytes) -> bytes | None:
        """The first header of this lower-case name."""
        return first_header(self.headers, name)

    async def send(self, send: Send) -> None:
        """Hand the response to the server."""
        await send(
            {
                "type": "http.response.start",
                "status": self.status,
                "headers": self.headers,
            }
        )
        await send({"type": "http.response.body", "body": self.body})

    @classmethod
    def from_response(cls, response: HttpResponse) -> "Answer":
        """A Django response as an answer."""
        # Header values are Latin-1 on the wire (WSGI and ASGI alike); ASGI wants lower-case names.
        headers = [(name.lower().encode(), value.encode("latin1")) for name, value in response.items()]
        return cls(response.status_code, headers, response.content)


def first_header(headers: Headers, name: bytes) -> bytes | None:
    """The value of the first header of this lower-case name."""
    return next((value for key, value in headers if key.lower() == name), None)


async def read_request(scope: Scope, receive: Receive, *, limit: int, then: Receive) -> Receive:
    """Read the body, and let the scope tell its length. Returns what receives the body, then `then`.

    Raises `BodyTooLargeError`, without reading on.
    """
    body = await _read_body(scope, receive, limit)
    # Django takes a body without a length, as chunked ones are, for no body.
    replaced = (b"content-length", b"transfer-encoding")
    headers = [(name, value) for name, value in scope["headers"] if name.lower() not in replaced]
    scope["headers"] = [*headers, (b"content-length", str(len(body)).encode())]
    return _replay_body(body, then)


def whole_and_in_time(receive: Receive, seconds: float) -> Receive:
    """Receives what `receive` does.

    Raises `BodyTooSlowError` when the body is not complete after these seconds, and `DisconnectedError` when it never
    will be.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    complete = False

    async def receive_in_time() -> Message:
        nonlocal complete
        # Behind the body comes nothing but the client's leaving, for which an answer may be waited for ever so long.
        if complete:
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise BodyTooSlowError from None
        if message["type"] == "http.disconnect":
            raise DisconnectedError
        complete = not message.get("more_body", False)
        return message

    return receive_in_time


async def call_application(application: Application, scope: Scope, receive: Receive) -> Answer:
    """Run the application to its end and keep its answer."""
    answer = Answer()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status, answer.headers = message["status"], list(message["headers"])
        else:
            answer.body += message.get("body", b"")

    await application(scope, receive, send)
    return answer


def without_body() -> Receive:
    """Receives an empty body."""
    return _replay_body(b"", receive_nothing)


async def receive_nothing() -> Message:
    """Receives nothing more. Django listens for a disconnect and cancels this when its answer is complete."""
    nothing: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
    return await nothing


async def _read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """The whole body. Raises `BodyTooLargeError`."""
    announced = first_header(scope["headers"], b"content-length")
    # Refused before a byte of it is read. A body may also be longer than announced, or announce nothing.
    if announced is not None and announced.isdigit() and int(announced) > limit:
        raise BodyTooLargeError
    chunks: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > limit:
            raise BodyTooLargeError
        more = message.get("more_body", False)
    return b"".join(chunks)


def _replay_body(body: bytes, then: Receive) -> Receive:
    """Receives the body as one message, and what `then` receives after it."""
    waiting = [body]

    async def receive() -> Message:
        # Handed on once and let go: an agent that waits must not keep its whole submission in memory.
        return {"type": "http.request", "body": waiting.pop(), "more_body": False} if waiting else await then()

    return receive
