"""The event loop of a process on which judges' questions run. Worker threads wait for what comes of it."""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Generic, TypeVar

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
    following = _Following(items, together)
    try:
        while not following.ended:
            some, error = _wait(asyncio.run_coroutine_threadsafe(following.next(), _loop()), tick, every)
            yield from some
            if error is not None:
                raise error
    finally:
        # Not waited for: the worker has its result, or its lease is gone.
        if not following.ended:
            asyncio.run_coroutine_threadsafe(following.close(), _loop())


class _Following(Generic[T]):
    """Takes what an asynchronous generator yields, on the loop."""

    def __init__(self, items: AsyncGenerator[T, None], together: float) -> None:
        self._items, self._together = items, together
        self._coming: asyncio.Task[T] | None = None
        self.ended = False

    async def next(self) -> tuple[list[T], BaseException | None]:
        """At least the next item, with those that come soon behind it, and what the generator raised then."""
        some: list[T] = []
        until = time.monotonic() + self._together
        while not some or time.monotonic() < until:
            self._coming = self._coming or asyncio.create_task(_next_of(self._items))
            # Left to come, and not cancelled, where it takes longer than what is there already may wait.
            await asyncio.wait({self._coming}, timeout=until - time.monotonic() if some else None)
            if not self._coming.done():
                break
            item, self._coming = self._coming, None
            try:
                some.append(item.result())
            except StopAsyncIteration:
                self.ended = True
                break
            except Exception as error:  # noqa: BLE001 - raised again by the thread that iterates
                self.ended = True
                return some, error
        return some, None

    async def close(self) -> None:
        """Cancel what is coming, and close the generator."""
        if self._coming is not None:
            self._coming.cancel()
        # One that is just being cancelled raises that it is running, and closes by itself.
        with suppress(RuntimeError):
            await self._items.aclose()


async def _next_of(items: AsyncGenerator[T, None]) -> T:
    # A task wants a coroutine, and `anext` makes none.
    return await anext(items)


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
