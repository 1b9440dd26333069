"""The event loop of a process on which judges' questions run. Worker threads wait for what comes of it."""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator
from concurrent.futures import Future
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")


class StageStream(Generic[T]):
    """What an asynchronous generator yields, on the loop, for a worker thread that has other things to do meanwhile."""

    def __init__(self, items: AsyncGenerator[T, None], *, batch_window: float = 0) -> None:
        """What comes within `batch_window` seconds is handed over at once.

        Each change between the threads costs a tenth of a millisecond, and more on a busy machine.
        """
        self._items, self._batch_window = items, batch_window
        self._next_item: asyncio.Task[T] | None = None
        self.ended = False
        """Nothing is left to come: the generator ended, or raised."""

    def next_batch(self) -> "Future[tuple[list[T], Exception | None]]":
        """At least the next item, with those that come soon behind it, and what the generator raised then."""
        return asyncio.run_coroutine_threadsafe(self._collect_batch(), running_loop())

    def close(self) -> None:
        """Close the generator with everything it has under way, if it has not ended."""
        # Not waited for: the worker has its result, or its lease is gone.
        if not self.ended:
            asyncio.run_coroutine_threadsafe(self._close_items(), running_loop())

    async def _collect_batch(self) -> tuple[list[T], Exception | None]:
        some: list[T] = []
        until = 0.0
        while not some or time.monotonic() < until:
            self._next_item = self._next_item or asyncio.ensure_future(anext(self._items))
            # Left to come, and not cancelled, where it takes longer than what is there already may wait.
            await asyncio.wait({self._next_item}, timeout=until - time.monotonic() if some else None)
            if not self._next_item.done():
                break
            item, self._next_item = self._next_item, None
            try:
                some.append(item.result())
                # From the first one on: what it took to come says nothing of the next.
                until = until or time.monotonic() + self._batch_window
            except StopAsyncIteration:
                self.ended = True
                break
            except Exception as error:  # noqa: BLE001 - raised again by the thread that iterates
                self.ended = True
                return some, error
        return some, None

    async def _close_items(self) -> None:
        if self._next_item is not None:
            self._next_item.cancel()
        # One that is just being cancelled raises that it is running, and closes by itself.
        with suppress(RuntimeError):
            await self._items.aclose()


# Two worker threads may both need the loop first; two loops would mean two pools of connections.
_lock = threading.Lock()
_running: asyncio.AbstractEventLoop | None = None


def running_loop() -> asyncio.AbstractEventLoop:
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


def forget_loop() -> None:
    """In a child that was just forked: start a loop of its own, as the parent's thread did not come along."""
    global _running, _lock
    _running, _lock = None, threading.Lock()
