"""How the client waits for a decision: asks that the server hold back, one after the other, until the deadline."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable
from functools import partial

from .connections import read_answer
from .deadlines import GRACE_SECONDS, rest_of
from .endpoints import ACTIONS, POLL_SECONDS, Endpoints, read_action
from .values import UNDECIDED, Action

# Between two waits: a server that answers at once must not be asked in a tight loop.
PAUSE_SECONDS = 0.2
# The longest wait where it is to be told that a person has to decide: checks end within seconds.
CHECKING_SECONDS = 1
# Between two looks of who found no connection to wait on.
LOOK_SECONDS = 2.0
# And at the end of a wait, when hardly any time is left: one of a server's processes may just be replaced.
LAST_PATIENCE_SECONDS = 2.0


class Pending:
    """Whoever is told, once, that a person has to decide."""

    def __init__(self, function: Callable[[Action], Awaitable[None]] | None) -> None:
        self._function = function
        self.raised: BaseException | None = None
        """What came of it instead, which is the caller's own and says nothing of the guard."""

    @property
    def is_due(self) -> bool:
        """Whether there is somebody who has not been told."""
        return self._function is not None

    async def tell(self, action: Action, deadline: float) -> None:
        """Tell it, and wait for it until the deadline at most; then it is cancelled. Raises what it raises."""
        if self._function is None:
            return
        function, self._function = self._function, None
        # Not `within`, whose own time-out would look like one that was raised here.
        telling = asyncio.ensure_future(function(action))
        try:
            await asyncio.wait({telling}, timeout=rest_of(deadline))
            if telling.done():
                self._note(telling)
        finally:
            telling.cancel()

    def _note(self, telling: asyncio.Future[None]) -> None:
        try:
            telling.result()
        except BaseException as error:
            self.raised = error
            raise


class Waiting(Endpoints):
    """The API, and the loop that waits on it."""

    async def _settled(self, action: Action, deadline: float, pending: Pending | None = None) -> Action:
        """The action once it is settled, or as it stands at the deadline."""
        listener = pending or Pending(None)
        while action.status in UNDECIDED and time.monotonic() < deadline:
            if action.status == "pending" and listener.is_due:
                await listener.tell(action, deadline)
                continue
            longest = CHECKING_SECONDS if listener.is_due else POLL_SECONDS
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
        action = read_answer(response, partial(read_action, action_id))
        if action.status in UNDECIDED and rest > 0:
            # Uneven, so that those who look do not come all at once.
            pause = PAUSE_SECONDS if holds else LOOK_SECONDS * random.uniform(0.5, 1.5)  # noqa: S311  # not a secret
            await asyncio.sleep(min(pause, max(0.0, deadline - time.monotonic())))
        return action
