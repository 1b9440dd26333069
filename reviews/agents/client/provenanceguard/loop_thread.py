"""A thread with an event loop, for whoever has none: who waits for its work hears of it, also when the loop ends."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from .errors import ClosedError

T = TypeVar("T")
# What work that was ended may take to clean up behind itself: to have a proposal answered, and to withdraw it.
CLEANUP_SECONDS = 10.0


class LoopThread:
    """A thread with an event loop, begun with the first work, and once more in a process that was forked."""

    def __init__(self, closing: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """`closing` is what is left to do on the loop when its work has ended."""
        self._closing = closing
        self._lock = threading.RLock()
        self._process = 0
        self._serving: _Serving | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work returns. Interrupted, it is cancelled, and waited for until it has cleaned up.

        Raises `ClosedError` where the thread was stopped meanwhile.
        """
        ended = threading.Event()

        async def followed() -> T:
            try:
                return await work
            finally:
                ended.set()

        future = self._begin(followed())
        try:
            return future.result()
        except CancelledError:
            raise ClosedError("The guard was closed meanwhile. The call was not run.") from None
        except BaseException:
            if future.cancel():
                ended.wait(CLEANUP_SECONDS)
            raise

    def stop(self) -> None:
        """End the work and the thread; the next work begins another."""
        self._forget_before_fork()
        with self._lock:
            serving, self._serving = self._serving, None
        if serving is not None:
            serving.stop()

    def _begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        self._forget_before_fork()
        # Together, so that nothing is begun on a loop that was told to stop: nobody would end it.
        with self._lock:
            if self._serving is None:
                self._serving = _Serving(self._closing)
            return self._serving.begin(work)

    def _forget_before_fork(self) -> None:
        # A lock that another thread held at the fork is held for ever in the child.
        if self._process != os.getpid():
            self._lock, self._serving, self._process = threading.RLock(), None, os.getpid()


class _Serving:
    """One loop and its thread."""

    def __init__(self, closing: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._closing = closing
        self._loop = asyncio.new_event_loop()
        self._futures: set[Future[Any]] = set()
        """What threads wait for."""
        self._tasks: set[asyncio.Task[Any]] = set()
        """The work of those."""
        # As a daemon: an agent that forgot to close the guard must still be able to end.
        self._thread = threading.Thread(target=self._serve, name="provenanceguard", daemon=True)
        self._thread.start()

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Do the work on the loop."""

        async def noted() -> T:
            task = asyncio.current_task()
            if task is not None:
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            return await work

        future = asyncio.run_coroutine_threadsafe(noted(), self._loop)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return future

    def stop(self) -> None:
        """Have the loop end its work, and wait until it has."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLEANUP_SECONDS)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(self._end())
        finally:
            # Whatever has happened: who waits for a loop that is closed would do so for ever.
            for future in list(self._futures):
                future.cancel()
            self._loop.close()

    async def _end(self) -> None:
        """Cancel what threads wait for, which may have something to withdraw, and then all that is left."""
        await _cancel(set(self._tasks))
        await self._closing()
        await _cancel(asyncio.all_tasks() - {asyncio.current_task()})


async def _cancel(tasks: set[Any]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=CLEANUP_SECONDS)
