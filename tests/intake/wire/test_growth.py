"""Reading a body takes time in proportion to its size, whatever is large about it."""

import gc
import time
from collections.abc import Iterator

import pytest

from tests.bodies import DIMENSIONS, read_body

STEEPEST = 2.3
"""Times as long for twice as much: linear work is 2, sorting and larger caches add a little, a square is 4."""
# Over several doublings, because what disturbs a single one may be as large as it.
DOUBLINGS = 3
# What disturbs a measurement only ever adds to it, so the best counts; most need no more than the first few.
ROUNDS = 12
MIN_ROUNDS = 3
# Seconds below which a measurement is noise.
FLOOR = 0.001


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    """When the collector runs, and what it looks through, depends on all that the process holds."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.bench
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_reading_a_body_twice_as_large_takes_twice_as_long(dimension: str) -> None:
    size, made = DIMENSIONS[dimension]
    bodies = made(2 * size >> DOUBLINGS), made(2 * size)
    small = large = growth = float("inf")
    for finished in range(1, ROUNDS + 1):
        small, large = min(small, seconds(bodies[0])), min(large, seconds(bodies[1]))
        growth = (large / max(small, FLOOR)) ** (1 / DOUBLINGS)
        if finished >= MIN_ROUNDS and growth < STEEPEST:
            break
    assert growth < STEEPEST, f"{small * 1000:.1f} ms became {large * 1000:.1f} ms"


def seconds(body: bytes) -> float:
    started = time.process_time()
    read_body(body)
    return time.process_time() - started
