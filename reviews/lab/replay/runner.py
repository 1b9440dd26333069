"""Replay many traces at once, the calls of a trace in order."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reviews.lab.replay.proposals import Proposal
from reviews.lab.replay.targets import ReplayError, ReplayVerdict, Target


@dataclass(frozen=True)
class Result:
    """One replayed call."""

    proposal: Proposal
    verdict: ReplayVerdict | None
    """None: it could not be replayed."""
    error: str = ""


async def replay_proposals(
    conversations: Sequence[Sequence[Proposal]], target: Target, *, concurrency: int, done: Callable[[], None]
) -> list[Result]:
    """Judge every proposal, `concurrency` conversations at a time; `done` is called after every one.

    Returns the results in the order of the conversations and their calls.
    """
    slots = asyncio.Semaphore(concurrency)

    # The calls of a conversation one after the other: a later one is submitted with the history before it.
    async def follow(conversation: Sequence[Proposal]) -> list[Result]:
        async with slots:
            return [await _judge_proposal(proposal, target, done) for proposal in conversation]

    results = await asyncio.gather(*(follow(conversation) for conversation in conversations))
    return [result for conversation in results for result in conversation]


async def _judge_proposal(proposal: Proposal, target: Target, done: Callable[[], None]) -> Result:
    try:
        return Result(proposal, await target.judge(proposal))
    except ReplayError as error:
        return Result(proposal, None, str(error))
    finally:
        done()
