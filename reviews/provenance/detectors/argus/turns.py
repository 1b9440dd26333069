"""Questions asked one after the other, as a publication has it, or at once."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from typing import Any, TypeVar

from reviews.provenance.detectors.concurrency import as_settled, running

T = TypeVar("T")


async def settled(
    things: Iterable[Coroutine[Any, Any, T]], *, ends: Callable[[T], bool], at_once: bool
) -> AsyncGenerator[T, None]:
    """Each result as it comes, until one of them ends it: what is left is then not begun, or is cancelled.

    `things` makes each coroutine only when it is its turn.
    """
    if at_once:
        async with running(things) as tasks:
            async for result in as_settled(tasks, ends=ends):
                yield result
        return
    for thing in things:
        result = await thing
        yield result
        if ends(result):
            return
