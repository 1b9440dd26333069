"""Wake whoever waits for a decision. A lost message costs time, never an answer: waiters read again."""

import logging
from functools import cache
from uuid import UUID

import redis
from django.conf import settings
from django.db import transaction

_log = logging.getLogger(__name__)

CHANNEL = "pgr:settled"
"""Carries the id of each action that left the open statuses, and of each plan that was answered."""


def settled_on_commit(subject_id: UUID) -> None:
    """Tell waiting agents, once the transaction stands, that this action is settled, or this plan answered."""
    transaction.on_commit(lambda: _publish(str(subject_id)), robust=True)


def _publish(action_id: str) -> None:
    try:
        client().publish(CHANNEL, action_id)
    except redis.RedisError:
        _log.warning("could not publish %s; waiters will read again", action_id, exc_info=True)


@cache
def client() -> redis.Redis:
    """The process's connection pool, with short time-outs: nobody waits for a hint."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=1)
