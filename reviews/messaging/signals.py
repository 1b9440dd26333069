"""Wake whoever waits for a decision. A lost message costs time and no answer: waiters read the database again."""

import logging
from functools import cache
from uuid import UUID

import redis
from django.conf import settings
from django.db import transaction
from redis.backoff import NoBackoff
from redis.retry import Retry

_log = logging.getLogger(__name__)

CHANNEL = "pgr:settled"
"""Carries the id of each action that left the open statuses, and of each plan that was answered."""


def settled_on_commit(subject_id: UUID) -> None:
    """Tell waiting agents, once the transaction stands, that this action is settled, or this plan answered."""

    def publish() -> None:
        try:
            client().publish(CHANNEL, str(subject_id))
        except redis.RedisError:
            _log.warning("could not publish %s; waiters will read again", subject_id, exc_info=True)

    # On commit: whoever is woken earlier would read the old status and wait on.
    transaction.on_commit(publish, robust=True)


@cache
def client() -> redis.Redis:
    """The process's connection pool."""
    # Short time-outs, because these messages only save time: two seconds are far above a healthy answer, and a request
    # that settles an action waits no longer for a Redis that is stuck.
    # One more try at once, for a connection that a restart of Redis cut; the client's own three would take seconds.
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=1, retry=Retry(NoBackoff(), 1)
    )
