"""Celery tasks. They take ids, may be delivered twice, and leave the work to the use cases."""

from signal import SIGKILL
from typing import Any
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

from reviews.checks import routing
from reviews.checks.scheduler import SCHEDULER
from reviews.checks.sweep_chores import sweep_lost_and_due
from reviews.datasets import export_jobs, imports, job_worker, versions
from reviews.decisions import holds
from reviews.judging import build
from reviews.lab import (
    day_figures,
    experiment_worker,
    experiments,
    rule_records,
    rule_suspension,
    suspicion_training,
)
from reviews.messaging import metrics, signals
from reviews.messaging.notifications import deliveries as notifications
from reviews.messaging.notifications import outbox
from reviews.messaging.webhooks import deliveries
from reviews.models import Workspace
from reviews.retention import leftover_files
from reviews.scheduling import broker, event_loop, heartbeat, warmup, worker
from reviews.scheduling.worker_process import end_with_parent, limit_memory, worker_process


# Names are written out: messages on the wire carry them, and the settings route by them.
@shared_task(name=broker.SETTLE_ACTION)
def settle_action(action_id: str) -> None:
    """Settle an action that waits for no check any more, or for none."""
    routing.settle_action(UUID(action_id))


@shared_task(name=broker.RUN_DUE_JOBS)
def run_due_jobs() -> None:
    """Run the checks and plans whose turn it is. The message says that there are some, not which."""
    worker.run_due_jobs(SCHEDULER)


@shared_task(name="reviews.tasks.release_decision")
def release_decision(decision_id: str) -> None:
    """Tell the agent of an approval that can no longer be taken back."""
    holds.release_decision(UUID(decision_id))


@shared_task(name=broker.DELIVER_WEBHOOKS)
def deliver_webhooks() -> None:
    """Send the webhooks that are due. The message says that there are some, not which."""
    deliveries.run_due_deliveries()


@shared_task(name=broker.NOTIFY_PEOPLE)
def notify_people() -> None:
    """Tell people of what waits, as each of them has chosen."""
    outbox.enqueue_notifications()
    notifications.run_due_notifications()


@shared_task(name=imports.TASK)
def run_import(job_id: str) -> None:
    """Run the imports and exports whose turn it is, which need not include this one."""
    job_worker.run_waiting_jobs()


@shared_task(name=versions.TASK)
def freeze_version(version_id: str) -> None:
    """Freeze a dataset version."""
    versions.freeze_version(UUID(version_id))


@shared_task(name=export_jobs.TASK)
def run_export(job_id: str) -> None:
    """Run the imports and exports whose turn it is, which need not include this one."""
    job_worker.run_waiting_jobs()


@shared_task(name="reviews.tasks.sweep")
def sweep() -> None:
    """Find what was lost and what is due."""
    try:
        swept = sweep_lost_and_due()
        job_worker.requeue_stalled()
        experiment_worker.requeue_stalled()
    except Exception:
        metrics.SWEEPS.labels("failed").inc()
        raise
    metrics.SWEEPS.labels("done").inc()
    for counted_as, rows in swept.items():
        metrics.SWEPT.labels(counted_as).inc(rows)


@shared_task(name=experiments.TASK)
def run_experiments() -> None:
    """Run the experiments whose turn it is."""
    experiment_worker.run_waiting_experiments()


@shared_task(name=suspicion_training.TASK)
def learn_suspicion(membership_id: str) -> None:
    """Learn which findings tell wrong calls from right ones, as this administrator asked."""
    suspicion_training.train(UUID(membership_id))


@shared_task(name="reviews.tasks.suspend_rules")
def suspend_rules() -> None:
    """Publish how often each rule was upheld, and suspend what people overrule too often where a profile asks."""
    for workspace in Workspace.objects.all().iterator():
        rule_records.publish_rule_records(workspace)
        rule_suspension.suspend_imprecise_rules(workspace)


@shared_task(name="reviews.tasks.delete_leftover_files")
def delete_leftover_files() -> None:
    """Delete the files of imports and exports that killed processes have left."""
    leftover_files.delete_leftover_files()


@shared_task(name="reviews.tasks.count_days")
def count_days() -> None:
    """Count what the overview shows of today, and of days that nobody has counted to their end."""
    day_figures.refresh_all()


@shared_task(name="reviews.tasks.heartbeat")
def beat() -> None:
    """Show that a worker lives."""
    heartbeat.send_heartbeat()


@worker_before_create_process.connect
def prepare_processes(**_: object) -> None:
    """The checks' worker forks a process, which finds all it needs for its first check."""
    warmup.warm_up_before_fork()


@worker_process_init.connect
def begin_expendable(**_: object) -> None:
    """A process of the checks' worker starts: it may be killed at any time, and harms nobody but its own check."""
    # With its parent gone nobody would kill it at its deadline, nor give it work.
    end_with_parent(SIGKILL)
    limit_memory(settings.GUARD.check_megabytes)
    # What the parent has opened is shared by all its children, and its threads did not come along. Celery itself closes
    # the database's connections.
    signals.redis_client.cache_clear()
    build.forget_models()
    event_loop.forget_loop()
    worker_process.declare_killable()


@task_postrun.connect
def hand_connections_back(**_: object) -> None:
    """The next task finds one that answers, with its statements prepared (CELERY_DB_REUSE_MAX)."""
    close_old_connections()


@worker_init.connect
def begin_worker(sender: Any, **_: object) -> None:
    """A worker's first process serves what all its processes count, where METRICS_PORT says so."""
    metrics.serve_metrics(settings.GUARD.metrics_port)
    # As the command line has it, which may say something else than CHECK_PROCESSES.
    if sender.concurrency != 1:
        worker_process.expect_siblings()


# Otherwise the site would be unready until beat comes by for the first time.
@worker_ready.connect
def announce(**_: object) -> None:
    """A worker gives a sign of life as soon as it is ready."""
    # Otherwise the site would report no worker until the first heartbeat is due.
    heartbeat.send_heartbeat()
