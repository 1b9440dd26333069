"""Things done at once, of which one may make the others useless."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from reviews.provenance.core.findings import StageResult
from reviews.provenance.judges.base import Judge
from reviews.provenance.judges.rules_judge import gate_model

T = TypeVar("T")
# Turns of the event loop after which everything just started has ended or waits for something outside this process.
# A task that starts others, is ended by one of them and cancels the rest takes about eight.
_TURNS: Final = 20


@asynccontextmanager
async def running_tasks(coroutines: Iterable[Coroutine[Any, Any, T]]) -> AsyncIterator[Sequence[asyncio.Task[T]]]:
    """A task for each coroutine. What still runs at the end of the block, however that comes, is cancelled."""
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        # Waited for, so that no question is still on its way when its check has ended.
        await asyncio.gather(*tasks, return_exceptions=True)


async def as_settled(
    tasks: Sequence[asyncio.Task[T]], *, ends: Callable[[T], bool], ranked: bool = False
) -> AsyncGenerator[T, None]:
    """Each result as it comes, those that come together in the order of the tasks, until one of them ends it.

    `ranked`: the first by rank ends it, and not the first by time. A result that ends it is held back while a task
    before it might end it too, and dropped when that one does: so the outcome is the same whatever the tasks' delays.
    An error is raised after all other results, and not at all when one of them ends it: what they tell is not lost.
    """
    pending, error = set(tasks), None
    while pending:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        # `done` is a set: the order of the tasks makes results that come together deterministic.
        for task in sorted(done, key=tasks.index):
            if failure := task.exception():
                error = error or failure
            elif not ranked or not ends(task.result()):
                yield task.result()
        for task in tasks:
            if task.done() and not task.exception() and ends(task.result()):
                if ranked:
                    yield task.result()
                return
            # What comes later by rank cannot change the outcome, so nobody waits for it.
            if ranked and not task.done():
                break
    if error is not None:
        raise error


async def in_turn_or_at_once(
    coroutines: Iterable[Coroutine[Any, Any, T]], *, ends: Callable[[T], bool], at_once: bool
) -> AsyncGenerator[T, None]:
    """Each result as it comes, until one of them ends it: what is left is then not begun, or is cancelled.

    `coroutines` makes each only when it is its turn. Publications ask in turn; at once takes one round trip.
    """
    if at_once:
        async with running_tasks(coroutines) as tasks:
            async for result in as_settled(tasks, ends=ends):
                yield result
        return
    for coroutine in coroutines:
        result = await coroutine
        yield result
        if ends(result):
            return


@asynccontextmanager
async def running_gated(
    checks: Callable[[Judge], Iterable[Coroutine[Any, Any, StageResult]]], judge: Judge
) -> AsyncIterator[tuple[Sequence[asyncio.Task[StageResult]], bool]]:
    """The stages as tasks, and whether a rule has settled the verdict.

    No question leaves for a model while a rule may still make it useless, and none at all where one does.
    """
    behind_gate, gate = gate_model(judge)
    async with running_tasks(checks(behind_gate)) as tasks:
        by_rule = await _settled_by_rule(tasks)
        if not by_rule:
            gate.open()
        yield tasks, by_rule


def is_final(stage: StageResult) -> bool:
    """Whether the stages behind it do not run as published: it settles the verdict, or no answer could be had."""
    return stage.final


def settles_verdict(stage: StageResult) -> bool:
    """Whether nothing that the others may find could change the verdict: a missing answer does not end it."""
    return stage.passed or stage.misalignment is not None


async def _settled_by_rule(tasks: Sequence[asyncio.Task[StageResult]]) -> bool:
    """Whether a task just started settles the verdict without waiting for anything outside this process."""
    for _ in range(_TURNS):
        await asyncio.sleep(0)
        done = [task for task in tasks if task.done()]
        if any(not task.exception() and settles_verdict(task.result()) for task in done):
            return True
        if len(done) == len(tasks):
            break
    return False
