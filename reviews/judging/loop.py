"""The one event loop of a process that judges' questions run on, driven from worker threads."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


def run_each(items: AsyncGenerator[T, None], *, tick: Callable[[], None], every: float) -> Iterator[T]:
    """Iterate an asynchronous generator from a worker thread, calling `tick` each `every` seconds of waiting.

    All threads of a process share one event loop, and so one HTTP connection pool: a loop per task would spend its
    time on handshakes. What `tick` raises ends the wait and cancels what was waited for. Whoever stops listening
    closes the generator, with everything it still has under way.
    """
    end = object()

    async def following() -> T | object:
        return await anext(items, end)

    try:
        while (item := _wait(asyncio.run_coroutine_threadsafe(following(), _loop()), tick, every)) is not end:
            yield item  # type: ignore[misc]  # `end` is excluded above
    finally:
        asyncio.run_coroutine_threadsafe(_closed(items), _loop())


async def _closed(items: AsyncGenerator[T, None]) -> None:
    # One that is just being cancelled says that it is running, and closes by itself.
    with suppress(RuntimeError):
        await items.aclose()


def _wait(future: Future[T], tick: Callable[[], None], every: float) -> T:
    try:
        while not wait([future], timeout=every).done:
            tick()
        return future.result()
    finally:
        future.cancel()


_lock = threading.Lock()


_running: asyncio.AbstractEventLoop | None = None


def _loop() -> asyncio.AbstractEventLoop:
    global _running  # noqa: PLW0603 - one loop a process, made when the first check needs it, behind any fork
    with _lock:
        if _running is None:
            _running = asyncio.new_event_loop()
            threading.Thread(target=_running.run_forever, name="judge-loop", daemon=True).start()
        return _running
