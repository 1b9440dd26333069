"""The chores of a sweep, in their order."""

from collections import Counter
from collections.abc import Iterator
from functools import partial

from django.utils import timezone

from reviews.checks import plan_gate, run
from reviews.decisions import expiry_and_cancellation, holds
from reviews.messaging import events
from reviews.messaging.notifications import deliveries as notifications
from reviews.messaging.webhooks import deliveries
from reviews.models import OPEN, Action
from reviews.queue import review_claims
from reviews.scheduling import broker, leases, sweep
from reviews.scheduling.sweep import BATCH, Chore


def sweep_lost_and_due() -> Counter[str]:
    """Tell of held decisions, expire what is due, end overdue checks, enqueue lost work, release stale claims,
    have due webhooks sent, and old ones and old notifications forgotten.

    As `sweep.run_chores`.
    """
    return sweep.run_chores(_sweep_chores())


def _sweep_chores() -> Iterator[Chore]:
    # Before anything expires: they were decided in time.
    yield Chore("told", lambda: holds.due_decisions().values_list("pk", flat=True)[:BATCH], holds.release_decision)
    # One transaction each: a row that another transaction holds delays no other for longer than that. Only what it
    # takes: a column that cannot be read must not keep the action, or those behind it, from expiring.
    due = (
        Action.objects.only("pk", "is_test")
        .filter(status__in=OPEN, expires_at__lte=timezone.now())
        .order_by("expires_at")
    )
    yield Chore("expired", lambda: due[:BATCH], expiry_and_cancellation.expire_action)
    # Before the rest is enqueued: what has to end must not run again.
    yield Chore("stopped", sweep.stalled_checks, partial(leases.end_overdue, run.CHECKS))
    yield Chore("stopped", sweep.stalled_plans, partial(leases.end_overdue, plan_gate.PLANS))
    yield Chore("enqueued", sweep.stalled_modes, broker.enqueue_hint)
    yield Chore("enqueued", sweep.unsettled_actions, lambda pk: broker.enqueue_task(broker.SETTLE_ACTION, pk))
    stale = review_claims.stale_claims().values_list("pk", flat=True)
    yield Chore("released", lambda: stale[:BATCH], review_claims.release_stale_claim)
    yield Chore("enqueued", _webhook_tasks, broker.enqueue_task)
    yield Chore("deleted", lambda: deliveries.old_deliveries()[:BATCH], deliveries.delete_delivery)
    yield Chore("deleted", lambda: notifications.old_notifications()[:BATCH], notifications.delete_notification)
    yield Chore("deleted", events.forgotten_before, events.forget_events)


def _webhook_tasks() -> list[str]:
    return [broker.DELIVER_WEBHOOKS] if deliveries.has_due_deliveries() else []
