"""Decisions at the desk: how many a second, how long until the waiting agent has one, and the whole way of a call."""

import asyncio
import time
from typing import Final
from uuid import UUID

import pytest
import redis.asyncio
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections

from reviews.models import Review
from tests import stack
from tests.bench.conftest import Site
from tests.bench.flow import WRONG, decision, none_checking, person, submitted, until
from tests.bench.load import Connection, drive, percentile
from tests.bench.report import cpu_of, report

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

DECIDED, AWAITED = 240, 60
WARM = 48
"""Decisions before the clock starts: each connection of the pool prepares its statements at their first use."""
CLIENTS = 8


def test_decisions(site: Site) -> None:
    with stack.worker(queues="checks"):
        submitted(site, DECIDED + AWAITED + WARM, action=WRONG)
        until(none_checking)
    reviews = list(Review.objects.order_by("pk").values_list("pk", "action_id"))
    headers = person(site.cast.reviewer)
    warm = [decision(review, headers, site.cast.reviewer) for review, _ in reviews[:WARM]]
    asyncio.run(drive(site.url, warm, clients=CLIENTS))
    many = [decision(review, headers, site.cast.reviewer) for review, _ in reviews[WARM : WARM + DECIDED]]
    with cpu_of(*site.pids) as cpu:
        load = asyncio.run(drive(site.url, many, clients=CLIENTS))
    assert load.statuses() == {302: DECIDED}
    report(
        "decisions at the desk",
        ours=load.rate,
        unit="a second",
        goal=300,
        p95_ms=load.milliseconds(95),
        cpu_ms=1000 * cpu["seconds"] / DECIDED,
    )
    delays = asyncio.run(_delays(site, [(str(r), str(a)) for r, a in reviews[-AWAITED:]], headers))
    bare = asyncio.run(_bare_publishes())
    report(
        "decision to waiting agent, p95",
        ours=percentile(delays, 95) / percentile(bare, 95),
        unit="of a bare publish",
        goal=12,
        lower=True,
        p95_ms=1000 * percentile(delays, 95),
        p50_ms=1000 * percentile(delays, 50),
        bare_p95_ms=1000 * percentile(bare, 95),
    )


async def _delays(site: Site, items: list[tuple[str, str]], headers: dict[str, str]) -> list[float]:
    """Seconds from the moment a decision is sent to that at which the agent has it."""
    desk, delays = Connection(site.url), []
    for review, action in items:
        agent = Connection(site.url)
        waiting = asyncio.create_task(agent.send(site.reading(action, wait=20)))
        await asyncio.sleep(0.03)
        sent = time.monotonic()
        await desk.send(decision(review, headers, site.cast.reviewer))
        answer = await waiting
        assert answer.json()["status"] == "decided"
        delays.append(answer.at - sent)
        await agent.close()
    await desk.close()
    return delays


async def _bare_publishes() -> list[float]:
    """Seconds from each message that is published to the moment at which another connection has it: the floor."""
    delays = []
    async with redis.asyncio.Redis.from_url(settings.REDIS_URL) as sender, sender.pubsub() as subscription:
        await subscription.subscribe("bench")
        await subscription.get_message(timeout=5)
        for _ in range(AWAITED):
            await asyncio.sleep(0.03)
            sent = time.monotonic()
            await sender.publish("bench", "news")
            while not await subscription.get_message(timeout=5):
                pass
            delays.append(time.monotonic() - sent)
    return delays


WHOLE: Final = 120
"""Calls that go the whole way."""


def test_the_whole_way_of_a_call(site: Site) -> None:
    headers = person(site.cast.reviewer)
    with stack.worker(queues="checks"):
        asyncio.run(_ways(site, headers, CLIENTS))
        with cpu_of(*site.pids) as cpu:
            elapsed = asyncio.run(_ways(site, headers, WHOLE))
    report(
        "submitted, decided and collected",
        ours=WHOLE / elapsed,
        unit="a second",
        goal=80,
        site_cpu_ms=1000 * cpu["seconds"] / WHOLE,
    )


async def _ways(site: Site, headers: dict[str, str], number: int) -> float:
    """Seconds in which so many calls are submitted, stopped by the guard, decided by a person and collected."""
    left = iter(range(number))

    async def agent() -> None:
        own, desk = Connection(site.url), Connection(site.url)
        for _ in left:
            action = (await own.send(site.submission(action=WRONG))).json()["id"]
            review = await _review_of(action)
            await desk.send(decision(review, headers, site.cast.reviewer))
            answer = await own.send(site.reading(action, wait=20))
            assert answer.json()["status"] == "decided"
        await own.close()
        await desk.close()

    started = time.monotonic()
    await asyncio.gather(*(agent() for _ in range(CLIENTS)))
    elapsed = time.monotonic() - started
    # Of the thread in which the database was asked: the test's database could not be dropped otherwise.
    await sync_to_async(connections.close_all)()
    return elapsed


async def _review_of(action: str) -> object:
    """The item of this action, as soon as there is one."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found = await Review.objects.filter(action=UUID(action)).values_list("pk", flat=True).afirst()
        if found is not None:
            return found
        await asyncio.sleep(0.02)
    raise AssertionError("The call did not come before a person.")
