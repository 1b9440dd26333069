"""Budgets that are taken in portions: asked for rarely, and exact in one process."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import time_machine
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from reviews.api.rate_limits import _Counts

ITEM = RateLimitItemPerMinute(1_000, namespace="submissions")


@pytest.fixture(autouse=True)
def _within_a_minute() -> Iterator[None]:
    """Counts in memory go by the clock's minutes: none ends within a test."""
    with time_machine.travel(datetime(2030, 1, 1, tzinfo=UTC)):
        yield


class Counted(SlidingWindowCounterRateLimiter):
    """Counts how often it is asked."""

    requests = 0

    def hit(self, item: object, *names: str, cost: int = 1) -> bool:
        self.requests += 1
        return super().hit(item, *names, cost=cost)  # type: ignore[arg-type]  # as it was given


def counts() -> tuple[_Counts, Counted]:
    shared = Counted(MemoryStorage())
    return _Counts(shared, SlidingWindowCounterRateLimiter(MemoryStorage())), shared


def test_a_whole_budget_may_be_spent_and_no_more() -> None:
    spending, _ = counts()
    assert [spending.spend_of_portion(ITEM, "key-a", 1) for _ in range(1_000)] == [0] * 1_000
    assert spending.spend_of_portion(ITEM, "key-a", 1) > 0


def test_a_portion_is_spent_without_asking() -> None:
    spending, shared = counts()
    for _ in range(100):
        spending.spend_of_portion(ITEM, "key-a", 1)
    assert shared.requests == 20


def test_a_portion_is_one_keys_alone() -> None:
    spending, shared = counts()
    for name in ("key-a", "key-b"):
        spending.spend_of_portion(ITEM, name, 1)
    assert shared.requests == 2


def test_what_is_left_of_a_budget_is_told_as_of_the_last_portion() -> None:
    spending, _ = counts()
    assert spending.recall_remaining(ITEM, "key-a") is None
    remaining = []
    for cost in (1, 3, 2, 600):
        spending.spend_of_portion(ITEM, "key-a", cost)
        remaining.append(spending.recall_remaining(ITEM, "key-a"))
    # A portion is 5: the third takes another, and the fourth is larger than any.
    assert remaining == [999, 996, 993, 393]


def test_what_is_left_of_a_portion_is_spent_after_a_larger_cost() -> None:
    spending, shared = counts()
    for cost in (1, 300, 4):
        assert spending.spend_of_portion(ITEM, "key-a", cost) == 0
    assert shared.requests == 2
