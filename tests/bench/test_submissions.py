"""Submissions a second, beside a bare Django endpoint that makes one INSERT on the same machine in the same run."""

import asyncio
import statistics
from collections.abc import Iterator

import pytest
from django.db import connection

from guardapp.web import web_workers
from tests import stack
from tests.bench.conftest import Site
from tests.bench.flow import submitted
from tests.bench.load import Load, drive
from tests.bench.report import cpu_of, megabytes_of_children, report

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

ROUNDS = 3
"""Ours and the floor by turns, so that a neighbour's work slows both."""
CLIENTS = 16
OURS, BARE = 400, 1600
"""Requests of a round: about a second each."""
FIRST, REMEMBERED = 400, 6000
"""Submissions before memory is looked at, and those that a process could remember something of."""


@pytest.fixture
def bare(site: Site) -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_bare (id bigserial PRIMARY KEY, body jsonb NOT NULL)")
    port = stack.free_port()
    command = (
        "granian",
        "--interface=wsgi",
        "--workers",
        str(web_workers()),
        "--blocking-threads=4",
        "--log-level=warning",
    )
    with stack.process(*command, "--port", str(port), "tests.bench.bare:application"):
        url = f"http://127.0.0.1:{port}"
        stack.until(lambda: stack._answers(f"{url}/healthz"), what="the floor")
        yield url
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE bench_bare")


def test_submissions(site: Site, bare: str) -> None:
    def submit(url: str, number: int) -> Load:
        load = asyncio.run(drive(url, [site.submission() for _ in range(number)], clients=CLIENTS))
        assert load.statuses() == {202: number}
        return load

    submit(site.url, 50)
    submit(bare, 50)
    ratios, rates, floors, costs = [], [], [], []
    for _ in range(ROUNDS):
        with cpu_of(*site.pids) as cpu:
            ours = submit(site.url, OURS)
        floor = submit(bare, BARE)
        rates.append(ours.rate)
        floors.append(floor.rate)
        ratios.append(ours.rate / floor.rate)
        costs.append(1000 * cpu["seconds"] / OURS)
    report(
        "submissions beside a bare INSERT",
        ours=statistics.median(ratios),
        unit="of the floor",
        goal=0.25,
        rate=statistics.median(rates),
        floor=statistics.median(floors),
        spread=f"{min(ratios):.2f}-{max(ratios):.2f}",
        cpu_ms=statistics.median(costs),
        p95_ms=ours.milliseconds(95),
    )


def test_memory_of_a_web_process(site: Site) -> None:
    submitted(site, FIRST)
    at_first = max(megabytes_of_children(site.server.pid))
    submitted(site, REMEMBERED)
    most = max(megabytes_of_children(site.server.pid))
    report("memory of a web process", ours=most, unit="MB", goal=250, lower=True, at_first=at_first)
