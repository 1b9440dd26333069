import asyncio
from typing import Any

import pytest

from reviews.provenance.detectors.concurrency import as_settled, running_tasks


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


async def test_what_ends_it_waits_for_nobody() -> None:
    async with running_tasks([after(1, "end"), after(10**6, "never")]) as tasks:
        assert await collected(list(tasks)) == ["end"]
    assert tasks[1].cancelled()


async def test_an_error_comes_last() -> None:
    results = as_settled(started((1, KeyError("x")), (9, "late")), ends=lambda _: False)
    assert await anext(results) == "late"
    with pytest.raises(KeyError):
        await anext(results)


async def test_an_error_is_forgotten_when_another_result_ends_it() -> None:
    assert await collected(started((1, KeyError("x")), (9, "end"))) == ["end"]


async def test_an_error_in_the_block_cancels_everything() -> None:
    with pytest.raises(KeyError):
        async with running_tasks([after(10**6, "never")]) as tasks:
            raise KeyError
    assert tasks[0].cancelled()
