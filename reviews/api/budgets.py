"""How much an agent key, and a workspace as a whole, may submit in a minute.

Submitting costs checks, and whoever submits without end makes everybody wait. Reading is not counted. The counts are
kept in Redis, for all processes together, which take small portions of a budget at a time; while it is away each
process counts for itself, and nobody is refused for an outage.
"""

import math
import time
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import Final

from django.conf import settings
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import RateLimiter, SlidingWindowCounterRateLimiter

from reviews.errors import BudgetExceededError
from reviews.models import AgentKey
from reviews.provenance.core.context import JsonValue

# Every submission waits for the counts: Redis answers in well under a millisecond, or is in trouble.
_REDIS_SECONDS: Final = 0.5
# While Redis is away, how long nobody asks it: not every submission shall wait for the time-out above.
_AWAY_SECONDS: Final = 5.0
# A process takes this part of a budget at a time and spends it without asking: the larger it were, the more could be
# spent beyond the budget, by each process once a minute, and the smaller, the more often Redis is asked.
_PORTION: Final = 200
# For as long as the budgets count: what is left of a portion afterwards was counted in a minute that is over.
_PORTION_SECONDS: Final = 60.0
# Keys and workspaces whose portions are kept; beyond them all are let go, which costs at most a portion of each.
_MAX_PORTIONS: Final = 10_000
# A hundred values take about as long to trace as the text of a kilobyte.
_VALUES_OF_A_KILOBYTE: Final = 100


@dataclass
class _Counts:
    """Counts in Redis, and those of this process for while it is away."""

    shared: RateLimiter
    local: RateLimiter
    away_until: float = 0.0
    """On the monotonic clock."""
    portions: dict[str, tuple[int, float]] = field(default_factory=dict)
    """What this process has taken of each budget and not spent, and until when it may."""
    lock: Lock = field(default_factory=Lock)

    def spend_of_portion(self, item: RateLimitItem, name: str, cost: int) -> int:
        """As `spend`, asking for a portion of the budget when what is left of the last one does not suffice."""
        now, key = time.monotonic(), f"{item.namespace}-{item.amount}-{name}"
        with self.lock:
            remaining, until = self.portions.get(key, (0, 0.0))
            if cost <= remaining and now < until:
                self.portions[key] = (remaining - cost, until)
                return 0
        portion = max(cost, item.amount // _PORTION)
        if portion > cost and not self.spend(item, name, portion):
            with self.lock:
                if len(self.portions) >= _MAX_PORTIONS:
                    self.portions.clear()
                self.portions[key] = (portion - cost, now + _PORTION_SECONDS)
            return 0
        return self.spend(item, name, cost)

    def spend(self, item: RateLimitItem, name: str, cost: int) -> int:
        """Seconds after which this much may be spent; 0 when it was spent now."""
        if time.monotonic() >= self.away_until:
            try:
                return _hit_limiter(self.shared, item, name, cost)
            except StorageError:
                self.away_until = time.monotonic() + _AWAY_SECONDS
        return _hit_limiter(self.local, item, name, cost)


def spend_submission(agent_key: AgentKey) -> None:
    """Count one submission. Raises `BudgetExceededError`."""
    guard = settings.GUARD
    _spend_both(agent_key, "submissions", 1, guard.submissions_per_key, guard.submissions_per_workspace)


def spend_content(agent_key: AgentKey, body: JsonValue) -> None:
    """Count what a submission says, which decides what its checks cost. Raises `BudgetExceededError`."""
    guard = settings.GUARD
    _spend_both(agent_key, "kilobytes", count_kilobytes(body), guard.kilobytes_per_key, guard.kilobytes_per_workspace)


def count_kilobytes(body: JsonValue) -> int:
    """Kilobytes of text in a body, and one more for every hundred values; at least 1."""
    characters, values, waiting = 0, 0, [body]
    while waiting:
        part = waiting.pop()
        values += 1
        if isinstance(part, str):
            characters += len(part)
        elif isinstance(part, dict):
            characters += sum(map(len, part))
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return max(characters // 1024 + values // _VALUES_OF_A_KILOBYTE, 1)


def _spend_both(agent_key: AgentKey, unit: str, cost: int, of_key: int, of_workspace: int) -> None:
    for whose, pk, limit in (("key", agent_key.pk, of_key), ("workspace", agent_key.workspace_id, of_workspace)):
        # A submission that is larger than a minute's budget waits for a whole one instead of for ever.
        seconds = _shared_counts().spend_of_portion(
            RateLimitItemPerMinute(limit, namespace=unit), f"{whose}-{pk}", min(cost, limit)
        )
        if seconds:
            raise BudgetExceededError(f"{limit} {unit} a minute of this {whose}", seconds)


def _hit_limiter(limiter: RateLimiter, item: RateLimitItem, name: str, cost: int) -> int:
    if limiter.hit(item, name, cost=cost):
        return 0
    # Rounded up: who comes back earlier would be refused again.
    return max(math.ceil(limiter.get_window_stats(item, name).reset_time - time.time()), 1)


@cache
def _shared_counts() -> _Counts:
    redis = RedisStorage(
        settings.REDIS_URL,
        wrap_exceptions=True,
        socket_timeout=_REDIS_SECONDS,
        socket_connect_timeout=_REDIS_SECONDS,
    )
    return _Counts(SlidingWindowCounterRateLimiter(redis), SlidingWindowCounterRateLimiter(MemoryStorage()))
