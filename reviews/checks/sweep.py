"""Find what was lost and what is due. The broker is a hint; this is the promise."""

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

BATCH: Final = 1000
"""Rows a sweep touches at most of each kind; the next one goes on."""


@dataclass(frozen=True)
class Swept:
    """What one sweep did."""

    expired: int
    enqueued: int
    released: int


def sweep() -> Swept:
    """Expire what is due, enqueue unfinished checks nobody works on, release stale claims. Harmless to repeat."""
    return Swept(_expire_due(), _enqueue_lost(), claims.release_stale_claims())


def _expire_due() -> int:
    due = Action.objects.filter(status__in=OPEN, expires_at__lte=timezone.now()).order_by("expires_at")[:BATCH]
    return sum(outcomes.expire(action) for action in due)


def _enqueue_lost() -> int:
    checks, actions, plans = _lost_checks(), _unsettled(), _lost_plans()
    for check_id, mode in checks:
        broker.enqueue_check(check_id, mode)
    for action_id in actions:
        broker.enqueue("reviews.tasks.check_action", action_id)
    for plan_id in plans:
        broker.enqueue_plan(plan_id)
    return len(checks) + len(actions) + len(plans)


def _lost_checks() -> list[tuple[UUID, str]]:
    """What nobody works on: of enforced checks those whose action still waits for them, in shadow all."""
    kinds = [Check.objects.enforced().filter(action__status=Status.CHECKING)]
    # Shadows wait behind everything else: without a message of theirs being lost, most look so under load.
    if broker.nothing_waits():
        kinds.append(Check.objects.shadow())
    lost = (leases.unattended(checks) for checks in kinds)
    return [row for checks in lost for row in checks.order_by("created_at").values_list("pk", "mode")[:BATCH]]


def _lost_plans() -> list[UUID]:
    lost = leases.unattended(Plan.objects.all()).order_by("created_at")
    return list(lost.values_list("pk", flat=True)[:BATCH])


def _unsettled() -> list[UUID]:
    """Actions still `checking` although no enforced check is left to run."""
    fresh = timezone.now() - timedelta(seconds=settings.GUARD.sweep_seconds)
    left = Check.objects.enforced().unfinished().filter(action=OuterRef("pk"))
    waiting = Action.objects.filter(~Exists(left), status=Status.CHECKING, created_at__lte=fresh)
    return list(waiting.order_by("created_at").values_list("pk", flat=True)[:BATCH])
