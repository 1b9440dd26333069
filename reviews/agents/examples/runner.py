"""Keeps conversations going: proposes, waits, obeys, and never fills the queue beyond its cap."""

import asyncio
import itertools
import random
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from reviews.agents.client.provenanceguard import (
    Action,
    AsyncGuard,
    Decision,
    GuardError,
    NotRunnableError,
    ProblemError,
    RejectedError,
    RespondedError,
)
from reviews.agents.examples import catalog
from reviews.agents.examples.story import Attempt

# A demonstration should not bury the person who tries it.
PENDING_CAP: Final = 14
# Between two rounds, so that decisions of one round can be looked at before the next arrives.
ROUND_PAUSE_SECONDS: Final = 20.0
_OPEN: Final = ("pending", "checking")
# Characters of one line in a terminal: a model's whole answer would push the others away.
_MAX_MESSAGE_LENGTH: Final = 200


@dataclass(frozen=True)
class Agents:
    """A crew of scripted agents behind one key."""

    guard: AsyncGuard
    report: Callable[[str], None]
    """Receives one line per event."""
    pending_cap: int = PENDING_CAP
    """Most conversations that are under way at once."""
    pause_seconds: float = 1.5
    """Between two proposals, on average."""
    seed: str | None = None
    """Makes the conversations the same each time; fresh ones without."""

    async def run(self, *, rounds: int | None = None, names: Sequence[str] = tuple(catalog.BUILDS)) -> None:
        """Go on with what an earlier run left open, then propose all scenarios round after round, or `rounds` times.

        Raises `GuardError` when the guard does not answer at the start.
        """
        left_open = await self._left_open()
        slots = asyncio.Semaphore(self.pending_cap)
        async with asyncio.TaskGroup() as conversations:
            # What is open holds its slot first, so that a restart never exceeds the cap.
            for attempt, action in left_open:
                await slots.acquire()
                conversations.create_task(self._hold_slot(slots, attempt, action))
            for number in itertools.count() if rounds is None else range(rounds):
                if number:
                    await asyncio.sleep(ROUND_PAUSE_SECONDS)
                await self._propose_round(slots, conversations, names, number)

    async def _propose_round(
        self, slots: asyncio.Semaphore, conversations: asyncio.TaskGroup, names: Sequence[str], number: int
    ) -> None:
        seed = f"{self.seed}.{number}" if self.seed is not None else secrets.token_hex(4)
        # Another order each round, so that the queue does not always begin alike.
        dice = random.Random(seed)  # noqa: S311  # an order of scenarios, not a secret
        for name in dice.sample(names, len(names)):
            await slots.acquire()
            attempt = Attempt.first(name, seed=seed, today=datetime.now(UTC).date())
            conversations.create_task(self._hold_slot(slots, attempt, None))
            # Uneven, as agents are; on average it is the pause that was asked for.
            await asyncio.sleep(self.pause_seconds * dice.uniform(0.4, 1.6))

    async def _left_open(self) -> list[tuple[Attempt, Action]]:
        """What an earlier run proposed and nobody has decided yet."""
        return [
            (attempt, action)
            for status in _OPEN
            async for action in self._list_actions(status)
            if (attempt := Attempt.resumed(action.metadata))
        ]

    async def _list_actions(self, status: str) -> AsyncIterator[Action]:
        page = await self.guard.list_actions(status=status)
        while True:
            for action in page.items:
                yield action
            if page.next_cursor is None:
                return
            page = await self.guard.list_actions(status=status, cursor=page.next_cursor)

    async def _hold_slot(self, slots: asyncio.Semaphore, attempt: Attempt, action: Action | None) -> None:
        try:
            await self._run_conversation(attempt, action)
        # One conversation that fails must not end the others in its group.
        except GuardError as error:
            self._report_event(attempt, f"gives up: {error}")
        finally:
            slots.release()

    async def _run_conversation(self, attempt: Attempt, action: Action | None) -> None:
        if action is None and not await self._may_begin(attempt):
            return
        following: Attempt | None = attempt
        while following:
            attempt = following
            if action is None:
                self._report_event(attempt, f"proposes {attempt.call.tool}")
                action = await self.guard.submit(attempt.submission(), provenance=attempt.call.provenance)
            following, action = await self._await_decision(attempt, action), None

    async def _may_begin(self, attempt: Attempt) -> bool:
        """Have the plan checked first, where the agent makes one; one that is sent back is made anew."""
        answer = "safe"
        for plan in attempt.plans():
            checked = await self.guard.check_plan(**plan)
            answer = checked.answer
            self._report_event(attempt, f"submitted a plan: {answer}. {checked.reason}")
            if answer != "rewrite":
                break
        return answer == "safe"

    async def _await_decision(self, attempt: Attempt, action: Action) -> Attempt | None:
        """Wait, obey, and say what to propose next."""
        try:
            decision = await self.guard.wait(action.id)
        except RejectedError as error:
            self._report_event(attempt, f"was rejected by {error.decision.decided_by}: {error.decision.message}")
            return attempt.after_rejection(action.id, error.decision.message)
        except RespondedError as error:
            self._report_event(attempt, f"was answered: {error.decision.message}")
            return attempt.after_answer(action.id, error.decision.message)
        except NotRunnableError as error:
            self._report_event(attempt, f"leaves it: {error}")
            return None
        await self._execute_call(attempt, action, decision)
        return None

    async def _execute_call(self, attempt: Attempt, action: Action, decision: Decision) -> None:
        verb = "edited" if decision.outcome == "edit" else "approved"
        self._report_event(attempt, f"was {verb} by {decision.decided_by}")
        try:
            call = await self.guard.execute(action.id)
        except ProblemError as error:
            # A correction may arrive between the decision and the start: the guard then refuses, and so do we.
            self._report_event(attempt, f"does not run: {error}")
            return
        outcome = attempt.outcome(call.tool)
        await self.guard.report(action.id, succeeded=True, outcome=outcome)
        self._report_event(attempt, f"ran {call.tool}: {outcome}")

    def _report_event(self, attempt: Attempt, event: str) -> None:
        line = " ".join(event.split())[:_MAX_MESSAGE_LENGTH]
        self.report(f"{attempt.name} #{attempt.number} {line}")
