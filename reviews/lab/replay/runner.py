"""Many traces at once, the calls of each in order."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reviews.lab.replay.proposals import Proposal
from reviews.lab.replay.targets import Door, Judgement, ReplayError


@dataclass(frozen=True)
class Result:
    """One replayed call."""

    proposal: Proposal
    judgement: Judgement | None
    """None: it could not be replayed."""
    error: str = ""


async def replay(
    conversations: Sequence[Sequence[Proposal]], door: Door, *, concurrency: int, done: Callable[[], None]
) -> list[Result]:
    """Judge every proposal, `concurrency` conversations at a time; `done` is called after each."""
    slots = asyncio.Semaphore(concurrency)

    async def follow(conversation: Sequence[Proposal]) -> list[Result]:
        async with slots:
            return [await _judged(proposal, door, done) for proposal in conversation]

    results = await asyncio.gather(*(follow(conversation) for conversation in conversations))
    return [result for conversation in results for result in conversation]


async def _judged(proposal: Proposal, door: Door, done: Callable[[], None]) -> Result:
    try:
        return Result(proposal, await door.judge(proposal))
    except ReplayError as error:
        return Result(proposal, None, str(error))
    finally:
        done()
