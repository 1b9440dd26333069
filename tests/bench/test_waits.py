"""Thousands of waiting agents: what each takes of memory, how long taking them up lasts, and what a wait costs."""

import asyncio
import resource
import time
from pathlib import Path

import pytest

from tests import stack
from tests.bench.conftest import UNBOUNDED, Site
from tests.bench.flow import submitted
from tests.bench.load import Connection
from tests.bench.report import cpu_of, report
from tests.cast import make_cast

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

WAITING = 5000
ACTIONS = 20
TOGETHER = 100
"""Connections that are opened at once: the kernel's queue of those nobody has accepted yet is short."""


def test_waits(durable: None, transactional_db: None) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16_000), hard))
    with stack.served("--workers", "1", **UNBOUNDED) as (url, server):
        site = Site(url, server, make_cast())
        actions = submitted(site, ACTIONS)
        (worker,) = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()[-1:]
        before = _resident(worker)
        with cpu_of(int(worker)) as cpu:
            seconds = asyncio.run(_taken_up(site, actions, worker))
        after = MOST["kilobytes"]
    report("taking up 5,000 waits", ours=seconds, unit="s", goal=6, lower=True)
    report("memory of a wait", ours=(after - before) / WAITING, unit="KB", goal=20, lower=True)
    report("CPU of a wait", ours=1000 * cpu["seconds"] / WAITING, unit="ms", goal=1, lower=True)


MOST = {"kilobytes": 0.0}


async def _taken_up(site: Site, actions: list[str], worker: str) -> float:
    """Seconds until the server rests with everybody waiting."""
    connections = [Connection(site.url) for _ in range(WAITING)]
    started = time.monotonic()
    waits: list[asyncio.Task[object]] = []
    for first in range(0, WAITING, TOGETHER):
        some = connections[first : first + TOGETHER]
        await asyncio.gather(*(connection.open() for connection in some))
        waits += [
            asyncio.create_task(connection.send(site.reading(actions[number % ACTIONS], wait=60)))
            for number, connection in enumerate(some)
        ]
    ticks, rested = -1, time.monotonic()
    while ticks != (ticks := _ticks(worker)):
        rested = time.monotonic()
        await asyncio.sleep(0.25)
    MOST["kilobytes"] = _resident(worker)
    assert not any(wait.done() for wait in waits)
    for wait in waits:
        wait.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
    await asyncio.gather(*(connection.close() for connection in connections))
    return rested - started


def _resident(pid: str) -> float:
    """Kilobytes of memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def _ticks(pid: str) -> int:
    """A tenth of a second of CPU: an idle process computes for a tick now and then."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) // 10
