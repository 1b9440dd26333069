"""Find what was lost and what is due. The broker is a hint; this is the promise."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from reviews import decisions, delivery, reviewing
from reviews.models import OPEN, Action, CheckStatus, Status

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
    return Swept(_expire_due(), _enqueue_lost(), reviewing.release_stale_claims())


def _expire_due() -> int:
    due = Action.objects.filter(status__in=OPEN, expires_at__lte=timezone.now()).order_by("expires_at")[:BATCH]
    return sum(decisions.expire(action) for action in due)


def _enqueue_lost() -> int:
    """Actions still `checking` that no lease and no scheduled attempt explains."""
    now = timezone.now()
    fresh = now - timedelta(seconds=settings.GUARD.sweep_seconds)
    leased = Q(checks__status=CheckStatus.RUNNING, checks__leased_until__gt=now)
    scheduled = Q(checks__status=CheckStatus.QUEUED, checks__not_before__gt=now)
    lost = (
        Action.objects.filter(status=Status.CHECKING, created_at__lte=fresh)
        .exclude(pk__in=Action.objects.filter(leased | scheduled, status=Status.CHECKING).values("pk"))
        .order_by("created_at")
        .values_list("pk", flat=True)[:BATCH]
    )
    for action_id in lost:
        delivery.enqueue_check(action_id)
    return len(lost)
