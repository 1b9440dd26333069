"""Run what a worker would fetch by its turn: one check or plan by its key."""

from typing import TypeVar
from uuid import UUID

import pytest
from celery import current_app
from django.conf import settings

from reviews.checks import plan_gate, routing, run
from reviews.models import Check, Examination
from reviews.scheduling import leases
from reviews.scheduling.attempts import JobKind

E = TypeVar("E", bound=Examination)


def run_attempt(kind: JobKind[E], pk: UUID) -> float | None:
    """Attempt this job, if it is due and nobody holds it. Returns the seconds until the next attempt, or None."""
    job = leases.fetch_job(kind, kind.all_rows().filter(pk=pk))
    if job is None:
        return None
    delay = job.carry_out()
    job.settle_outcome()
    return delay


def run_check(check_id: UUID) -> float | None:
    """Attempt this check, as long as its verdict can change anything."""
    if not Check.objects.worth_running().filter(pk=check_id).exists():
        return None
    return run_attempt(run.CHECKS, check_id)


def run_checks(action_id: UUID) -> float | None:
    """Attempt every unfinished check of the action. Returns the longest wait for a next attempt, or None."""
    routing.settle_action(action_id)
    checks = Check.objects.unfinished().filter(action=action_id).order_by("mode", "created_at", "id")
    delays = [run_check(pk) for pk in checks.values_list("pk", flat=True)]
    return max((delay for delay in delays if delay is not None), default=None)


def check_plan(plan_id: UUID) -> float | None:
    """Attempt the check of this plan."""
    return run_attempt(plan_gate.PLANS, plan_id)


@pytest.fixture
def empty_queue() -> None:
    """Nothing waits at the broker, whatever other tests of this process have left there.

    Behind a full queue nobody enqueues anything, and the server outlives the tests that have filled it.
    """
    with current_app.connection_or_acquire() as connection:
        connection.default_channel.queue_purge(settings.CELERY_TASK_ROUTES["reviews.tasks.run_due_jobs"]["queue"])
