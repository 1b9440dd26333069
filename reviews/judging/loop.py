"""The event loop of a process on which judges' questions run. Worker threads wait for what comes of it."""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


def run_each(
    items: AsyncGenerator[T, None], *, tick: Callable[[], None], every: float, together: float = 0
) -> Iterator[T]:
    """Iterate an asynchronous generator from a worker thread, calling `tick` for every `every` seconds of waiting.

    What comes within `together` seconds is handed over at once: each change between the threads costs a tenth of a
    millisecond and more on a busy machine. Raises what the generator raises, behind what came before, and what `tick`
    raises, which ends the wait and cancels what was waited for. A caller that stops iterating closes the generator with
    everything it has under way.
    """
    ended = False

    async def following() -> tuple[list[T], BaseException | None]:
        nonlocal ended
        some: list[T] = []
        until = time.monotonic() + together
        try:
            async for item in items:
                some.append(item)
                if time.monotonic() >= until:
                    return some, None
        except Exception as error:  # noqa: BLE001 - raised again by the thread that iterates
            ended = True
            return some, error
        ended = True
        return some, None

    async def close() -> None:
        # One that is just being cancelled raises that it is running, and closes by itself.
        with suppress(RuntimeError):
            await items.aclose()

    try:
        while not ended:
            some, error = _wait(asyncio.run_coroutine_threadsafe(following(), _loop()), tick, every)
            yield from some
            if error is not None:
                raise error
    finally:
        # Not waited for: the worker has its result, or its lease is gone.
        if not ended:
            asyncio.run_coroutine_threadsafe(close(), _loop())


def _wait(future: Future[T], tick: Callable[[], None], every: float) -> T:
    """The future's result, waited for with a `tick` every `every` seconds. Raises what either raises."""
    try:
        while not wait([future], timeout=every).done:
            tick()
        return future.result()
    finally:
        future.cancel()


# Two worker threads may both need the loop first; two loops would mean two pools of connections.
_lock = threading.Lock()
_running: asyncio.AbstractEventLoop | None = None


def _loop() -> asyncio.AbstractEventLoop:
    """The loop that all threads of the process share, and with it one HTTP connection pool.

    A loop for each task would spend its time on handshakes.
    """
    global _running  # noqa: PLW0603 - one loop a process, made when the first check needs it, behind any fork
    with _lock:
        if _running is None:
            _running = asyncio.new_event_loop()
            # A daemon, because the loop runs for ever: the process must still be able to end.
            threading.Thread(target=_running.run_forever, name="judge-loop", daemon=True).start()
        return _running


def forget() -> None:
    """In a child that was just forked: start a loop of its own, as the parent's thread did not come along."""
    global _running, _lock
    _running, _lock = None, threading.Lock()
