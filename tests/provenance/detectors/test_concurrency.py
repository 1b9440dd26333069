import asyncio
from typing import Any

import pytest

from reviews.provenance.detectors.concurrency import as_settled


async def after(turns: int, value: Any) -> Any:
    """The value, or the error raised, once the loop has turned so often."""
    for _ in range(turns):
        await asyncio.sleep(0)
    if isinstance(value, Exception):
        raise value
    return value


def started(*each: tuple[int, Any]) -> list[asyncio.Task[Any]]:
    return [asyncio.create_task(after(turns, value)) for turns, value in each]


async def collected(tasks: list[asyncio.Task[Any]], end: Any = "end") -> list[Any]:
    return [value async for value in as_settled(tasks, ends=lambda value: value == end)]


async def test_results_come_as_they_are_settled() -> None:
    assert await collected(started((9, "late"), (1, "early"))) == ["early", "late"]


async def test_those_that_come_together_keep_their_order() -> None:
    assert await collected(started((1, "a"), (1, "b"), (1, "c"))) == ["a", "b", "c"]


async def test_what_ends_it_cancels_the_rest() -> None:
    tasks = started((1, "end"), (10**6, "never"))
    assert await collected(tasks) == ["end"]
    assert tasks[1].cancelled()


async def test_an_error_comes_last() -> None:
    running = as_settled(started((1, KeyError("x")), (9, "late")), ends=lambda _: False)
    assert await anext(running) == "late"
    with pytest.raises(KeyError):
        await anext(running)


async def test_an_error_is_forgotten_when_another_result_ends_it() -> None:
    assert await collected(started((1, KeyError("x")), (9, "end"))) == ["end"]


async def test_a_listener_who_leaves_cancels_everything() -> None:
    tasks = started((1, "a"), (10**6, "never"))
    running = as_settled(tasks, ends=lambda _: False)
    await anext(running)
    await running.aclose()
    assert tasks[1].cancelled()
