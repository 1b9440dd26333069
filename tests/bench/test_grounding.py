"""How grounding's time grows with the history: doublings within one run, nothing absolute is asserted."""

import time

import pytest

from reviews.provenance.context import Case, Context, ProposedAction, Step
from reviews.provenance.grounding import ground_arguments

pytestmark = pytest.mark.bench

SIZES = (25_000, 50_000, 100_000, 200_000, 400_000, 800_000)
"""Characters of history."""


def _history(characters: int) -> str:
    rows = (
        f'{{"name": "Person {n}", "email": "p{n}@corp.test", "due": "2026-03-{n % 28 + 1:02}", "total": {n}}}'
        for n in range(characters)
    )
    written, size = [], 0
    for row in rows:
        written.append(row)
        size += len(row) + 2
        if size >= characters:
            break
    return f"[{', '.join(written)}]"


def _seconds(characters: int) -> float:
    values = [f"p{n}@corp.test" for n in range(10)] + [f"Unknown {n}" for n in range(5)] + list(range(7000, 7005))
    context = Context("Pay Person 3", history=(Step("list_people", {}, _history(characters)),))
    case = Case(context, ProposedAction("pay", {"v": values}))
    started = time.perf_counter()
    ground_arguments(case)
    return time.perf_counter() - started


def test_twenty_leaves_over_a_growing_history() -> None:
    taken = {size: min(_seconds(size) for _ in range(3)) for size in SIZES}
    for size, seconds in taken.items():
        print(f"{size / 1000:>6.0f} KB  {seconds * 1000:>8.1f} ms  {seconds / taken[SIZES[0]]:>6.1f} x")
    growth = taken[SIZES[-1]] / taken[SIZES[0]]
    assert growth < 2 * SIZES[-1] / SIZES[0], "twice as steep as the history would be worth a look"
