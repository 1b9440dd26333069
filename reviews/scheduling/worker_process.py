"""Processes for work that an agent can make endless: each can be killed, and dies with what started it.

A thread cannot be stopped from outside, and a signal handler written in Python does not run while a regular expression
or another piece of C does. So whatever reads what agents sent runs where the kernel can end it.
"""

import ctypes
import importlib
import multiprocessing
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager
from functools import cache
from typing import Final, ParamSpec, TypeVar

from billiard import current_process
from pebble import ProcessExpired, ProcessPool

P = ParamSpec("P")
R = TypeVar("R")

# From <linux/prctl.h>; Python has no name for it.
PR_SET_PDEATHSIG: Final = 1
# Two people who preview an edit at once do not wait for each other; more would take the web server's cores.
POOLED: Final = 2
"""Processes of one pool."""
# Imported before the pool forks its processes, so that one that was killed is replaced in milliseconds.
PRELOADED: Final = ("reviews.provenance.detectors", "reviews.scheduling.worker_process")
# Calls that wait before a call, in the time of one call, before it is given up.
MAX_AHEAD: Final = 2


class StoppedError(Exception):
    """The work was not done in its time, or ended its process. The message says which."""


def end_with_parent(number: signal.Signals = signal.SIGTERM) -> None:
    """In a child: end when the parent does, even if that was killed and could stop nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)


def limit_memory(megabytes: int) -> None:
    """Let this process have no more than this much address space: what asks for more fails here alone."""
    limit = megabytes * 1024 * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    # Never above what whoever started the process allows.
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


class Expendable:
    """Whether this process exists for checks alone, so that it may be killed at the deadline of one."""

    def __init__(self) -> None:
        self._is = False
        self._spoiled = False
        self._has_others = False

    def expect_others(self) -> None:
        """The pool will have several processes. Told to the process that forks them."""
        self._has_others = True

    def declare(self) -> None:
        """Nothing else runs here: from now on, deadlines are enforced."""
        # A handler would wait for the interpreter, which is what a deadline cannot rely on: the kernel acts by itself.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self._is = True

    @property
    def is_reserve(self) -> bool:
        """Whether this is the process of its worker that no agent may keep busy alone.

        Otherwise calls that each take all of their deadline, as many as there are processes, would hold up all others.
        """
        # Numbered by the pool, and a process that was killed hands its number on. A pool of one has nothing to spare.
        process = current_process()
        return self._is and getattr(process, "index", None) == 0 and self._has_others

    def spoil(self) -> bool:
        """Work was left in the middle: its threads may run on, hold locks, and never end.

        Returns whether this process will be ended for it.
        """
        self._spoiled = True
        return self._is

    def end_if_spoiled(self) -> None:
        """End this process at once, to be replaced by a fresh one. Does nothing where other work runs, too."""
        if self._is and self._spoiled:
            os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def killed_after(self, seconds: float) -> Iterator[None]:
        """Have the kernel end this process if the block takes longer. Does nothing where other work runs, too."""
        # 0 would switch the alarm off instead.
        self.end_in(max(seconds, 0.001))
        try:
            yield
        finally:
            self.end_in(0)

    def end_in(self, seconds: float) -> None:
        """Have the kernel end this process then, and no sooner; 0 calls it off. From any thread.

        Does nothing where other work runs, too.
        """
        if self._is:
            signal.setitimer(signal.ITIMER_REAL, seconds)


expendable: Final = Expendable()


class KillablePool:
    """Runs functions in a few processes of its own, which are made when the first is needed."""

    def __init__(self, *, megabytes: int) -> None:
        self._megabytes = megabytes
        self._pool: ProcessPool | None = None
        self._lock = threading.Lock()

    def run(self, seconds: float, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The function's result. Raises what it raises, and `StoppedError` when it did not end by itself in time."""
        future = self._started().schedule(function, args=args, kwargs=kwargs, timeout=seconds)
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

    def _started(self) -> ProcessPool:
        with self._lock:
            # One whose manager failed takes no work any more.
            if self._pool is None or not self._pool.active:
                # Not forked from a server with many threads, whose locks a child would inherit as they are.
                context = multiprocessing.get_context("forkserver")
                context.set_forkserver_preload(list(PRELOADED))
                self._pool = ProcessPool(
                    max_workers=POOLED, context=context, initializer=_begin, initargs=(self._megabytes,)
                )
            return self._pool


@cache
def pool(megabytes: int) -> KillablePool:
    """The pool of this process whose own processes may take so much memory each."""
    return KillablePool(megabytes=megabytes)


def _begin(megabytes: int) -> None:
    end_with_parent(signal.SIGKILL)
    limit_memory(megabytes)
    # Again, in case the server that forks could not preload it: the import must not count as the first call's time.
    importlib.import_module(PRELOADED[0])
