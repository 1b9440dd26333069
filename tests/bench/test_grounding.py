"""How the time and memory of grounding grow with the history: ratios within one run, nothing absolute is asserted."""

import gc
import json
import random
import statistics
import time
import tracemalloc
from collections.abc import Iterator

import pytest

from reviews.provenance.argument_grounding import ground_arguments
from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, Step
from tests.bench import histories
from tests.bench.report import note

pytestmark = pytest.mark.bench

SIZES = (200_000, 800_000, 2_000_000, 5_000_000)
"""Characters of history."""
_REPEATS = (5, 3, 2, 1)
_MIN_CHARACTERS = 20_000
_STEEPNESS = 1.5
"""How much steeper than the history the time may grow."""
_MEMORY = 24
"""Bytes at the peak for each character of history; a table, with a field every dozen characters, takes the most."""
_ROWS = (250, 2000)


@pytest.fixture(autouse=True)
def _only_what_is_measured_is_collected() -> Iterator[None]:
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("kind", histories.KINDS)
def test_time_grows_with_the_history(kind: str) -> None:
    taken = {size: _seconds(kind, size, repeats) for size, repeats in zip(SIZES, _REPEATS, strict=True)}
    again = statistics.median(_taken(histories.case(kind, SIZES[0])) for _ in range(_REPEATS[0]))
    note(f"{kind:>8} {SIZES[0] / 1000:>6.0f} KB  {again * 1000:>8.1f} ms where its sources have been read before")
    for size, seconds in taken.items():
        note(f"{kind:>8} {size / 1000:>6.0f} KB  {seconds * 1000:>8.1f} ms  {seconds / taken[SIZES[0]]:>6.1f} x")
    assert taken[SIZES[-1]] / taken[SIZES[0]] < _STEEPNESS * SIZES[-1] / SIZES[0]


@pytest.mark.parametrize("kind", histories.KINDS)
def test_memory_is_a_small_multiple_of_the_history(kind: str) -> None:
    case = histories.case(kind, SIZES[1])
    tracemalloc.start()
    ground_arguments(case)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    note(f"{kind:>8} {peak / _characters(case):>6.1f} bytes for each character")
    assert peak < _MEMORY * _characters(case)


@pytest.mark.parametrize("query", ["Book these.", "Book the sum and the average, split evenly by 4, minus 15%."])
def test_many_numbers_over_many_rows_take_time_in_proportion_to_both(query: str) -> None:
    few, many = (min(_taken(_of_numbers(rows, query)) for _ in range(3)) for rows in _ROWS)
    note(f"{_ROWS[-1]} numbers over as many rows  {many * 1000:>8.1f} ms  {many / few:>6.1f} x")
    assert many / few < 2 * _ROWS[-1] / _ROWS[0]


def _of_numbers(rows: int, query: str) -> Case:
    """As many numbers as a list has rows, half of them from it."""
    dice = random.Random(rows)
    listed = [{"id": f"R{n:05}", "qty": dice.randrange(500), "total": dice.randrange(10**6) / 100} for n in range(rows)]
    amounts: list[JsonValue] = [dice.choice(listed)["total"] if n % 2 else dice.random() * 10**6 for n in range(rows)]
    context = Context(query, history=(Step("list_rows", {}, json.dumps(listed)),))
    return Case(context, ProposedAction("book", {"amounts": amounts}))


def _seconds(kind: str, characters: int, repeats: int) -> float:
    """The median of groundings, each over sources that have never been read."""
    # The first reads what the process keeps: names of months and units.
    _taken(histories.case(kind, _MIN_CHARACTERS))
    editions = range(1, repeats + 1)
    return statistics.median(_taken(histories.case(kind, characters, edition=edition)) for edition in editions)


def _taken(case: Case) -> float:
    gc.collect()
    started = time.process_time()
    ground_arguments(case)
    return time.process_time() - started


def _characters(case: Case) -> int:
    return sum(len(step.outcome or "") for step in case.context.history if isinstance(step, Step))
