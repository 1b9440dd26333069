"""Things done at once, of which one may make the others useless."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")
_TURNS = 20
"""Turns of the loop in which everything just started has come to its end, or waits: about eight for a task that
starts others, is ended by one of them and cancels the rest."""


@asynccontextmanager
async def running(things: Iterable[Coroutine[Any, Any, T]]) -> AsyncIterator[Sequence[asyncio.Task[T]]]:
    """A task for each thing. What still runs at the end of the block, however that comes, is cancelled."""
    tasks = [asyncio.create_task(thing) for thing in things]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def as_settled(tasks: Sequence[asyncio.Task[T]], *, ends: Callable[[T], bool]) -> AsyncGenerator[T, None]:
    """Each result as it comes, those that come together in the order of the tasks, until one of them ends it.

    An error is raised after all other results, and not at all when one of them ends it: what the others find out is
    not lost.
    """
    pending, error, ended = set(tasks), None, False
    while pending and not ended:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        for task in (each for each in tasks if each in done):
            if failure := task.exception():
                error = error or failure
            else:
                ended = ended or ends(task.result())
                yield task.result()
    if error is not None and not ended:
        raise error


async def ended_at_once(tasks: Sequence[asyncio.Task[T]], *, ends: Callable[[T], bool]) -> bool:
    """Whether a task just started ends it without waiting for anything outside this process."""
    for _ in range(_TURNS):
        await asyncio.sleep(0)
        if any(task.done() and not task.exception() and ends(task.result()) for task in tasks):
            return True
    return False
