"""Wake coroutines that wait for an action to be settled or a plan to be answered: one Redis subscription a process."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from reviews.api.longpoll.pushed_answers import PushedAnswer

# Waiting agents read again every few seconds meanwhile, so that a longer outage costs no decision.
_FIRST_BACKOFF_SECONDS = 0.1
_MAX_BACKOFF_SECONDS = 5.0
# A connection that a firewall dropped silently says nothing, and neither does a channel on which nothing happens: only
# an unanswered ping tells them apart.
_PING_SECONDS = 10
# Redis accepts within milliseconds: after this, a new attempt is more likely to succeed than the old one.
_CONNECT_SECONDS = 2

ANY: Final = ""
"""Stands for every action and plan, to who listens for it."""

_log = logging.getLogger(__name__)


class Waiter:
    """One coroutine's wait."""

    # Thousands of agents may wait in one process.
    __slots__ = ("_news", "_waiting")

    def __init__(self, waiting: dict[str, set["Waiter"]]) -> None:
        self._waiting = waiting
        self._news: asyncio.Future[PushedAnswer | None] = asyncio.get_running_loop().create_future()

    @contextmanager
    def listen_for(self, subject_id: str) -> Iterator[None]:
        """Be woken for this action or plan while the context lasts."""
        self._waiting[subject_id].add(self)
        try:
            yield
        finally:
            waiters = self._waiting[subject_id]
            waiters.discard(self)
            # Ids are never used again, and the map would grow for as long as the process lives.
            if not waiters:
                del self._waiting[subject_id]

    def wake(self, news: PushedAnswer | None = None) -> None:
        """There may be news, perhaps these. Not lost when nobody waits at the moment: the next wait ends at once."""
        if not self._news.done():
            self._news.set_result(news)

    async def wait(self, seconds: float) -> PushedAnswer | None:
        """Until there are news, or the time is over. Returns the news where they are known."""
        # A timer that wakes like everybody else: cheaper than a task that watches for both.
        timer = asyncio.get_running_loop().call_later(seconds, self.wake)
        try:
            return await self._news
        finally:
            timer.cancel()
            self._news = asyncio.get_running_loop().create_future()


class Wakeups:
    """The subscription. It reconnects for ever; each new connection wakes everybody, so that nothing is missed."""

    def __init__(self, url: str, channel: str) -> None:
        self._url = url
        self._channel = channel
        self._waiting: dict[str, set[Waiter]] = defaultdict(set)
        self._listener: asyncio.Task[None] | None = None
        self.live = False
        """Whether a message that is published now will be heard."""
        self.messages = 0
        """Counts messages and reconnections; unchanged and `live` all along means that nothing was published."""

    def start(self) -> None:
        """Subscribe, once per process, in the running event loop."""
        if self._listener is None:
            self._listener = asyncio.create_task(self._listen_for_ever())

    async def stop(self) -> None:
        """End the subscription and wake everybody a last time."""
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.gather(self._listener, return_exceptions=True)
            self._listener = None
        self.wake_all()

    def new_waiter(self) -> Waiter:
        """A new waiter, not yet waiting for anything."""
        self.start()
        return Waiter(self._waiting)

    def __len__(self) -> int:
        """How many coroutines wait."""
        return sum(map(len, self._waiting.values()))

    async def _listen_for_ever(self) -> None:
        backoff = _FIRST_BACKOFF_SECONDS
        while True:
            try:
                await self._listen()
            except (RedisError, OSError) as error:
                # A subscription that worked starts over at once; one that never did is asked ever less often.
                backoff = _FIRST_BACKOFF_SECONDS if self.live else min(2 * backoff, _MAX_BACKOFF_SECONDS)
                _log.warning(
                    "wake-up subscription lost (%s); next attempt in %.1f s",
                    error,
                    backoff,
                )
            finally:
                # Also when cancelled: from here on nobody may rely on being woken.
                self.live = False
            await asyncio.sleep(backoff)

    async def _listen(self) -> None:
        # No silent retry inside the client: it would hide a gap in which messages were lost.
        client = redis.asyncio.Redis.from_url(
            self._url,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=_CONNECT_SECONDS,
            health_check_interval=_PING_SECONDS,
        )
        async with client, client.pubsub() as subscription:
            await subscription.subscribe(self._channel)
            while True:
                # Returns None after this time, which gives the client its chance to ping.
                self.receive(await subscription.get_message(timeout=_PING_SECONDS))

    def receive(self, message: dict[str, Any] | None) -> None:
        """Take what the subscription received; None when nothing came in time."""
        match message:
            case {"type": "subscribe"}:
                self.live = True
                # What was published before this subscription was not heard.
                self.wake_all()
            case {"type": "message", "data": bytes(data)}:
                # Counted even if nobody waits for it: a submission that is being answered may begin to.
                self.messages += 1
                subject_id, _, carried = data.partition(b"\n")
                waiters = self._waiting.get(subject_id.decode(errors="replace"))
                if waiters:
                    # Read once, for all of them; most messages are waited for elsewhere.
                    news = PushedAnswer.from_message(carried) if carried else None
                    for waiter in waiters:
                        waiter.wake(news)
                for waiter in self._waiting.get(ANY, ()):
                    waiter.wake()

    def wake_all(self) -> None:
        """Have everybody look, because something may have been missed or the server stops."""
        self.messages += 1
        for waiters in self._waiting.values():
            for waiter in waiters:
                waiter.wake()
