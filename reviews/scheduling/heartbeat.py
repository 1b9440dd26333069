"""Whether a worker lives. Celery beat enqueues a heartbeat every five seconds, and some worker writes it down."""

import time
from typing import Final

from reviews.messaging import signals

KEY: Final = "pgr:worker-heartbeat"
# Six heartbeats: a busy worker that misses a few is not reported as dead.
LIFETIME_SECONDS: Final = 30


def send_heartbeat() -> None:
    """Write a worker's sign of life. Raises `redis.RedisError`."""
    signals.redis_client().set(KEY, str(time.time()), ex=LIFETIME_SECONDS)


def is_worker_alive() -> bool:
    """Whether some worker gave a sign lately. Raises `redis.RedisError` when the broker cannot be asked."""
    return bool(signals.redis_client().exists(KEY))
