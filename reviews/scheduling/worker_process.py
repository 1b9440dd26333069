"""A process for work that an agent can make endless: it can be killed, and dies with what started it.

A thread cannot be stopped from outside, and a signal handler written in Python does not run while a regular expression
or another piece of C does. So whatever reads what agents sent runs where the kernel can end it.
"""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from billiard import current_process

# From <linux/prctl.h>; Python has no name for it.
PR_SET_PDEATHSIG: Final = 1


def end_with_parent(number: signal.Signals = signal.SIGTERM, *, parent: int | None = None) -> None:
    """In a child: end when the parent does, even if that was killed and could stop nothing.

    With the parent's process id also if it has ended before this.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)
    if parent not in {None, os.getppid()}:
        os.kill(os.getpid(), number)


def limit_memory(megabytes: int) -> None:
    """Let this process have no more than this much address space: what asks for more fails here alone."""
    limit = megabytes * 1024 * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    # Never above what whoever started the process allows.
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


class WorkerProcess:
    """Whether this process exists for checks alone, so that it may be killed at the deadline of one."""

    def __init__(self) -> None:
        self._is_killable = False
        self._tainted = False
        self._has_siblings = False

    def expect_siblings(self) -> None:
        """The pool will have several processes. Told to the process that forks them."""
        self._has_siblings = True

    def declare_killable(self) -> None:
        """Nothing else runs here: from now on, deadlines are enforced."""
        # A handler would wait for the interpreter, which is what a deadline cannot rely on: the kernel acts by itself.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self._is_killable = True

    @property
    def is_reserve(self) -> bool:
        """Whether this is the process of its worker that no agent may keep busy alone.

        Otherwise calls that each take all of their deadline, as many as there are processes, would hold up all others.
        """
        # Numbered by the pool, and a process that was killed hands its number on. A pool of one has nothing to spare.
        process = current_process()
        return self._is_killable and getattr(process, "index", None) == 0 and self._has_siblings

    def mark_tainted(self) -> bool:
        """Work was left in the middle: its threads may run on, hold locks, and never end.

        Returns whether this process will be ended for it.
        """
        self._tainted = True
        return self._is_killable

    def exit_if_tainted(self) -> None:
        """End this process at once, to be replaced by a fresh one. Does nothing where other work runs, too."""
        if self._is_killable and self._tainted:
            os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def killed_after(self, seconds: float) -> Iterator[None]:
        """Have the kernel end this process if the block takes longer. Does nothing where other work runs, too."""
        # 0 would switch the alarm off instead.
        self.set_kill_timer(max(seconds, 0.001))
        try:
            yield
        finally:
            self.set_kill_timer(0)

    def set_kill_timer(self, seconds: float) -> None:
        """Have the kernel end this process then, and no sooner; 0 calls it off. From any thread.

        Does nothing where other work runs, too.
        """
        if self._is_killable:
            signal.setitimer(signal.ITIMER_REAL, seconds)


worker_process: Final = WorkerProcess()
