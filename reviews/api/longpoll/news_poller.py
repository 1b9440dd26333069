"""Tells open streams of events that there is something new, or that their key is over: one statement for all of them.

Each web process asks once a second while it has streams, and sooner when it hears that an action was settled. So
thousands of quiet streams cost no more than one, and no message that is lost delays anything for longer.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from django.db import connection

from reviews import access
from reviews.access import Reader
from reviews.api.longpoll.wakeups import ANY, Wakeups
from reviews.records import commit_order

# A call that begins to wait for a person is told of within this, as is the end of a key.
POLL_SECONDS: Final = 1.0
# What is settled at the same time goes together.
GATHER_SECONDS: Final = 0.05

_log = logging.getLogger(__name__)


class Follower:
    """One open stream."""

    __slots__ = ("_news", "is_over", "key_hash", "position")

    def __init__(self, key_hash: str) -> None:
        self.key_hash = key_hash
        self.position = commit_order.START
        """Behind what the stream was sent."""
        self.is_over = False
        """Its key was revoked, or the server stops."""
        self._news = asyncio.Event()

    def wake(self, *, is_over: bool = False) -> None:
        """There is something new, or nothing more to come."""
        self.is_over = self.is_over or is_over
        self._news.set()

    async def wait(self, seconds: float) -> bool:
        """Until there is something new. Returns False when the time is over before."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return False
        self._news.clear()
        return True

    @property
    def reader(self) -> Reader:
        """What is asked about it."""
        return self.key_hash, self.position.transaction, self.position.id


def read_news(readers: Collection[Reader]) -> Mapping[Reader, bool]:
    """As `access.readers_with_news`, in a thread that may do nothing for hours."""
    try:
        return access.readers_with_news(readers)
    finally:
        connection.close()


class NewsPoller:
    """The streams of one process."""

    def __init__(self, wakeups: Wakeups, reading: Callable[[Collection[Reader]], Mapping[Reader, bool]]) -> None:
        self._wakeups = wakeups
        self._reading = reading
        self._thread = ThreadPoolExecutor(1, "news")
        self._followers: set[Follower] = set()
        self._polling: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._followers)

    def count_of(self, key_hash: str) -> int:
        """How many streams this key has."""
        return sum(follower.key_hash == key_hash for follower in self._followers)

    def add(self, follower: Follower) -> None:
        """Tell this one from now on."""
        self._followers.add(follower)
        if self._polling is None or self._polling.done():
            self._polling = asyncio.create_task(self._poll_while_followed())

    def remove(self, follower: Follower) -> None:
        """Tell it nothing more."""
        self._followers.discard(follower)

    def end_all(self) -> None:
        """Have every stream end."""
        for follower in self._followers:
            follower.wake(is_over=True)

    async def _poll_while_followed(self) -> None:
        waiter = self._wakeups.new_waiter()
        with waiter.listen_for(ANY):
            while self._followers:
                await waiter.wait(POLL_SECONDS)
                await asyncio.sleep(GATHER_SECONDS)
                await self._tell_followers()

    async def _tell_followers(self) -> None:
        polled = [(follower, follower.reader) for follower in self._followers]
        readers = {reader for _, reader in polled}
        try:
            news = await asyncio.get_running_loop().run_in_executor(self._thread, self._reading, readers)
        except Exception:  # noqa: BLE001 - the database is away: streams stay open, and are told when it is back
            _log.warning("could not look for events; streams wait on", exc_info=True)
            return
        for follower, reader in polled:
            if news.get(reader, True):
                follower.wake(is_over=reader not in news)
