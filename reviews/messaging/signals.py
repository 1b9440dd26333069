"""Wake whoever waits for a decision. A lost message costs time and no answer: waiters read the database again."""

import logging
from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias
from uuid import UUID

import redis
from django.conf import settings
from django.db import transaction
from redis.backoff import NoBackoff
from redis.retry import Retry

_log = logging.getLogger(__name__)

CHANNEL: Final = "pgr:settled"
"""Carries the id of each action that left the open statuses, and of each plan that was answered.

Behind the id and a line break may stand what to answer (`carry_answers`).
"""
# Ten times a common answer. Every web process hears every message: a larger answer is read by those who wait for it.
MAX_CARRIED: Final = 64 * 1024
"""Bytes of an answer up to which it is published."""

Carried: TypeAlias = Callable[[UUID], bytes | None]
"""What to publish behind the id of a subject; None for nothing."""
_carried: Carried | None = None


def carry_answers(carried: Carried) -> None:
    """From now on messages of this process carry what this reads, so that whoever waits need not read it."""
    global _carried  # noqa: PLW0603 - one way to read in each process
    _carried = carried


def settled_on_commit(subject_id: UUID) -> None:
    """Tell waiting agents, once the transaction stands, that this action is settled, or this plan answered."""

    def publish() -> None:
        try:
            redis_client().publish(CHANNEL, _message_for(subject_id))
        except redis.RedisError:
            _log.warning("could not publish %s; waiters will read again", subject_id, exc_info=True)

    # On commit: whoever is woken earlier would read the old status and wait on.
    transaction.on_commit(publish, robust=True)


def _message_for(subject_id: UUID) -> bytes:
    name = str(subject_id).encode()
    try:
        carried = _carried(subject_id) if _carried else None
    except Exception:  # noqa: BLE001 - those who wait are woken whatever went wrong, and read for themselves
        _log.warning("could not read %s; waiters will", subject_id, exc_info=True)
        return name
    return name + b"\n" + carried if carried is not None and len(carried) <= MAX_CARRIED else name


@cache
def redis_client() -> redis.Redis:
    """The process's connection pool."""
    # Short time-outs, because these messages only save time: two seconds are far above a healthy answer, and a request
    # that settles an action waits no longer for a Redis that is stuck.
    # One more try at once, for a connection that a restart of Redis cut; the client's own three would take seconds.
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=1, retry=Retry(NoBackoff(), 1)
    )
