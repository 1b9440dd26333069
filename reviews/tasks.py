"""Celery tasks. They take ids, may be delivered twice, and leave the work to the use cases."""

import time
from signal import SIGKILL
from typing import Any, Final
from uuid import UUID

from celery import shared_task
from celery.signals import (
    task_postrun,
    worker_before_create_process,
    worker_init,
    worker_process_init,
    worker_ready,
)
from django.conf import settings
from django.db import close_old_connections

from reviews.checks import run
from reviews.checks.jobs import SCHEDULER, sweep_lost_and_due
from reviews.decisions import holds
from reviews.judging import build
from reviews.labels import background, exports, imports, versions
from reviews.messaging import metrics, signals
from reviews.scheduling import (
    broker,
    event_loop,
    fair_scheduler,
    heartbeat,
    multiplexer,
    statements,
    warmup,
)
from reviews.scheduling.worker_process import end_with_parent, limit_memory, worker_process


# Names are written out: messages on the wire carry them, and the settings route by them. A task that moves to another
# module must not orphan what an older process has enqueued.
@shared_task(name="reviews.tasks.check_action")
def check_action(action_id: str) -> None:
    """Settle one action for which there is nothing to run; what was left to run is run."""
    # Enqueued anew with a delay instead of retried by Celery: a worker that waits, or dies waiting, would hold it.
    delay = run.check(UUID(action_id))
    if delay is not None:
        broker.enqueue("reviews.tasks.check_action", action_id, delay=delay)


# How long the process in reserve looks for an agent with nothing running before it hands its message back, and how
# often: agents hardly notice the pause, and the database not at all.
RESERVE_SECONDS: Final = 1.0
LOOK_SECONDS: Final = 0.05


@shared_task(name="reviews.tasks.run_check")
def run_check(check_id: str, mode: str) -> None:
    """Run the checks whose turn it is, which need not be this one, and leave nobody without a message."""
    pk = UUID(check_id)
    if worker_process.is_reserve:
        if not _serve_an_idle_agent() and fair_scheduler.anything_waits():
            broker.enqueue_check(pk, mode, delay=RESERVE_SECONDS)
    elif fair_scheduler.anything_waits():
        _, is_more = multiplexer.run_until_idle(SCHEDULER, _follow_up)
        # For whoever is left: this message may have been the only one that told of them.
        if is_more and not broker.enough_waits():
            broker.enqueue_check(pk, mode)
    elif not statements.is_over(pk):
        # Nothing is due, so this one was taken before; its worker may have died between finishing and settling.
        run.run(pk)


@shared_task(name=broker.CHECK_PLAN)
def check_plan(plan_id: str) -> None:
    """Check the plans and actions whose turn it is, which need not include this one."""
    pk = UUID(plan_id)
    if not worker_process.is_reserve:
        _, is_more = multiplexer.run_until_idle(SCHEDULER, _follow_up)
        if is_more and fair_scheduler.is_unanswered(pk):
            broker.enqueue_plan(pk)
    elif not _serve_an_idle_agent() and fair_scheduler.anything_waits():
        broker.enqueue_plan(pk, delay=RESERVE_SECONDS)


def _serve_an_idle_agent() -> bool:
    """Serve an agent with nothing running, as soon as one asks within `RESERVE_SECONDS`. False when none did."""
    until = time.monotonic() + RESERVE_SECONDS
    # Of calls that come at once the other processes take theirs first: then it shows whose agent is busy.
    time.sleep(LOOK_SECONDS)
    while time.monotonic() < until and fair_scheduler.anything_waits():
        if served := SCHEDULER.serve_next(for_idle_agents=True):
            _follow_up(served)
            return True
        time.sleep(LOOK_SECONDS)
    return False


def _follow_up(served: fair_scheduler.Served) -> None:
    """After judge trouble, ask for the next attempt."""
    if served.delay is not None:
        if served.mode is None:
            broker.enqueue_plan(served.pk, delay=served.delay)
        else:
            broker.enqueue_check(served.pk, served.mode, delay=served.delay)
    # The next check would wait for what the stopped one has left behind, until its own deadline.
    worker_process.exit_if_tainted()


@shared_task(name="reviews.tasks.release_decision")
def release_decision(decision_id: str) -> None:
    """Tell the agent of an approval that can no longer be taken back."""
    holds.release(UUID(decision_id))


@shared_task(name=imports.TASK)
def run_import(job_id: str) -> None:
    """Run the imports and exports whose turn it is, which need not include this one."""
    background.work()


@shared_task(name=versions.TASK)
def freeze_version(version_id: str) -> None:
    """Freeze a dataset version."""
    versions.freeze(UUID(version_id))


@shared_task(name=exports.TASK)
def run_export(job_id: str) -> None:
    """Run the imports and exports whose turn it is, which need not include this one."""
    background.work()


@shared_task(name="reviews.tasks.sweep")
def sweep() -> None:
    """Find what was lost and what is due."""
    try:
        swept = sweep_lost_and_due()
        background.sweep()
    except Exception:
        metrics.SWEEPS.labels("failed").inc()
        raise
    metrics.SWEEPS.labels("done").inc()
    for counted_as, rows in swept.items():
        metrics.SWEPT.labels(counted_as).inc(rows)


@shared_task(name="reviews.tasks.heartbeat")
def beat() -> None:
    """Show that a worker lives."""
    heartbeat.beat()


@worker_before_create_process.connect
def prepare_processes(**_: object) -> None:
    """The checks' worker forks a process, which finds all it needs for its first check."""
    warmup.rehearse()


@worker_process_init.connect
def begin_expendable(**_: object) -> None:
    """A process of the checks' worker starts: it may be killed at any time, and harms nobody but its own check."""
    # With its parent gone nobody would kill it at its deadline, nor give it work.
    end_with_parent(SIGKILL)
    limit_memory(settings.GUARD.check_megabytes)
    # What the parent has opened is shared by all its children, and its threads did not come along. Celery itself closes
    # the database's connections.
    signals.client.cache_clear()
    build.forget_models()
    event_loop.forget()
    worker_process.declare_killable()


@task_postrun.connect
def hand_connections_back(**_: object) -> None:
    """The next task finds one that answers, with its statements prepared (CELERY_DB_REUSE_MAX)."""
    close_old_connections()


@worker_init.connect
def begin_worker(sender: Any, **_: object) -> None:
    """A worker's first process serves what all its processes count, where METRICS_PORT says so."""
    metrics.serve(settings.GUARD.metrics_port)
    # As the command line has it, which may say something else than CHECK_PROCESSES.
    if sender.concurrency != 1:
        worker_process.expect_siblings()


# Otherwise the site would be unready until beat comes by for the first time.
@worker_ready.connect
def announce(**_: object) -> None:
    """A worker gives a sign of life as soon as it is ready."""
    # Otherwise the site would report no worker until the first heartbeat is due.
    heartbeat.beat()
