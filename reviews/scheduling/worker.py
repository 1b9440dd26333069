"""What a worker's process does with a hint that jobs are due: run them in their turn, and leave none without a hint."""

import time
from typing import Final

from reviews.models import CheckMode
from reviews.scheduling import broker, multiplexer
from reviews.scheduling.fair_scheduler import FairScheduler, ServedJob, is_anything_due
from reviews.scheduling.worker_process import worker_process

# How long the process in reserve looks for an agent with nothing running before it hands its hint back, and how often:
# agents hardly notice the pause, and the database not at all.
RESERVE_SECONDS: Final = 1.0
POLL_SECONDS: Final = 0.05


def run_due_jobs(scheduler: FairScheduler) -> None:
    """Run the jobs whose turn it is for about a second, and hint at what is due behind them."""
    if not is_anything_due():
        return
    if worker_process.is_reserve:
        if not _serve_idle_agent(scheduler) and is_anything_due():
            broker.enqueue_hint(delay=RESERVE_SECONDS)
    # For whoever comes behind: this hint may have been the only one that told of them.
    elif multiplexer.run_until_idle(scheduler, _follow_up) and not broker.has_enough_messages():
        broker.enqueue_hint()


def _serve_idle_agent(scheduler: FairScheduler) -> bool:
    """Serve an agent with nothing running, as soon as one asks within `RESERVE_SECONDS`. False when none did."""
    until = time.monotonic() + RESERVE_SECONDS
    # Of calls that come at once the other processes take theirs first: then it shows whose agent is busy.
    time.sleep(POLL_SECONDS)
    while time.monotonic() < until and is_anything_due():
        if job := scheduler.serve_next(for_idle_agents=True):
            _follow_up(job)
            return True
        time.sleep(POLL_SECONDS)
    return False


def _follow_up(job: ServedJob) -> None:
    """Have a failed attempt repeated when it is due, and end a process in which work was left in the middle."""
    if job.delay is not None:
        broker.enqueue_hint(job.mode or CheckMode.ENFORCED, delay=job.delay)
    # The next check would wait for what the stopped one has left behind, until its own deadline.
    worker_process.exit_if_tainted()
