"""How the client waits for a decision: asks that the server hold back, one after the other, until the deadline."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable
from functools import partial

from .connections import read_answer
from .endpoints import ACTIONS, POLL_SECONDS, Endpoints
from .typed_json import read_object
from .values import UNDECIDED, Action

# Between two waits: a server that answers at once must not be asked in a tight loop.
PAUSE_SECONDS = 0.2
# The longest wait where it is to be told that a person has to decide: checks end within seconds.
CHECKING_SECONDS = 1
# Between two looks of who found no connection to wait on.
LOOK_SECONDS = 2.0
# And at the end of a wait, when hardly any time is left: one of a server's processes may just be replaced.
LAST_PATIENCE_SECONDS = 2.0
# By how much a wait may outlast its time-out, so that an answer that is on its way still arrives.
GRACE_SECONDS = 0.5


def deadline_after(timeout: float | None) -> float:
    """The moment, by the monotonic clock, at which so many seconds are over; infinite for None."""
    return math.inf if timeout is None else time.monotonic() + timeout


def seconds_left(deadline: float) -> float | None:
    """What is left until then for a request, and so much at least that an answer can arrive; None for an infinite one.

    An approval that comes with the deadline is then still carried out, where the guard answers.
    """
    return None if deadline == math.inf else max(deadline - time.monotonic(), GRACE_SECONDS)


class Waiting(Endpoints):
    """The API, and the loop that waits on it."""

    async def _settled(
        self, action: Action, deadline: float, on_pending: Callable[[Action], Awaitable[None]] | None = None
    ) -> Action:
        """The action once it is settled, or as it stands at the deadline."""
        while action.status in UNDECIDED and time.monotonic() < deadline:
            if on_pending is not None and action.status == "pending":
                await on_pending(action)
                on_pending = None
            longest = POLL_SECONDS if on_pending is None else CHECKING_SECONDS
            action = await self._look(action.id, deadline, longest)
        return action

    async def _look(self, action_id: str, deadline: float, longest: int = POLL_SECONDS) -> Action:
        """Where the action stands, held back by the server while it is undecided; somewhat after the deadline at most.

        As many as there are connections but one may wait so. Whoever finds none looks, and comes back: a wait of half a
        minute must not stand in a line behind others of half a minute.
        """
        rest = max(0.0, deadline - time.monotonic())
        limit = max(rest + GRACE_SECONDS, LAST_PATIENCE_SECONDS)
        holds = rest > 0 and self._http.take_hold()
        # The server counts whole seconds.
        wait = round(min(longest, rest)) if holds else 0
        try:
            patience = min(self._patience, limit)
            response = await self._http.request(
                "GET",
                f"{ACTIONS}/{action_id}",
                params={"wait": wait},
                wait=wait,
                patience=patience,
                limit=None if limit == math.inf else limit,
            )
        finally:
            if holds:
                self._http.let_go()
        action = read_answer(response, partial(read_object, Action))
        if action.status in UNDECIDED and rest > 0:
            # Uneven, so that those who look do not come all at once.
            pause = PAUSE_SECONDS if holds else LOOK_SECONDS * random.uniform(0.5, 1.5)  # noqa: S311  # not a secret
            await asyncio.sleep(min(pause, max(0.0, deadline - time.monotonic())))
        return action
