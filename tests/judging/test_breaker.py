import asyncio
from typing import Any

import pytest

from reviews.judging.breaker import Breaker, BreakerOpenError, Patience
from reviews.provenance.judges import JudgeMisconfiguredError, JudgeUnavailableError
from tests.provenance.judges.scripted import GIBBERISH, QUESTION, YES, Scripted

AWAY = JudgeUnavailableError("away")
PATIENCE = Patience(failures=3, window=60, rest=10, probe=100)


class MemoryState:
    """A store of this process."""

    def __init__(self) -> None:
        self.text: str | None = None

    async def read(self) -> str | None:
        """The text."""
        return self.text

    async def swap(self, expected: str | None, new: str | None) -> bool:
        """Compare and swap. Atomic within one event loop, as it awaits nothing."""
        if self.text != expected:
            return False
        self.text = new
        return True


class Clock:
    """Tells the time it is set to."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Workers:
    """Breakers of several workers before one judge, with one store and one clock."""

    def __init__(self, *replies: Any, jitter: float = 0.0) -> None:
        self.judge = Scripted(*replies)
        self.store = MemoryState()
        self.clock = Clock()
        self.jitter = jitter

    def one(self) -> Breaker:
        return Breaker(self.judge, self.store, PATIENCE, clock=self.clock, chance=lambda: self.jitter)

    async def told(self, *, times: int = 1) -> list[Any]:
        """What so many workers are told, one after the other."""
        return [(await asyncio.gather(self.one().ask(QUESTION), return_exceptions=True))[0] for _ in range(times)]


async def opened(*then: Any, jitter: float = 0.0) -> Workers:
    """Workers whose breaker has just opened; from then on the judge replies so."""
    workers = Workers(AWAY, AWAY, AWAY, *(then or (YES,)), jitter=jitter)
    await workers.told(times=3)
    return workers


async def probing(*then: Any) -> tuple[Workers, "asyncio.Task[Any]"]:
    """Workers whose breaker is half open, and the probe under way."""
    workers = await opened(*then)
    workers.clock.now += 10
    workers.judge.hang()
    probe = asyncio.create_task(workers.one().ask(QUESTION))
    await workers.judge.reached.wait()
    return workers, probe


async def check_open(workers: Workers, *, seconds: float) -> None:
    """A worker is told at once to come back after so many seconds, and the judge is not asked."""
    before = len(workers.judge.asked)
    (error,) = await workers.told()
    assert isinstance(error, BreakerOpenError)
    assert error.retry_after == pytest.approx(seconds)
    assert len(workers.judge.asked) == before


async def check_closed(workers: Workers) -> None:
    """Two workers are answered."""
    assert await workers.told(times=2) == [YES, YES]


async def test_a_judge_that_answers_is_asked() -> None:
    await check_closed(Workers(YES))


async def test_few_failures_leave_it_closed() -> None:
    workers = Workers(AWAY, AWAY, YES)
    assert await workers.told(times=3) == [AWAY, AWAY, YES]


async def test_consecutive_failures_open_it_for_every_worker() -> None:
    await check_open(await opened(), seconds=10)


async def test_an_answer_in_between_starts_the_count_over() -> None:
    workers = Workers(AWAY, AWAY, YES, AWAY, AWAY, YES)
    assert await workers.told(times=6) == [AWAY, AWAY, YES, AWAY, AWAY, YES]


async def test_failures_far_apart_do_not_open_it() -> None:
    workers = Workers(AWAY, AWAY, AWAY, YES)
    await workers.told(times=2)
    workers.clock.now += 61
    assert await workers.told(times=2) == [AWAY, YES]


@pytest.mark.parametrize("reply", [GIBBERISH, JudgeMisconfiguredError("wrong key")])
async def test_a_judge_that_answers_badly_is_there(reply: Any) -> None:
    workers = Workers(AWAY, AWAY, reply, AWAY, YES)
    assert await workers.told(times=5) == [AWAY, AWAY, reply, AWAY, YES]


async def test_it_stays_open_longer_by_chance() -> None:
    await check_open(await opened(jitter=1.0), seconds=12)


async def test_it_says_how_long_is_left() -> None:
    workers = await opened()
    workers.clock.now += 4
    await check_open(workers, seconds=6)


async def test_a_probe_that_is_answered_closes_it() -> None:
    workers = await opened()
    workers.clock.now += 10
    await check_closed(workers)


async def test_a_probe_that_fails_opens_it_again() -> None:
    workers = await opened(AWAY, YES)
    workers.clock.now += 10
    assert await workers.told() == [AWAY]
    await check_open(workers, seconds=10)


async def test_one_probe_at_a_time() -> None:
    workers, probe = await probing()
    await check_open(workers, seconds=100)
    workers.judge.answering.set()
    assert await probe == YES
    await check_closed(workers)


class Remote(MemoryState):
    """A store on another machine: others get their turn while it is read."""

    async def read(self) -> str | None:
        text = await super().read()
        await asyncio.sleep(0)
        return text


async def test_two_who_would_probe_at_once_are_one() -> None:
    workers = await opened()
    remote = Remote()
    remote.text, workers.store = workers.store.text, remote
    workers.clock.now += 10
    told = await asyncio.gather(*(workers.one().ask(QUESTION) for _ in range(2)), return_exceptions=True)
    assert sorted(type(each).__name__ for each in told) == ["Answered", "BreakerOpenError"]


async def test_a_cancelled_probe_lets_another_probe() -> None:
    workers, probe = await probing()
    probe.cancel()
    await asyncio.gather(probe, return_exceptions=True)
    workers.judge.answering.set()
    await check_closed(workers)


async def test_a_probe_whose_worker_died_is_not_waited_for_for_ever() -> None:
    workers, probe = await probing()
    workers.clock.now += 100
    workers.judge.answering.set()
    await check_closed(workers)
    await probe


async def test_a_late_failure_does_not_keep_it_open_longer() -> None:
    workers = await opened(AWAY)
    workers.store.text, state = None, workers.store.text
    workers.judge.hang()
    late = asyncio.create_task(workers.one().ask(QUESTION))
    await workers.judge.reached.wait()
    workers.store.text = state
    workers.clock.now += 4
    workers.judge.answering.set()
    await asyncio.gather(late, return_exceptions=True)
    await check_open(workers, seconds=6)


async def test_a_late_answer_does_not_close_it() -> None:
    workers = Workers(AWAY, YES, AWAY)
    await workers.told()
    workers.judge.hang()
    late = asyncio.create_task(workers.one().ask(QUESTION))
    await workers.judge.reached.wait()
    workers.judge.answering.set()
    opened_meanwhile = (await opened()).store.text
    workers.store.text = opened_meanwhile
    assert await late == YES
    await check_open(workers, seconds=10)


@pytest.mark.parametrize("text", ["{", "[]", '{"x": 1}', "null"])
async def test_a_state_that_cannot_be_read_is_closed(text: str) -> None:
    workers = Workers(YES)
    workers.store.text = text
    await check_closed(workers)


class Lost:
    """A store that cannot be reached."""

    async def read(self) -> str | None:
        return None

    async def swap(self, expected: str | None, new: str | None) -> bool:
        return True


async def test_a_lost_store_is_a_closed_breaker() -> None:
    judge = Scripted(AWAY)
    breaker = Breaker(judge, Lost(), PATIENCE)
    for _ in range(5):
        with pytest.raises(JudgeUnavailableError, match="away"):
            await breaker.ask(QUESTION)
    assert len(judge.asked) == 5
