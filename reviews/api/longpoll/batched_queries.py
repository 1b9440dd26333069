"""The first look of those who come to wait: a few hundred of them in one statement.

Django answers such a look in milliseconds. After a restart thousands of agents come back at once, nearly all for what
is still undecided, and that is all that has to be known before they wait.
"""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeAlias

from django.db import connection

from reviews import access

Query: TypeAlias = tuple[str, str]
"""The hash of an agent's key, and the id of an action."""
# One statement's worth: some milliseconds of the database.
MAX_TOGETHER: Final = 500

_log = logging.getLogger(__name__)


def read_undecided(queries: Collection[Query]) -> set[Query]:
    """The queries that are about an undecided action of the key's own agent."""
    try:
        return access.undecided(queries)
    finally:
        # The thread may do nothing for hours, and would hold a connection of the pool.
        connection.close()


class BatchedDecisionPoller:
    """Gathers questions while the last ones are being answered."""

    def __init__(self, reading: Callable[[Collection[Query]], set[Query]] = read_undecided) -> None:
        self._reading = reading
        # One thread, so that what comes meanwhile goes together.
        self._thread = ThreadPoolExecutor(1, "looks")
        self._waiting: dict[Query, asyncio.Future[bool]] = {}
        self._answering: asyncio.Task[None] | None = None

    async def is_undecided(self, secret: bytes, action_id: str) -> bool:
        """Whether the agent with this key has such an action, and it is undecided. False also when nobody can tell."""
        query = (hashlib.sha256(secret).hexdigest(), action_id)
        answer = self._waiting.get(query)
        if answer is None:
            answer = self._waiting[query] = asyncio.get_running_loop().create_future()
        if self._answering is None or self._answering.done():
            self._answering = asyncio.create_task(self._answer())
        # Shielded: an agent that goes away must not take the answer from another that asks the same.
        return await asyncio.shield(answer)

    async def _answer(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            together = [self._waiting.popitem() for _ in range(min(len(self._waiting), MAX_TOGETHER))]
            try:
                undecided = await loop.run_in_executor(self._thread, self._reading, [query for query, _ in together])
            except Exception:  # noqa: BLE001 - Django is asked instead, and says what is wrong
                _log.warning("the first look failed; Django is asked", exc_info=True)
                undecided = set()
            for query, answer in together:
                answer.set_result(query in undecided)
