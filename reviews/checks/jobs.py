"""What the scheduler is given to do: its two kinds of jobs, and the chores of its sweep."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from django.utils import timezone

from reviews.checks import plan_gate, run
from reviews.decisions import holds, outcomes
from reviews.models import OPEN, Action, Plan
from reviews.queue import claims
from reviews.scheduling import broker, leases, sweep
from reviews.scheduling.fair_scheduler import FairScheduler
from reviews.scheduling.sweep import BATCH, Chore

SCHEDULER: Final = FairScheduler(checks=run.CHECKS, plans=plan_gate.PLANS)
"""Of this process."""


def sweep_lost_and_due() -> Counter[str]:
    """Tell of held decisions, expire what is due, end overdue checks, enqueue lost work, release stale claims.

    As `sweep.sweep`.
    """
    return sweep.sweep(_chores())


def _chores() -> Iterator[Chore]:
    # Before anything expires: they were decided in time.
    yield Chore("told", lambda: holds.due().values_list("pk", flat=True)[:BATCH], holds.release)
    # One transaction each: a row that another transaction holds delays no other for longer than that. Only its key: a
    # column that cannot be read must not keep the action, or those behind it, from expiring.
    due = Action.objects.only("pk").filter(status__in=OPEN, expires_at__lte=timezone.now()).order_by("expires_at")
    yield Chore("expired", lambda: due[:BATCH], outcomes.expire)
    # Before the rest is enqueued: what has to end must not run again.
    yield Chore("stopped", lambda: sweep.oldest(sweep.stalled_checks()), run.give_up_overdue)
    yield Chore("stopped", lambda: sweep.oldest(sweep.stalled_plans()), plan_gate.give_up_overdue)
    yield Chore("enqueued", sweep.lost_checks, lambda check: broker.enqueue_check(*check))
    yield Chore("enqueued", sweep.unsettled_actions, lambda pk: broker.enqueue("reviews.tasks.check_action", pk))
    yield Chore("enqueued", lambda: sweep.oldest(leases.stalled(Plan.objects.all())), broker.enqueue_plan)
    stale = claims.stale_claims().values_list("pk", flat=True)
    yield Chore("released", lambda: stale[:BATCH], claims.release_stale_claim)
