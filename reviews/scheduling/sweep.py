"""Find what was lost and what is due. Messages may be lost; the sweep makes sure that everything is done in the end."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from reviews.models import Action, Check, CheckMode, Plan, Status
from reviews.records.transactions import is_away
from reviews.scheduling import broker, leases

_log = logging.getLogger(__name__)

# Bounds a sweep after an outage to a few seconds, so that the next one is not due before it ends.
BATCH: Final = 1000
"""Rows of each kind that a sweep touches at most; the next sweep goes on."""


@dataclass(frozen=True)
class Chore:
    """One kind of row that a sweep moves on."""

    counted_as: str
    rows: Callable[[], Iterable[Any]]
    """What is to be moved on, looked up when its turn comes."""
    act: Callable[[Any], bool | None]
    """Moves one row on, in a transaction of its own. Returns False where there was nothing left to do."""


def run_chores(chores: Iterable[Chore]) -> Counter[str]:
    """Do the chores, one after the other. Harmless to repeat.

    Returns how many rows were moved on, by what they are counted as. A row that fails is logged, counted as `failed`
    and skipped; the next sweep tries it again. Raises only what says that the database is away.
    """
    counts: Counter[str] = Counter(failed=0)
    for chore in chores:
        # So that a series stands where nothing was to do.
        counts[chore.counted_as] += 0
        for row in chore.rows():
            try:
                counts[chore.counted_as] += chore.act(row) is not False
            except Exception as error:
                # Every other row would fail the same way, each after the time-out for a connection.
                if is_away(error):
                    raise
                _log.exception("the sweep skips %s", getattr(row, "pk", row))
                counts["failed"] += 1
    return counts


def stalled_checks() -> list[UUID]:
    """Checks that a worker began and nobody works on."""
    return _oldest_keys(leases.stalled_rows(Check.objects.worth_running().filter(started_at__isnull=False)))


def stalled_plans() -> list[UUID]:
    """Plans that a worker began and nobody works on."""
    return _oldest_keys(leases.stalled_rows(Plan.objects.filter(started_at__isnull=False)))


def _oldest_keys(rows: QuerySet[Any]) -> list[UUID]:
    """The keys of a batch of these."""
    return list(rows.order_by("created_at").values_list("pk", flat=True)[:BATCH])


def stalled_modes() -> list[str]:
    """For each plan and check that nobody works on its mode; enforced ones only while their action waits for them."""
    if broker.has_enough_messages():
        return []
    plans = leases.stalled_rows(Plan.objects.all())[: broker.MAX_WAITING].count()
    kinds = [Check.objects.enforced().worth_running()]
    # Checks in shadow are served last, so that under load most look lost although their messages still wait.
    if broker.is_queue_empty():
        kinds.append(Check.objects.shadow())
    checks = (leases.stalled_rows(rows).values_list("mode", flat=True)[: broker.MAX_WAITING] for rows in kinds)
    return [CheckMode.ENFORCED] * plans + [mode for modes in checks for mode in modes]


def unsettled_actions() -> list[UUID]:
    """Actions that are still `checking` although no enforced check is left to run, oldest first."""
    # Younger ones are left alone: their worker is most likely just about to settle them.
    fresh = timezone.now() - timedelta(seconds=settings.GUARD.sweep_seconds)
    unfinished = Check.objects.enforced().unfinished().filter(action=OuterRef("pk"))
    return _oldest_keys(Action.objects.filter(~Exists(unfinished), status=Status.CHECKING, created_at__lte=fresh))
