"""Find what was lost and what is due. Messages may be lost; the sweep makes sure that everything is done in the end."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from reviews.checks import leases, plan_gate, run
from reviews.decisions import outcomes
from reviews.messaging import broker
from reviews.models import OPEN, Action, Check, Plan, Status
from reviews.queue import claims

# Bounds a sweep after an outage to a few seconds, so that the next one is not due before it ends.
BATCH: Final = 1000
"""Rows of each kind that a sweep touches at most; the next sweep goes on."""


@dataclass(frozen=True)
class Swept:
    """What one sweep did."""

    expired: int
    stopped: int
    """Checks and plans whose time was over, or that had been killed too often."""
    enqueued: int
    released: int


def sweep() -> Swept:
    """Expire what is due, end overdue checks, enqueue those nobody works on, release stale claims.

    Harmless to repeat.
    """
    due = Action.objects.filter(status__in=OPEN, expires_at__lte=timezone.now()).order_by("expires_at")[:BATCH]
    # One transaction each: an action that another transaction holds delays no other for longer than that.
    expired = sum(outcomes.expire(action) for action in due)
    # Before the rest is enqueued: what has to end must not run again.
    stopped = _stop_overdue()
    return Swept(expired, stopped, _enqueue_lost(), claims.release_stale_claims())


def _stop_overdue() -> int:
    """End started checks and plans that must not run again. Returns how many that were."""
    checks = leases.unattended(Check.objects.filter(run.WORTH_RUNNING, started_at__isnull=False))
    plans = leases.unattended(Plan.objects.filter(started_at__isnull=False))
    # Each in transactions of its own: one that another worker holds delays no other.
    stopped = sum(run.give_up_overdue(pk) for pk in _oldest(checks))
    return stopped + sum(plan_gate.give_up_overdue(pk) for pk in _oldest(plans))


def _oldest(rows: QuerySet[Any]) -> list[UUID]:
    return list(rows.order_by("created_at").values_list("pk", flat=True)[:BATCH])


def _enqueue_lost() -> int:
    """Enqueue again what nobody works on. Returns how many messages that makes."""
    checks, actions = _lost_checks(), _unsettled()
    plans = _oldest(leases.unattended(Plan.objects.all()))
    for check_id, mode in checks:
        broker.enqueue_check(check_id, mode)
    for action_id in actions:
        broker.enqueue("reviews.tasks.check_action", action_id)
    for plan_id in plans:
        broker.enqueue_plan(plan_id)
    return len(checks) + len(actions) + len(plans)


def _lost_checks() -> list[tuple[UUID, str]]:
    """Checks that nobody works on, as key and mode; enforced ones only while their action waits for them."""
    kinds = [Check.objects.enforced().filter(action__status=Status.CHECKING)]
    # Checks in shadow are served last, so that under load most look lost although their messages still wait.
    if broker.nothing_waits():
        kinds.append(Check.objects.shadow())
    lost = (leases.unattended(checks) for checks in kinds)
    return [row for checks in lost for row in checks.order_by("created_at").values_list("pk", "mode")[:BATCH]]


def _unsettled() -> list[UUID]:
    """Actions that are still `checking` although no enforced check is left to run, oldest first."""
    # Younger ones are left alone: their worker is most likely just about to settle them.
    fresh = timezone.now() - timedelta(seconds=settings.GUARD.sweep_seconds)
    left = Check.objects.enforced().unfinished().filter(action=OuterRef("pk"))
    waiting = Action.objects.filter(~Exists(left), status=Status.CHECKING, created_at__lte=fresh)
    return list(waiting.order_by("created_at").values_list("pk", flat=True)[:BATCH])
