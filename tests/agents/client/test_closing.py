"""A guard that is closed leaves nobody waiting, runs nothing, withdraws what it proposed and reports what has run."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from reviews.agents.client.provenanceguard import AsyncGuard, ClosedError, Guard, NotRunnableError
from reviews.agents.client.provenanceguard.proposals import NOT_RUN
from reviews.agents.client.provenanceguard.testing import KEY, FakeGuard, allowed, flagged
from tests.eventually import until

CALL, PAST = ("pay", {"amount": 30}), {"query": "Pay Daniel 30"}
# What a wait for a thread may take before it counts as hung.
HANG_SECONDS = 20


class Slow(httpx.AsyncBaseTransport):
    """A guard that takes its time where the path ends so, and says when it begins to."""

    def __init__(self, fake: FakeGuard, end: str) -> None:
        self.fake, self.end, self.begun = fake, end, threading.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith(self.end):
            self.begun.set()
            await asyncio.sleep(0.3)
        return self.fake.answer(request)


def must_not_run(**arguments: Any) -> None:
    raise AssertionError(arguments)


def test_closing_ends_what_other_threads_wait_for_and_withdraws_it() -> None:
    fake, pending = FakeGuard(flagged), threading.Semaphore(0)
    guard = fake.guard()

    def wait() -> None:
        with pytest.raises(ClosedError, match="not run"):
            guard.run(CALL, PAST, must_not_run, on_pending=lambda action: pending.release())

    with ThreadPoolExecutor(3) as pool:
        waits = [pool.submit(wait) for _ in range(3)]
        for _ in waits:
            pending.acquire()
        guard.close()
        for one in waits:
            one.result(HANG_SECONDS)
    assert [action["status"] for action in fake.actions.values()] == ["cancelled"] * 3


def test_what_is_just_being_proposed_is_withdrawn_too() -> None:
    slow = Slow(FakeGuard(flagged), "/actions")
    guard = Guard("http://guard.test", KEY, transport=slow)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(guard.run, CALL, PAST, must_not_run)
        slow.begun.wait()
        guard.close()
        with pytest.raises(NotRunnableError):
            waiting.result(HANG_SECONDS)
    assert [action["status"] for action in slow.fake.actions.values()] == ["cancelled"]


def test_a_permission_that_is_just_being_taken_is_given_back() -> None:
    slow = Slow(FakeGuard(), "/execution")
    guard = Guard("http://guard.test", KEY, transport=slow)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(guard.run, CALL, PAST, must_not_run)
        slow.begun.wait()
        guard.close()
        with pytest.raises(NotRunnableError):
            waiting.result(HANG_SECONDS)
    assert slow.fake.reports == [{"status": "failed", "outcome": NOT_RUN}]


async def test_a_task_that_is_cancelled_at_its_start_gives_its_permission_back() -> None:
    slow = Slow(FakeGuard(), "/execution")
    async with AsyncGuard("http://guard.test", KEY, transport=slow) as guard:
        task = asyncio.create_task(guard.run(CALL, PAST, must_not_run))
        await asyncio.to_thread(slow.begun.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert slow.fake.reports == [{"status": "failed", "outcome": NOT_RUN}]


def test_what_has_run_is_returned_and_reported_although_the_guard_is_closed_meanwhile() -> None:
    slow = Slow(FakeGuard(), "/outcome")
    guard = Guard("http://guard.test", KEY, transport=slow)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(guard.run, CALL, PAST, lambda amount: f"paid {amount}")
        slow.begun.wait()
        guard.close()
        assert running.result(HANG_SECONDS) == "paid 30"
    assert slow.fake.reports == [{"status": "succeeded", "outcome": "paid 30"}]


def test_a_guard_that_was_closed_opens_again_and_one_that_was_never_used_closes() -> None:
    fake = FakeGuard()
    guard = fake.guard()
    for _ in range(2):
        guard.close()
        assert guard.run(CALL, PAST, lambda amount: amount) == 30


def test_of_calls_around_many_closings_each_has_its_result_or_hears_that_it_was_closed() -> None:
    guard = FakeGuard(allowed).guard()
    over = time.monotonic() + 1.5

    def call() -> list[object]:
        results: list[object] = []
        while time.monotonic() < over:
            try:
                results.append(guard.run(CALL, PAST, lambda amount: amount))
            except ClosedError:
                results.append(ClosedError)
        return results

    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(call) for _ in range(4)]
        while time.monotonic() < over:
            guard.close()
        results = {result for one in calls for result in one.result(HANG_SECONDS)}
    guard.close()
    assert results <= {30, ClosedError}


async def test_one_loops_closing_leaves_another_ones_withdrawals_to_it() -> None:
    slow = Slow(FakeGuard(flagged), "/cancel")
    guard = Guard("http://guard.test", KEY, transport=slow)
    task = asyncio.create_task(guard.asynchronous.run(CALL, PAST, must_not_run))
    await until(lambda: bool(slow.fake.actions))
    task.cancel()
    await until(slow.begun.is_set)
    await asyncio.to_thread(guard.list_actions)
    await asyncio.to_thread(guard.close)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [action["status"] for action in slow.fake.actions.values()] == ["cancelled"]
