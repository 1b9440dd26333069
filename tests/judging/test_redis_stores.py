from collections.abc import AsyncIterator

import pytest
import redis.asyncio
from django.conf import settings
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from guardapp.embedded import EmbeddedRedis
from reviews.judging import redis_stores
from reviews.judging.breaker import Breaker, BreakerOpenError, Patience
from reviews.judging.redis_stores import RedisAnswers, RedisState
from reviews.provenance.judges import Caching, JudgeUnavailableError
from tests.provenance.judges.scripted import QUESTION, YES, Scripted

AWAY = JudgeUnavailableError("away")


@pytest.fixture
async def connections() -> AsyncIterator[redis.asyncio.Redis]:
    """Connections of this test's event loop to a Redis that holds nothing."""
    # Not the process's own, which belong to its judge loop.
    async with redis_stores.redis_client.__wrapped__() as client:
        await client.flushdb()
        yield client


@pytest.fixture
async def lost() -> AsyncIterator[redis.asyncio.Redis]:
    """Connections to a port where nobody listens."""
    async with redis.asyncio.Redis(port=9, retry=Retry(NoBackoff(), 0)) as client:
        yield client


def state(connections: redis.asyncio.Redis, *, model: str = "m") -> RedisState:
    return RedisState(connections, endpoint="http://judge.example/v1", model=model)


async def test_what_was_put_is_found(connections: redis.asyncio.Redis) -> None:
    answers = RedisAnswers(connections, lifetime=60)
    await answers.put("key", b"answer")
    assert (await answers.get("key"), await answers.get("other")) == (b"answer", None)


async def test_an_answer_has_an_end_of_life(connections: redis.asyncio.Redis) -> None:
    await RedisAnswers(connections, lifetime=60).put("key", b"answer")
    assert 0 < await connections.ttl("pgr:answer:key") <= 60


async def test_an_answer_of_unusual_size_is_not_kept(connections: redis.asyncio.Redis) -> None:
    answers = RedisAnswers(connections, lifetime=60)
    await answers.put("key", b"x" * (redis_stores.MAX_ANSWER + 1))
    assert await answers.get("key") is None


async def test_two_workers_share_their_answers(connections: redis.asyncio.Redis) -> None:
    judge = Scripted(YES)
    for _ in range(2):
        reply = await Caching(judge, RedisAnswers(connections, lifetime=60), scope="acme").ask(QUESTION)
        assert (reply.answer, reply.probability) == (YES.answer, YES.probability)  # type: ignore[union-attr]
    assert len(judge.asked) == 1


async def test_a_state_is_swapped_only_for_the_one_that_stands(connections: redis.asyncio.Redis) -> None:
    one = state(connections)
    assert [await one.swap(None, "a"), await one.swap(None, "b"), await one.swap("a", "c")] == [True, False, True]
    assert await one.read() == "c"


async def test_a_state_is_swapped_for_none(connections: redis.asyncio.Redis) -> None:
    one = state(connections)
    await one.swap(None, "a")
    assert (await one.swap("a", None), await one.read()) == (True, None)


async def test_a_state_nobody_touches_is_forgotten(connections: redis.asyncio.Redis) -> None:
    await state(connections).swap(None, "a")
    (key,) = await connections.keys("pgr:breaker:*")
    assert 0 < await connections.ttl(key) <= redis_stores.BREAKER_SECONDS


async def test_each_model_has_a_state_of_its_own(connections: redis.asyncio.Redis) -> None:
    await state(connections, model="small").swap(None, "a")
    assert await state(connections, model="large").read() is None


async def test_two_workers_share_one_breaker(connections: redis.asyncio.Redis) -> None:
    first, second = Scripted(AWAY), Scripted(YES)
    for judge in (first, first):
        with pytest.raises(JudgeUnavailableError):
            await Breaker(judge, state(connections), Patience(failures=2)).ask(QUESTION)
    with pytest.raises(BreakerOpenError):
        await Breaker(second, state(connections), Patience(failures=2)).ask(QUESTION)
    assert second.asked == []


async def test_a_lost_redis_keeps_no_answers(lost: redis.asyncio.Redis) -> None:
    answers = RedisAnswers(lost, lifetime=60)
    await answers.put("key", b"answer")
    assert await answers.get("key") is None


async def test_a_lost_redis_is_a_closed_breaker(lost: redis.asyncio.Redis) -> None:
    one = state(lost)
    assert (await one.read(), await one.swap("a", "b")) == (None, True)


async def test_a_judge_is_asked_while_redis_is_away(
    connections: redis.asyncio.Redis, redis_server: EmbeddedRedis
) -> None:
    judge = Caching(
        Breaker(Scripted(YES), state(connections)), RedisAnswers(connections, lifetime=60), scope=settings.SECRET_KEY
    )
    redis_server.stop()
    assert await judge.ask(QUESTION) == YES
