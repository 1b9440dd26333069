"""Whether checks move: what an operator is told."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Min, Q
from django.db.models.functions import Greatest
from django.utils import timezone

from reviews.models import Check, CheckStatus, Plan
from reviews.scheduling import leases


@dataclass(frozen=True)
class Progress:
    """How long checks wait, and how many had to be stopped."""

    oldest_waiting_seconds: float
    """Since the enforced check or plan that waits longest could have begun; 0 while none waits."""
    killed_last_hour: int
    """Checks and plans that ended in the last hour and whose process had been killed at least once."""


def is_stalled() -> bool:
    """Whether enforced checks or plans have waited for too long, and nothing has begun meanwhile.

    Under load checks wait, too, but then others keep beginning; where none does, the processes for checks are stuck.
    """
    longest: float = settings.GUARD.check_stall_seconds
    if measure_progress().oldest_waiting_seconds <= longest:
        return False
    # Among the unfinished: whoever is at work has one in hand, and those are found by a small index.
    lately = Q(started_at__gt=timezone.now() - timedelta(seconds=longest))
    begun = (Check.objects.unfinished(), Plan.objects.exclude(status=CheckStatus.DONE))
    return not any(rows.filter(lately).exists() for rows in begun)


def measure_progress() -> Progress:
    """The present figures, from a few indexed queries."""
    now = timezone.now()
    enforced = Check.objects.enforced().worth_running()
    waiting = [leases.due_rows(enforced), leases.due_rows(Plan.objects.all())]
    # One that was given back waits since its delay was over.
    since = [rows.aggregate(since=Min(Greatest("created_at", "not_before")))["since"] for rows in waiting]
    oldest = min((moment for moment in since if moment), default=now)
    lately = Q(killed__gt=0, finished_at__gt=now - timedelta(hours=1))
    killed = sum(model.objects.filter(lately).count() for model in (Check, Plan))
    return Progress(round((now - oldest).total_seconds(), 1), killed)
