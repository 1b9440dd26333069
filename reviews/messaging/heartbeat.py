"""Whether a worker lives: beat asks for a sign every few seconds, and a worker gives it."""

import time
from typing import Final

from reviews.messaging import signals

KEY: Final = "pgr:worker-heartbeat"
LIFETIME_SECONDS: Final = 30


def beat() -> None:
    """A worker's sign of life."""
    signals.client().set(KEY, str(time.time()), ex=LIFETIME_SECONDS)


def alive() -> bool:
    """Whether some worker gave a sign lately. Raises `redis.RedisError` when the broker cannot be asked."""
    return bool(signals.client().exists(KEY))
