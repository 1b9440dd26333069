"""Celery tasks. They take ids, may be delivered twice, and leave the work to the use cases."""

from uuid import UUID

from celery import shared_task
from celery.signals import worker_ready

from reviews.checks import plan_gate, run, sweep
from reviews.messaging import broker, heartbeat


# Names are written out: messages on the wire carry them, and the settings route by them. A task that moves to another
# module must not orphan what an older process has enqueued.
@shared_task(name="reviews.tasks.check_action")
def check_action(action_id: str) -> None:
    """Settle one action for which there is nothing to run; what was left to run is run."""
    # Enqueued anew with a delay instead of retried by Celery: a worker that waits, or dies waiting, would hold it.
    delay = run.check(UUID(action_id))
    if delay is not None:
        broker.enqueue("reviews.tasks.check_action", action_id, delay=delay)


@shared_task(name="reviews.tasks.run_check")
def run_check(check_id: str, mode: str) -> None:
    """Run one check; after judge trouble, ask for the next attempt when it is due."""
    delay = run.run(UUID(check_id))
    if delay is not None:
        broker.enqueue_check(UUID(check_id), mode, delay=delay)


@shared_task(name=broker.CHECK_PLAN)
def check_plan(plan_id: str) -> None:
    """Check one plan; after judge trouble, ask for the next attempt when it is due."""
    delay = plan_gate.check(UUID(plan_id))
    if delay is not None:
        broker.enqueue_plan(UUID(plan_id), delay=delay)


@shared_task(name="reviews.tasks.sweep")
def sweep_lost_and_due() -> None:
    """Find what was lost and what is due."""
    sweep.sweep()


@shared_task(name="reviews.tasks.heartbeat")
def beat() -> None:
    """Show that a worker lives."""
    heartbeat.beat()


# Otherwise the site would be unready until beat comes by for the first time.
@worker_ready.connect
def announce(**_: object) -> None:
    """A worker gives a sign of life as soon as it is ready."""
    # Otherwise the site would report no worker until the first heartbeat is due.
    heartbeat.beat()
