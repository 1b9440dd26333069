"""A pool of processes for single calls of a web server or a lab, each of which can be killed."""

import importlib
import multiprocessing
import signal
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeoutError
from functools import cache
from typing import Final, ParamSpec, TypeVar

from pebble import ProcessExpired, ProcessPool

from reviews.scheduling.worker_process import end_with_parent, limit_memory

P = ParamSpec("P")
R = TypeVar("R")

# Two people who preview an edit at once do not wait for each other; more would take the web server's cores.
PROCESSES: Final = 2
"""Of one pool."""
# Imported before the pool forks its processes, so that one that was killed is replaced in milliseconds.
PRELOADED: Final = ("reviews.provenance.detectors", "reviews.scheduling.killable_pool")
# Calls that wait before a call, in the time of one call, before it is given up.
MAX_AHEAD: Final = 2


class StoppedError(Exception):
    """The work was not done in its time, or ended its process. The message says which."""


class KillablePool:
    """Runs functions in a few processes of its own, which are made when the first is needed."""

    def __init__(self, *, megabytes: int) -> None:
        self._megabytes = megabytes
        self._pool: ProcessPool | None = None
        self._lock = threading.Lock()

    def run_within(self, seconds: float, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The function's result. Raises what it raises, and `StoppedError` when it did not end by itself in time."""
        future = self._started_pool().schedule(function, args=args, kwargs=kwargs, timeout=seconds)
        try:
            return future.result(timeout=seconds * (MAX_AHEAD + 1))
        except (FutureTimeoutError, CancelledError) as error:
            future.cancel()
            raise StoppedError(f"could not be checked in {seconds:g} seconds") from error
        except (ProcessExpired, MemoryError) as error:
            raise StoppedError("could not be checked: it took more memory than it may, or ended its process") from error

    def close(self) -> None:
        """End the processes; the next call makes new ones."""
        with self._lock:
            if self._pool is not None:
                self._pool.stop()
                self._pool.join()
                self._pool = None

    def _started_pool(self) -> ProcessPool:
        with self._lock:
            # One whose manager failed takes no work any more.
            if self._pool is None or not self._pool.active:
                # Not forked from a server with many threads, whose locks a child would inherit as they are.
                context = multiprocessing.get_context("forkserver")
                context.set_forkserver_preload(list(PRELOADED))
                self._pool = ProcessPool(
                    max_workers=PROCESSES, context=context, initializer=_begin_process, initargs=(self._megabytes,)
                )
            return self._pool


@cache
def shared_pool(megabytes: int) -> KillablePool:
    """The pool of this process whose own processes may take so much memory each."""
    return KillablePool(megabytes=megabytes)


def _begin_process(megabytes: int) -> None:
    end_with_parent(signal.SIGKILL)
    limit_memory(megabytes)
    # Again, in case the server that forks could not preload it: the import must not count as the first call's time.
    importlib.import_module(PRELOADED[0])
