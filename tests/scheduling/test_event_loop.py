"""What comes of a generator on the judges' loop, for a thread that has other things to do meanwhile."""

import asyncio
from collections.abc import AsyncGenerator

from reviews.scheduling import event_loop
from reviews.scheduling.event_loop import StageStream


async def late(*items: int, gap: float = 0, error: Exception | None = None) -> AsyncGenerator[int, None]:
    """The items, the first of them after longer than what comes together may take."""
    await asyncio.sleep(0.5)
    for item in items:
        yield item
        await asyncio.sleep(gap)
    if error:
        raise error


def test_what_comes_soon_behind_the_first_is_handed_over_with_it_however_long_that_took() -> None:
    following = StageStream(late(1, 2), batch_window=0.4)
    assert following.next_batch().result(5) == ([1, 2], None)
    assert following.ended


def test_what_comes_later_is_not_waited_for() -> None:
    following = StageStream(late(1, 2, gap=1), batch_window=0.01)
    assert [following.next_batch().result(5)[0] for _ in range(3)] == [[1], [2], []]
    assert following.ended


def test_what_went_wrong_comes_behind_what_came_before() -> None:
    error = ValueError("gone")
    following = StageStream(late(1, error=error), batch_window=0.4)
    assert following.next_batch().result(5) == ([1], error)
    assert following.ended


def test_whoever_leaves_closes_the_generator() -> None:
    closed = asyncio.Event()

    async def endless() -> AsyncGenerator[int, None]:
        try:
            yield 1
            await asyncio.sleep(60)
        finally:
            closed.set()

    following = StageStream(endless())
    assert following.next_batch().result(5) == ([1], None)
    following.close()
    # Behind the closing, on the same loop.
    assert asyncio.run_coroutine_threadsafe(_waited(closed), event_loop.running_loop()).result(5)


async def _waited(event: asyncio.Event) -> bool:
    return await asyncio.wait_for(event.wait(), 5)
