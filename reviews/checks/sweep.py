"""Find what was lost and what is due. Messages may be lost; the sweep makes sure that everything is done in the end."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils import timezone

from reviews.checks import leases
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
    enqueued: int
    released: int


def sweep() -> Swept:
    """Expire what is due, enqueue unfinished checks nobody works on, release stale claims. Harmless to repeat."""
    due = Action.objects.filter(status__in=OPEN, expires_at__lte=timezone.now()).order_by("expires_at")[:BATCH]
    # One transaction each: an action that another transaction holds delays no other for longer than that.
    expired = sum(outcomes.expire(action) for action in due)
    return Swept(expired, _enqueue_lost(), claims.release_stale_claims())


def _enqueue_lost() -> int:
    """Enqueue again what nobody works on. Returns how many messages that makes."""
    checks, actions = _lost_checks(), _unsettled()
    lost_plans = leases.unattended(Plan.objects.all()).order_by("created_at")
    plans = list(lost_plans.values_list("pk", flat=True)[:BATCH])
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
