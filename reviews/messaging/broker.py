"""Hand work to the workers. A lost message costs time and no work: the sweep enqueues again what nobody has begun."""

import logging
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from celery import current_app
from django.conf import settings
from django.db import transaction

from reviews.messaging import metrics
from reviews.models import Check, CheckMode

# With Redis, Celery serves 0 first, where everything else is, and 9 last: a check in shadow begins when no other waits.
SHADOW_PRIORITY: Final = 9
"""Priority of the messages of checks in shadow."""

# A worker's process ends itself at the deadline of the check it has taken, which is known only then. This is for a
# process that could not: above the longest deadline that a profile may set, for an action with several checks.
TASK_SECONDS: Final = 1800
"""After which a worker kills the process of a task."""

CHECK_PLAN: Final = "reviews.tasks.check_plan"
_CHECKS: Final[str] = settings.CELERY_TASK_ROUTES["reviews.tasks.run_check"]["queue"]
_log = logging.getLogger(__name__)


def enqueue_on_commit(action_id: UUID, checks: Sequence[Check]) -> None:
    """Ask workers, once the transaction stands, to run these checks of the action; without any, to settle it."""

    def enqueue_all() -> bool:
        if not checks:
            return enqueue("reviews.tasks.check_action", action_id)
        # Stops at the first that fails: each attempt to reach a broker that is away takes its time.
        return all(enqueue_check(check.pk, check.mode) for check in checks)

    # On commit, because a worker may be faster than the transaction and would not find the rows. Robust, because the
    # submission stands by then and must not end in an error.
    transaction.on_commit(enqueue_all, robust=True)


def enqueue_check(check_id: UUID, mode: str, *, delay: float = 0) -> bool:
    """Ask a worker to run this check of this mode, after `delay` seconds. Returns whether the broker took it."""
    priority = SHADOW_PRIORITY if mode == CheckMode.SHADOW else 0
    return enqueue("reviews.tasks.run_check", check_id, mode, delay=delay, priority=priority)


def enqueue_plan(plan_id: UUID, *, delay: float = 0) -> None:
    """Ask a worker to check this plan, after `delay` seconds."""
    enqueue(CHECK_PLAN, plan_id, delay=delay)


def enqueue(task: str, *args: UUID | str, delay: float = 0, priority: int = 0) -> bool:
    """Ask a worker for a task of this name, after `delay` seconds. Returns whether the broker took it.

    A broker that is away is logged, not raised.
    """
    try:
        current_app.send_task(
            task,
            args=[str(argument) for argument in args],
            countdown=delay or None,
            priority=priority,
            time_limit=TASK_SECONDS,
        )
    except Exception:  # noqa: BLE001 - kombu raises its transports' own errors, and none may refuse a submission
        metrics.MESSAGES_LOST.inc()
        _log.warning("broker unreachable; the sweep will enqueue %s", args[0], exc_info=True)
        return False
    return True


def nothing_waits() -> bool:
    """Whether no check is left at the broker for a worker to begin; False too while the broker is away."""
    try:
        # Declaring a queue that exists is the broker's way to report its length, over all priorities.
        with current_app.connection_or_acquire() as connection:
            waiting: int = connection.default_channel.queue_declare(_CHECKS).message_count
    except Exception:  # noqa: BLE001 - kombu raises its transports' own errors
        _log.warning("broker unreachable; the length of the queue is unknown", exc_info=True)
        return False
    return waiting == 0
