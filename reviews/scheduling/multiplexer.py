"""Checks that one process brings forward at once: one computes, the others wait for their judge.

A check that waits for a model needs no process for itself, but its process may have to be killed for another one. The
kernel's timer ends a process alone with a check at that check's deadline. One that holds several must be ended sooner,
or a single one that never returns would use up the time of all: as soon as its event loop was held up for a few
seconds. Nobody can tell then whose fault it was, so each is taken again by itself (`leases`).
"""

import logging
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Final

from reviews.scheduling import event_loop, fair_scheduler
from reviews.scheduling.attempts import GRACE_SECONDS, Pause, Steps
from reviews.scheduling.fair_scheduler import Served, Taken
from reviews.scheduling.process_sharing import Company
from reviews.scheduling.worker_process import expendable

# With an answer in a second, one process gives as many verdicts a second as two cores have time for. Each may hold
# some megabytes of history, and all are asked again when their process ends.
MAX_TOGETHER: Final = 32
# A message's own cost, some milliseconds of the broker's and the worker's, is shared by the checks of so much time. A
# worker that is asked to stop waits for it.
ROW_SECONDS: Final = 1.0
# Behind it those that wait are brought to their end, and nothing new is taken: a tenth of it where answers take a
# second.
TOGETHER_SECONDS: Final = 10.0
# How soon a process whose checks all wait sees a new one: the other processes may be as far as itself.
LOOK_SECONDS: Final = 0.1
# What rules do at one go takes milliseconds, with the largest histories and a busy machine a second.
HELD_UP_SECONDS: Final = 5.0
# Some chances before that.
BEAT_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


def serve_in_a_row(ended: Callable[[Served], None]) -> tuple[bool, bool]:
    """Serve one after the other, each whose turn it then is; `ended` hears of each.

    Returns whether any was served, and whether more may be due.
    """
    row, served, began = _Row(ended), False, time.monotonic()
    try:
        look_at = began
        while True:
            if len(row) < MAX_TOGETHER and time.monotonic() >= look_at:
                taken = fair_scheduler.take_next(company=Company.PRESENT if row else Company.TO_COME)
                if taken is not None:
                    row.serve(taken)
                    served = True
                elif not row:
                    return served, False
                else:
                    look_at = time.monotonic() + LOOK_SECONDS
            else:
                row.go_on(LOOK_SECONDS)
            if time.monotonic() - began >= (TOGETHER_SECONDS if row else ROW_SECONDS):
                return served, True
    finally:
        # Also where the database went away for a moment: what they have asked was paid for.
        while row:
            row.go_on(LOOK_SECONDS)


class _Row:
    """The checks that this process has begun and not ended."""

    def __init__(self, ended: Callable[[Served], None]) -> None:
        self._ended = ended
        self._steps: dict[Taken, Steps[float | None]] = {}
        self._pauses: dict[Taken, Pause] = {}
        # Filled by the event loop's thread: whom it is worth looking at.
        self._awake: SimpleQueue[Taken] = SimpleQueue()
        self._watch = _Watch()

    def __len__(self) -> int:
        return len(self._steps)

    def serve(self, taken: Taken) -> None:
        """Bring it to its end, or as far as it waits for its judge."""
        if not taken.examined.beside_others:
            self._ended(fair_scheduler.ended(taken, taken.carry_out()))
            return
        self._watch.over(taken.seconds_left() + GRACE_SECONDS)
        self._steps[taken] = taken.steps()
        taken.asking.begun.add_done_callback(lambda _: self._awake.put(taken))
        self._step(taken)
        # What is taken while another computes would wait behind it, instead of being served elsewhere.
        while taken in self._steps and not taken.asking.begun.done():
            self.go_on(LOOK_SECONDS)

    def go_on(self, seconds: float) -> None:
        """Bring forward whoever can go on; wait no longer than so many seconds for one."""
        try:
            taken = self._awake.get(timeout=seconds)
            # Those that have ended meanwhile are no longer there; the others may only have begun to ask.
            due = [taken] if taken in self._pauses and self._pauses[taken].coming.done() else []
        except Empty:
            due = [taken for taken, pause in self._pauses.items() if pause.until <= time.monotonic()]
        for taken in due:
            self._step(taken)

    def _step(self, taken: Taken) -> None:
        try:
            with taken.named():
                pause = self._next(taken)
        except Exception:  # noqa: BLE001 - as if it had ended its process; the others have nothing to do with it
            _log.exception("examination %s was dropped until its lease runs out", taken.examined.pk)
            pause = None
        if pause is None:
            del self._steps[taken]
            self._pauses.pop(taken, None)
            if not self._steps:
                self._watch.end()
        else:
            self._pauses[taken] = pause
            pause.coming.add_done_callback(lambda _: self._awake.put(taken))

    def _next(self, taken: Taken) -> Pause | None:
        """What it waits for next; None when it has ended, and what follows from that is done."""
        try:
            return next(self._steps[taken])
        except StopIteration as end:
            self._ended(fair_scheduler.ended(taken, end.value))
            return None


class _Watch:
    """Has the kernel end this process when its event loop does not come round for `HELD_UP_SECONDS`."""

    def __init__(self) -> None:
        # Between the loop's thread, which puts the end off, and the worker's, which calls it off.
        self._lock = threading.Lock()
        self._until = 0.0
        self._turn: object = None
        """Who puts it off; None while nobody is watched."""

    def over(self, seconds: float) -> None:
        """Watch for so long, or until `end`, if that is longer than what was asked for before."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)
            if self._turn is None:
                self._turn = turn = object()
                expendable.end_in(HELD_UP_SECONDS)
                event_loop.running().call_soon_threadsafe(self._beat, turn)

    def end(self) -> None:
        """Nobody is left to be held up."""
        with self._lock:
            self._turn, self._until = None, 0.0
            expendable.end_in(0)

    def _beat(self, turn: object) -> None:
        with self._lock:
            # Behind the last deadline nobody puts it off any more: then it is the worker's thread that is held up.
            if self._turn is turn and time.monotonic() < self._until:
                expendable.end_in(HELD_UP_SECONDS)
                event_loop.running().call_later(BEAT_SECONDS, self._beat, turn)
