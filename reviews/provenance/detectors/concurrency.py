"""Things done at once, of which one may make the others useless."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
_NESTED = 3
"""Tasks started by tasks started by tasks: how deep the parts of a check go before they wait for something."""


async def as_settled(tasks: Sequence[asyncio.Task[T]], *, ends: Callable[[T], bool]) -> AsyncGenerator[T, None]:
    """Each result as it comes, those that come together in the order of the tasks, until one of them ends it.

    Whatever is then still running is cancelled, also when the caller stops listening. An error is raised after all
    other results, and not at all when one of them ends it: what the others find out is not lost.
    """
    pending, error, ended = set(tasks), None, False
    try:
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
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def until_all_wait() -> None:
    """Let every task just started run as far as it gets without waiting for anything outside this process."""
    for _ in range(_NESTED):
        await asyncio.sleep(0)
