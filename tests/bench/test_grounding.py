"""How the time and memory of grounding grow with the history: ratios within one run, nothing absolute is asserted."""

import gc
import statistics
import time
import tracemalloc
from collections.abc import Iterator

import pytest

from reviews.provenance.context import Case, Step
from reviews.provenance.grounding import ground_arguments
from tests.bench import histories

pytestmark = pytest.mark.bench

SIZES = (200_000, 800_000, 2_000_000, 5_000_000)
"""Characters of history."""
_REPEATS = (9, 5, 3, 2)
_STEEPNESS = 1.5
"""How much steeper than the history the time may grow."""
_MEMORY = {"table": 40}
"""Bytes at the peak for each character of history; 20 where nothing is said. A table has a field every dozen."""


@pytest.fixture(autouse=True)
def _only_what_is_measured_is_collected() -> Iterator[None]:
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("kind", histories.KINDS)
def test_time_grows_with_the_history(kind: str) -> None:
    taken = {size: _seconds(kind, size, repeats) for size, repeats in zip(SIZES, _REPEATS, strict=True)}
    for size, seconds in taken.items():
        print(f"{kind:>8} {size / 1000:>6.0f} KB  {seconds * 1000:>8.1f} ms  {seconds / taken[SIZES[0]]:>6.1f} x")
    assert taken[SIZES[-1]] / taken[SIZES[0]] < _STEEPNESS * SIZES[-1] / SIZES[0]


@pytest.mark.parametrize("kind", histories.KINDS)
def test_memory_is_a_small_multiple_of_the_history(kind: str) -> None:
    case = histories.case(kind, SIZES[1])
    tracemalloc.start()
    ground_arguments(case)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"{kind:>8} {peak / _characters(case):>6.1f} bytes for each character")
    assert peak < _MEMORY.get(kind, 20) * _characters(case)


def _seconds(kind: str, characters: int, repeats: int) -> float:
    """The median of cold groundings: nothing read before is kept."""
    return statistics.median(_once(histories.case(kind, characters)) for _ in range(repeats))


def _once(case: Case) -> float:
    gc.collect()
    started = time.process_time()
    ground_arguments(case)
    return time.process_time() - started


def _characters(case: Case) -> int:
    return sum(len(step.outcome or "") for step in case.context.history if isinstance(step, Step))
