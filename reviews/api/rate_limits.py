"""How much an agent key, and a workspace as a whole, may submit in a minute.

Submitting costs checks, and whoever submits without end makes everybody wait. Reading is not counted. The counts are
kept in Redis, for all processes together, which take small portions of a budget at a time; while it is away each
process counts for itself, and nobody is refused for an outage.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from threading import Lock
from typing import Final
from uuid import UUID

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
# What is left of a portion after so long was counted in a minute that is over.
_WINDOW_SECONDS: Final = 60
# Keys and workspaces whose portions are kept; beyond them all are let go, which costs at most a portion of each.
_MAX_PORTIONS: Final = 10_000
# A hundred values take about as long to trace as the text of a kilobyte.
_VALUES_OF_A_KILOBYTE: Final = 100


@dataclass(frozen=True)
class _Budget:
    """What one key, or one workspace, may spend of one unit in a minute."""

    unit: str
    whose: str
    """`key` or `workspace`."""
    holder: UUID
    limit: int

    @property
    def name(self) -> str:
        """The name of its policy, as in the configuration."""
        return f"{self.unit}-per-{self.whose}"

    @cached_property
    def item(self) -> RateLimitItem:
        """The budget as the counters know it."""
        return RateLimitItemPerMinute(self.limit, namespace=self.unit)

    @cached_property
    def counter(self) -> str:
        """What tells its counter from those of other keys and workspaces."""
        return f"{self.whose}-{self.holder}"

    @cached_property
    def policy(self) -> str:
        """The budget as an item of `RateLimit-Policy`."""
        # Requests are what that header counts unless it says otherwise.
        unit = "" if self.unit == "submissions" else f';qu="{self.unit}"'
        return f'"{self.name}";q={self.limit};w={_WINDOW_SECONDS}{unit}'


@dataclass(slots=True)
class _Portion:
    """What a process has taken of a budget to spend without asking; changed under the lock of the counts."""

    unspent: int
    until: float
    """On the monotonic clock."""
    left_behind: int = 0
    """What was left of the budget for everybody when it was last asked for."""


@dataclass
class _Counts:
    """Counts in Redis, and those of this process for while it is away."""

    shared: RateLimiter
    local: RateLimiter
    away_until: float = 0.0
    """On the monotonic clock."""
    portions: dict[str, _Portion] = field(default_factory=dict)
    """What this process has taken of each budget last."""
    lock: Lock = field(default_factory=Lock)

    def spend_of_portion(self, item: RateLimitItem, name: str, cost: int) -> int:
        """As `spend`, asking for a portion of the budget when what is left of the last one does not suffice."""
        now, key = time.monotonic(), _portion_key(item, name)
        with self.lock:
            portion = self.portions.get(key)
            if portion and cost <= portion.unspent and now < portion.until:
                portion.unspent -= cost
                return 0
        size = max(cost, item.amount // _PORTION)
        if size > cost and not self.spend(item, name, size):
            self._keep_portion(item, name, _Portion(size - cost, now + _WINDOW_SECONDS))
            return 0
        seconds = self.spend(item, name, cost)
        if not seconds:
            self._keep_portion(item, name)
        return seconds

    def spend(self, item: RateLimitItem, name: str, cost: int) -> int:
        """Seconds after which this much may be spent; 0 when it was spent now."""
        return self._ask(lambda limiter: _hit_limiter(limiter, item, name, cost))

    def count_remaining(self, item: RateLimitItem, name: str) -> int:
        """What nobody has taken of the budget."""
        return self._ask(lambda limiter: limiter.get_window_stats(item, name).remaining)

    def recall_remaining(self, item: RateLimitItem, name: str) -> int | None:
        """What is left of the budget, by what this process learned when it took its last portion; None before."""
        portion = self.portions.get(_portion_key(item, name))
        return None if portion is None else portion.unspent + portion.left_behind

    def _keep_portion(self, item: RateLimitItem, name: str, taken_now: _Portion | None = None) -> None:
        """Note what is left of the budget now, beside the portion taken now or before."""
        key, left_behind = _portion_key(item, name), self.count_remaining(item, name)
        with self.lock:
            portion = taken_now or self.portions.get(key, _Portion(0, 0.0))
            if len(self.portions) >= _MAX_PORTIONS:
                self.portions.clear()
            portion.left_behind = left_behind
            self.portions[key] = portion

    def _ask(self, question: Callable[[RateLimiter], int]) -> int:
        """The answer of the counts in Redis, or of this process's own while it is away."""
        if time.monotonic() >= self.away_until:
            try:
                return question(self.shared)
            except StorageError:
                self.away_until = time.monotonic() + _AWAY_SECONDS
        return question(self.local)


