"""What the workers' judges share through Redis: answers, and whether a model can be reached.

Nothing is lost with Redis: while it is away, questions are asked again and the breaker is closed.
"""

import hashlib
import logging
from collections.abc import Awaitable
from functools import cache
from typing import Final, cast

import redis.asyncio
from django.conf import settings
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

# Eight times what a model may write in `ANSWER_TOKENS`: whatever is larger is no answer, and must not fill the memory.
MAX_ANSWER: Final = 64 * 1024
"""Most bytes of an answer that is kept."""
# Longer than any of the breaker's times, of which the longest is half an hour of rest.
BREAKER_SECONDS: Final = 3600
"""How long the state of a breaker is kept that nobody changes."""

# A script, because Redis has no compare-and-set of its own: between a GET and a SET another worker could come in.
_SWAP: Final = """
local now = redis.call('GET', KEYS[1]) or ''
if now ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3]) end
return 1
"""

_log = logging.getLogger(__name__)


@cache
def redis_client() -> redis.asyncio.Redis:
    """The connections of the process's one judge loop."""
    # One second and no retries: a check must not wait for what only saves time. At most 32 connections, for which the
    # hundreds of questions of a process queue here instead of at Redis, where all workers would add up.
    pool = redis.asyncio.BlockingConnectionPool.from_url(
        settings.REDIS_URL,
        max_connections=32,
        timeout=1,
        socket_timeout=1,
        socket_connect_timeout=1,
        retry=Retry(NoBackoff(), 0),
    )
    return redis.asyncio.Redis.from_pool(pool)


class RedisAnswers:
    """Answers that every worker may use again while they are fresh."""

    def __init__(self, connections: redis.asyncio.Redis, *, lifetime: int) -> None:
        """`lifetime` is seconds."""
        self._redis = connections
        self._lifetime = lifetime

    async def get(self, key: str) -> bytes | None:
        """The kept answer; None also while Redis is away."""
        try:
            return cast("bytes | None", await self._redis.get(f"pgr:answer:{key}"))
        except (RedisError, OSError) as error:
            _log.warning("no kept answers: %s", type(error).__name__)
            return None

    async def put(self, key: str, value: bytes) -> None:
        """Keep an answer of at most `MAX_ANSWER` bytes, unless Redis is away."""
        if len(value) > MAX_ANSWER:
            return
        try:
            await self._redis.set(f"pgr:answer:{key}", value, ex=self._lifetime)
        except (RedisError, OSError) as error:
            _log.warning("an answer is not kept: %s", type(error).__name__)


class RedisState:
    """The state of the breaker before one model at one address, for all workers and workspaces."""

    def __init__(self, connections: redis.asyncio.Redis, *, endpoint: str, model: str) -> None:
        self._redis = connections
        # Hashed: an address may hold characters, and even credentials, that do not belong in a key.
        self._key = f"pgr:breaker:{hashlib.sha256(repr((endpoint, model)).encode()).hexdigest()}"

    async def read(self) -> str | None:
        """The state; None also while Redis is away, which is a closed breaker."""
        try:
            state = cast("bytes | None", await self._redis.get(self._key))
        except (RedisError, OSError) as error:
            _log.warning("the breaker's state is not known: %s", type(error).__name__)
            return None
        return state.decode(errors="replace") if state else None

    async def swap(self, expected: str | None, new: str | None) -> bool:
        """Set the state to `new` if it is `expected`. Returns whether it was; True also while Redis is away."""
        swapped = self._redis.eval(_SWAP, 1, self._key, expected or "", new or "", str(BREAKER_SECONDS))
        try:
            return bool(await cast("Awaitable[object]", swapped))
        except (RedisError, OSError) as error:
            _log.warning("the breaker's state is not kept: %s", type(error).__name__)
            # False would have the breaker read and try again, as if another worker had been faster.
            return True
