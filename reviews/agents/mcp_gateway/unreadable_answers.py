"""Answers over stdio that are no message of the protocol: who waits for one is told so, as over HTTP."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeAlias

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

Streams: TypeAlias = tuple[Any, Any]
"""What is received, and where is sent, as the package's transports have them."""
# A server writes the number of the request before the result or behind it; within the result it may be anything.
_NUMBER_BEFORE = re.compile(r'\s*\{[^\[{]*?"id"\s*:\s*(\d+)')
_NUMBER_BEHIND = re.compile(r'"id"\s*:\s*(\d+)[^\[\]{}]*\}\s*$')


@asynccontextmanager
async def answer_unreadable(transport: AbstractAsyncContextManager[Streams]) -> AsyncIterator[Streams]:
    """The transport, on which each answer that cannot be read is an error of its request."""
    async with transport as (received, sent), anyio.create_task_group() as tasks:
        sink, source = anyio.create_memory_object_stream[SessionMessage | Exception]()

        async def pass_on() -> None:
            async with sink:
                async for item in received:
                    await sink.send(_readable(item))

        tasks.start_soon(pass_on)
        yield source, sent
        tasks.cancel_scope.cancel()


def _readable(item: SessionMessage | Exception) -> SessionMessage | Exception:
    number = _number_of(item) if isinstance(item, ValidationError) else None
    if number is None:
        return item
    error = types.ErrorData(code=types.PARSE_ERROR, message="The answer cannot be read.")
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=number, error=error))


def _number_of(error: ValidationError) -> int | None:
    """Of which request something is an answer; None where it is none, such as a line of a log."""
    received = error.errors()[0]["input"]
    if isinstance(received, dict):
        number = received.get("id")
        return number if isinstance(number, int) and "method" not in received else None
    text = str(received)
    match = _NUMBER_BEFORE.match(text) or _NUMBER_BEHIND.search(text)
    return int(match[1]) if match and '"jsonrpc"' in text and '"method"' not in text[:200] else None