def spend_submission(agent_key: AgentKey) -> None:
    """Count one submission. Raises `BudgetExceededError`."""
    _spend(agent_key, "submissions", 1)


def spend_content(agent_key: AgentKey, body: JsonValue) -> None:
    """Count what a submission says, which decides what its checks cost. Raises `BudgetExceededError`."""
    _spend(agent_key, "kilobytes", count_kilobytes(body))


def rate_limit_headers(agent_key: AgentKey) -> dict[str, str]:
    """`RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers): what is left of which budget."""
    budgets, counts = _budgets_of(agent_key), _shared_counts()
    remaining = [(budget.name, counts.recall_remaining(budget.item, budget.counter)) for budget in budgets]
    items = [f'"{name}";r={count}' for name, count in remaining if count is not None]
    return {"RateLimit-Policy": _list_policies(budgets), **({"RateLimit": ", ".join(items)} if items else {})}


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


def _budgets_of(agent_key: AgentKey) -> tuple[_Budget, ...]:
    guard = settings.GUARD
    submissions = (guard.submissions_per_key, guard.submissions_per_workspace)
    kilobytes = (guard.kilobytes_per_key, guard.kilobytes_per_workspace)
    return _make_budgets(agent_key.pk, agent_key.workspace_id, submissions, kilobytes)


# Each submission needs them three times.
@lru_cache(maxsize=_MAX_PORTIONS)
def _make_budgets(
    key: UUID, workspace: UUID, submissions: tuple[int, int], kilobytes: tuple[int, int]
) -> tuple[_Budget, ...]:
    """The budgets of a key and of its workspace, by their limits in this order."""
    return (
        _Budget("submissions", "key", key, submissions[0]),
        _Budget("submissions", "workspace", workspace, submissions[1]),
        _Budget("kilobytes", "key", key, kilobytes[0]),
        _Budget("kilobytes", "workspace", workspace, kilobytes[1]),
    )


def _spend(agent_key: AgentKey, unit: str, cost: int) -> None:
    """Spend so much of both budgets of this unit. Raises `BudgetExceededError`."""
    budgets, counts = _budgets_of(agent_key), _shared_counts()
    for budget in (budget for budget in budgets if budget.unit == unit):
        # A submission that is larger than a minute's budget waits for a whole one instead of for ever.
        seconds = counts.spend_of_portion(budget.item, budget.counter, min(cost, budget.limit))
        if seconds:
            # Not always nothing: less than this submission takes.
            remaining = counts.count_remaining(budget.item, budget.counter)
            exhausted = f'"{budget.name}";r={remaining};t={seconds}'
            headers = {"RateLimit-Policy": _list_policies(budgets), "RateLimit": exhausted}
            raise BudgetExceededError(f"{budget.limit} {unit} a minute of this {budget.whose}", seconds, headers)


def _list_policies(budgets: tuple[_Budget, ...]) -> str:
    return ", ".join(budget.policy for budget in budgets)


def _portion_key(item: RateLimitItem, name: str) -> str:
    return f"{item.namespace}-{item.amount}-{name}"


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
