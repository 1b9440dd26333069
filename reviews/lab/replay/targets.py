"""What judges a replayed call, and a running guard as one of the two: it is asked over its API."""

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Protocol

from reviews.agents.client.provenanceguard import Action, AsyncGuard, GuardError, ProblemError
from reviews.lab.replay.proposals import Proposal

# Short, because it ends at once when the guard lets a call pass, and a flagged call would be waited for in vain.
WAIT_SECONDS: Final = 1
"""Of one long-poll."""
# A server that cuts waits short must not be asked in a tight loop.
PAUSE_SECONDS: Final = 0.1
# Above all attempts of a check whose model answers slowly; behind it the queue of checks is stuck.
CHECK_SECONDS: Final = 120.0
"""A check that takes longer counts as an error of this replay; the action itself stays."""


class ReplayError(Exception):
    """One call could not be replayed; the message says why."""


@dataclass(frozen=True)
class ReplayVerdict:
    """What the guard made of a call."""

    aligned: bool | None
    """None: undetermined, a person looks."""
    misalignment: str | None = None

    @property
    def column(self) -> str:
        """Under what the report counts it."""
        return "allowed" if self.aligned else self.misalignment or "undetermined"


class Target(Protocol):
    """Where a proposal is judged."""

    async def judge(self, proposal: Proposal) -> ReplayVerdict:
        """The verdict. Raises `ReplayError`."""
        ...


@dataclass(frozen=True)
class RunningGuard:
    """The API of a running guard."""

    guard: AsyncGuard
    run: str
    """Proposals of the same run are the same actions."""
    cancel: bool = False
    """Withdraw what waits for a person once its verdict is known."""

    async def judge(self, proposal: Proposal) -> ReplayVerdict:
        """The verdict. Raises `ReplayError`."""
        try:
            key = proposal.idempotency_key(self.run)
            action = await self.guard.submit(proposal.submission, idempotency_key=key, wait=WAIT_SECONDS)
            action = await self._await_check(action)
            if self.cancel and action.status == "pending":
                await self._cancel_action(action)
        except GuardError as error:
            raise ReplayError(str(error)) from error
        if action.verdict is None:
            raise ReplayError(f"Action {action.id} is {action.status} without a verdict.")
        return ReplayVerdict(action.verdict.aligned, action.verdict.misalignment)

    async def _await_check(self, action: Action) -> Action:
        """The action once the guard has looked."""
        deadline = asyncio.get_running_loop().time() + CHECK_SECONDS
        while action.status == "checking":
            if asyncio.get_running_loop().time() > deadline:
                raise ReplayError(f"Action {action.id} was not checked within {CHECK_SECONDS:.0f} s.")
            await asyncio.sleep(PAUSE_SECONDS)
            action = await self.guard.get(action.id, wait=WAIT_SECONDS)
        return action

    async def _cancel_action(self, action: Action) -> None:
        try:
            await self.guard.cancel(action.id)
        except ProblemError as error:
            # Somebody decided in between: nothing is left to withdraw.
            if error.status != HTTPStatus.CONFLICT:
                raise
