"""Checks that one process brings forward at once: one computes, the others wait for their judge.

A check that waits for a model needs no process for itself, but its process may have to be killed for another one. The
kernel's timer ends a process alone with a check at that check's deadline. One that holds several must be ended sooner,
or a single one that never returns would use up the time of all: as soon as its event loop was held up for a few
seconds. Nobody can tell then whose fault it was, so each is job again by itself (`leases`).
"""

import logging
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Final

from reviews.scheduling import event_loop, fair_scheduler
from reviews.scheduling.attempts import GRACE_SECONDS, Pause, Steps
from reviews.scheduling.fair_scheduler import ClaimedJob, FairScheduler, ServedJob
from reviews.scheduling.process_sharing import Sharing
from reviews.scheduling.worker_process import worker_process

# With an answer in a second, one process gives as many verdicts a second as two cores have time for. Each may hold
# some megabytes of history, and all are asked again when their process ends.
MAX_TOGETHER: Final = 32
# A message's own cost, some milliseconds of the broker's and the worker's, is shared by the checks of so much time. A
# worker that is asked to stop waits for it.
ROW_SECONDS: Final = 1.0
# Behind it those that wait are brought to their end, and nothing new is job: a tenth of it where answers take a
# second.
TOGETHER_SECONDS: Final = 10.0
# How soon a process whose checks all wait sees a new one: the other processes may be as far as itself.
LOOK_SECONDS: Final = 0.1
# What rules do at one go takes milliseconds, with the largest histories and a busy machine a second.
HELD_UP_SECONDS: Final = 5.0
# Some chances before that.
BEAT_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


def run_until_idle(scheduler: FairScheduler, on_served: Callable[[ServedJob], None]) -> bool:
    """Serve one after the other, each whose turn it then is; `on_served` hears of each.

    Returns whether more may be due.
    """
    jobs, began = ConcurrentAttempts(on_served), time.monotonic()
    try:
        look_at = began
        while True:
            if len(jobs) < MAX_TOGETHER and time.monotonic() >= look_at:
                job = scheduler.fetch_job(sharing=Sharing.ACTIVE if jobs else Sharing.AFTER_FIRST_WAIT)
                if job is not None:
                    jobs.start_job(job)
                elif not jobs:
                    return False
                else:
                    look_at = time.monotonic() + LOOK_SECONDS
            else:
                jobs.advance_jobs(LOOK_SECONDS)
            if time.monotonic() - began >= (TOGETHER_SECONDS if jobs else ROW_SECONDS):
                return True
    finally:
        # Also where the database went away for a moment: what they have asked was paid for.
        while jobs:
            jobs.advance_jobs(LOOK_SECONDS)


class ConcurrentAttempts:
    """The checks that this process has begun and not ended."""

    def __init__(self, on_served: Callable[[ServedJob], None]) -> None:
        self._on_served = on_served
        self._steps: dict[ClaimedJob, Steps[float | None]] = {}
        self._pauses: dict[ClaimedJob, Pause] = {}
        # Filled by the event loop's thread: whom it is worth looking at.
        self._awake: SimpleQueue[ClaimedJob] = SimpleQueue()
        self._watchdog = _LoopWatchdog()

    def __len__(self) -> int:
        return len(self._steps)

    def start_job(self, job: ClaimedJob) -> None:
        """Bring it to its end, or as far as it waits for its judge."""
        if not job.examined.beside_others:
            self._on_served(fair_scheduler.settle_served(job, job.carry_out()))
            return
        self._watchdog.watch_for(job.seconds_left() + GRACE_SECONDS)
        self._steps[job] = job.run_in_steps()
        job.in_flight.first_sent.add_done_callback(lambda _: self._awake.put(job))
        self._advance_job(job)
        # What is taken while another computes would wait behind it, instead of being served elsewhere.
        while job in self._steps and not job.in_flight.first_sent.done():
            self.advance_jobs(LOOK_SECONDS)

    def advance_jobs(self, seconds: float) -> None:
        """Bring forward whoever can go on; wait no longer than so many seconds for one."""
        try:
            job = self._awake.get(timeout=seconds)
            # Those that have ended meanwhile are no longer there; the others may only have begun to ask.
            due = [job] if job in self._pauses and self._pauses[job].awaited.done() else []
        except Empty:
            due = [job for job, pause in self._pauses.items() if pause.until <= time.monotonic()]
        for job in due:
            self._advance_job(job)

    def _advance_job(self, job: ClaimedJob) -> None:
        try:
            with job.bind_log_context():
                pause = self._next_pause(job)
        except Exception:  # noqa: BLE001 - as if it had ended its process; the others have nothing to do with it
            _log.exception("examination %s was dropped until its lease runs out", job.examined.pk)
            pause = None
        if pause is None:
            del self._steps[job]
            self._pauses.pop(job, None)
            if not self._steps:
                self._watchdog.stop_watching()
        else:
            self._pauses[job] = pause
            pause.awaited.add_done_callback(lambda _: self._awake.put(job))

    def _next_pause(self, job: ClaimedJob) -> Pause | None:
        """What it waits for next; None when it has ended, and what follows from that is done."""
        try:
            return next(self._steps[job])
        except StopIteration as end:
            self._on_served(fair_scheduler.settle_served(job, end.value))
            return None


class _LoopWatchdog:
    """A watchdog: the kernel ends this process when its event loop does not come round for `HELD_UP_SECONDS`."""

    def __init__(self) -> None:
        # Between the loop's thread, which puts the end off, and the worker's, which calls it off.
        self._lock = threading.Lock()
        self._until = 0.0
        self._turn: object = None
        """Who puts it off; None while nobody is watched."""

    def watch_for(self, seconds: float) -> None:
        """Watch for so long, or until `stop_watching`, if that is longer than what was asked for before."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)
            if self._turn is None:
                self._turn = turn = object()
                worker_process.set_kill_timer(HELD_UP_SECONDS)
                event_loop.running_loop().call_soon_threadsafe(self._postpone_kill, turn)

    def stop_watching(self) -> None:
        """Nobody is left to be held up."""
        with self._lock:
            self._turn, self._until = None, 0.0
            worker_process.set_kill_timer(0)

    def _postpone_kill(self, turn: object) -> None:
        with self._lock:
            # Behind the last deadline nobody puts it off any more: then it is the worker's thread that is held up.
            if self._turn is turn and time.monotonic() < self._until:
                worker_process.set_kill_timer(HELD_UP_SECONDS)
                event_loop.running_loop().call_later(BEAT_SECONDS, self._postpone_kill, turn)
