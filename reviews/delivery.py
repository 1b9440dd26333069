"""Wake whoever waits: agents for a decision, pages for a changed queue, workers for a check.

All of it is a hint. A lost message costs time, never an answer: waiters read the database again, and the sweep
enqueues what is unfinished.
"""

import logging
from functools import cache
from uuid import UUID

import redis
from celery import current_app
from django.conf import settings
from django.db import transaction

CHANNEL = "pgr:settled"
"""Carries the id of each action that left the open statuses."""

_log = logging.getLogger(__name__)


def settled_on_commit(action_id: UUID) -> None:
    """Tell waiting agents, once the transaction stands, that this action is settled."""
    transaction.on_commit(lambda: _publish(str(action_id)), robust=True)


def enqueue_check_on_commit(action_id: UUID) -> None:
    """Ask a worker, once the transaction stands, to check this action."""
    transaction.on_commit(lambda: enqueue_check(action_id), robust=True)


def enqueue_check(action_id: UUID, *, delay: float = 0) -> None:
    """Ask a worker to check this action, after `delay` seconds. A dead broker is logged, not raised."""
    try:
        current_app.send_task("reviews.tasks.check_action", args=[str(action_id)], countdown=delay or None)
    except Exception:  # noqa: BLE001 - kombu raises its transports' own errors, and none may refuse a submission
        _log.warning("broker unreachable; the sweep will enqueue %s", action_id, exc_info=True)


def _publish(action_id: str) -> None:
    try:
        client().publish(CHANNEL, action_id)
    except redis.RedisError:
        _log.warning("could not publish %s; waiters will read again", action_id, exc_info=True)


@cache
def client() -> redis.Redis:
    """The process's connection pool, with short time-outs: nobody waits for a hint."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=1)
