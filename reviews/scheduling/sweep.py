"""Find what was lost and what is due. Messages may be lost; the sweep makes sure that everything is done in the end."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypeVar
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from reviews.checks import plan_gate, run
from reviews.decisions import holds, outcomes
from reviews.models import OPEN, Action, Check, Plan, Status
from reviews.queue import claims
from reviews.records.transactions import is_away
from reviews.scheduling import broker, leases

T = TypeVar("T")
R = TypeVar("R")

_log = logging.getLogger(__name__)

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
    failed: int
    """Rows that were skipped because of an error; the next sweep tries them again."""
    told: int = 0
    """Decisions that were held, and that agents are told of now."""


def sweep() -> Swept:
    """Tell of held decisions, expire what is due, end overdue checks, enqueue lost work, release stale claims.

    Harmless to repeat. A row that fails is logged, counted and skipped. Raises only what says that the database is
    away.
    """
    # Only its key: a column that cannot be read must not keep the action, or those behind it, from expiring.
    due = Action.objects.only("pk").filter(status__in=OPEN, expires_at__lte=timezone.now()).order_by("expires_at")
    started_checks = leases.unattended(Check.objects.filter(run.WORTH_RUNNING, started_at__isnull=False))
    started_plans = leases.unattended(Plan.objects.filter(started_at__isnull=False))
    # Before anything expires: they were decided in time.
    told, untold = _each(holds.due().values_list("pk", flat=True)[:BATCH], holds.release)
    # One transaction each: a row that another transaction holds delays no other for longer than that.
    expired, unexpired = _each(due[:BATCH], outcomes.expire)
    # Before the rest is enqueued: what has to end must not run again.
    stopped_checks, running_checks = _each(_oldest(started_checks), run.give_up_overdue)
    stopped_plans, running_plans = _each(_oldest(started_plans), plan_gate.give_up_overdue)
    checks, unchecked = _each(_lost_checks(), lambda check: broker.enqueue_check(*check))
    actions, unsettled = _each(_unsettled(), lambda pk: broker.enqueue("reviews.tasks.check_action", pk))
    answered, unanswered = _each(_oldest(leases.unattended(Plan.objects.all())), broker.enqueue_plan)
    stale = claims.stale_claims().values_list("pk", flat=True)
    released, held = _each(stale[:BATCH], claims.release_stale_claim)
    return Swept(
        told=sum(told),
        expired=sum(expired),
        stopped=sum(stopped_checks) + sum(stopped_plans),
        enqueued=len(checks) + len(actions) + len(answered),
        released=sum(released),
        failed=untold + unexpired + running_checks + running_plans + unchecked + unsettled + unanswered + held,
    )


def tell(decision_id: UUID) -> bool:
    """Tell of one held decision, if it is due. Returns whether this call did it; harmless to repeat."""
    return holds.release(decision_id)


def _oldest(rows: QuerySet[Any]) -> list[UUID]:
    return list(rows.order_by("created_at").values_list("pk", flat=True)[:BATCH])


def _each(rows: Iterable[T], act: Callable[[T], R]) -> tuple[list[R], int]:
    """What the act returned for each row, and for how many it failed."""
    results, failed = [], 0
    for row in rows:
        try:
            results.append(act(row))
        except Exception as error:
            # Every other row would fail the same way, each after the time-out for a connection.
            if is_away(error):
                raise
            _log.exception("the sweep skips %s", getattr(row, "pk", row))
            failed += 1
    return results, failed


def _lost_checks() -> list[tuple[UUID, str]]:
    """Checks that nobody works on, as key and mode; enforced ones only while their action waits for them."""
    if broker.enough_waits():
        return []
    kinds = [Check.objects.enforced().filter(action__status=Status.CHECKING)]
    # Checks in shadow are served last, so that under load most look lost although their messages still wait.
    if broker.nothing_waits():
        kinds.append(Check.objects.shadow())
    lost = (leases.unattended(checks).order_by("created_at").values_list("pk", "mode") for checks in kinds)
    return [row for checks in lost for row in checks[: broker.MAX_WAITING]]


def _unsettled() -> list[UUID]:
    """Actions that are still `checking` although no enforced check is left to run, oldest first."""
    # Younger ones are left alone: their worker is most likely just about to settle them.
    fresh = timezone.now() - timedelta(seconds=settings.GUARD.sweep_seconds)
    left = Check.objects.enforced().unfinished().filter(action=OuterRef("pk"))
    waiting = Action.objects.filter(~Exists(left), status=Status.CHECKING, created_at__lte=fresh)
    return list(waiting.order_by("created_at").values_list("pk", flat=True)[:BATCH])
