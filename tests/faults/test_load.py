"""A steady stream of calls while workers are killed at random: none is lost, doubled, or runs without a decision.

`make test-faults TESTS=tests/faults/test_load.py RATE=1000 MINUTES=10` runs the whole: calls a minute, for so long.
"""

import logging
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from typing import Final, TypeAlias

import httpx
import pytest
from django.db import connection

from reviews.models import Action, Status
from tests.cast import make_cast
from tests.faults.test_kills import (
    Ledger,
    Stack,
    act_as_reviewer,
    answers,
    check_ledger,
    run_if_approved,
    running,
    submit_call,
)

__all__ = ["running"]
RATE: Final = float(os.environ.get("RATE", "300"))
"""Calls that are submitted in a minute."""
MINUTES: Final = float(os.environ.get("MINUTES", "0.5"))
SUBMITTING: Final = 8
RUNNING: Final = 64
"""Agents that wait for what was submitted, and run it."""
PAUSE_SECONDS: Final = (2.0, 20.0)
"""Between two kills: a program that dies ever again is started again ever later."""
DRAIN_SECONDS: Final = 60 + 120 * MINUTES
Run: TypeAlias = Callable[[str, float], None]
_log = logging.getLogger(__name__)

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True), pytest.mark.timeout(400 + 240 * MINUTES)]


def submit_on_time(client: httpx.Client, ledger: Ledger, turns: "count[int]", run: Run) -> None:
    """Submit each call whose turn it is at its time, or as soon as there is time for it, and have it run."""
    for turn in turns:
        due = ledger.started + turn * 60 / RATE
        if due > ledger.started + 60 * MINUTES:
            return
        time.sleep(max(0.0, due - time.monotonic()))
        run(*submit_call(client, ledger))


def kill_workers(processes: Stack, until: float) -> int:
    """Kill a worker now and then, all of it or one of its processes. Returns how often."""
    workers = [program.name for program in processes.programs if program.name.startswith("worker")]
    for kills in count():
        again = time.monotonic() + random.uniform(*PAUSE_SECONDS)
        if again > until:
            return kills
        processes.until(lambda again=again: time.monotonic() > again)  # type: ignore[misc]
        processes.kill(random.choice(workers), child=random.random() < 1 / 2)
    raise AssertionError("counting ends")


def test_a_stream_of_calls_outlives_its_workers(running: tuple[str, Stack]) -> None:
    site, processes = running
    cast, ledger, turns, runs = make_cast(), Ledger(), count(), list[Future[None]]()
    headers = {"Authorization": f"Bearer {cast.agent_secret}"}
    limits = httpx.Limits(max_connections=None)
    client = httpx.Client(base_url=site, headers=headers, timeout=20, limits=limits)
    with client, ThreadPoolExecutor(SUBMITTING + 1) as threads, ThreadPoolExecutor(RUNNING) as agents:

        def run(action: str, sent: float) -> None:
            runs.append(agents.submit(run_if_approved, client, action, sent, ledger))

        submitting = [threads.submit(submit_on_time, client, ledger, turns, run) for _ in range(SUBMITTING)]
        reviewing = threads.submit(act_as_reviewer, cast, ledger)
        try:
            kills = kill_workers(processes, ledger.started + 60 * MINUTES)
            processes.until(lambda: all(done.done() for done in submitting), seconds=DRAIN_SECONDS)
            submitted = 60 * len(ledger.submissions) / (time.monotonic() - ledger.started)
            # What was submitted is decided and run to its end: on a machine that is too slow, much later.
            processes.until(lambda: all(done.done() for done in runs), seconds=DRAIN_SECONDS)
        finally:
            connection.close()
            ledger.stopping.set()
            processes.until(lambda: all(done.done() for done in (*submitting, *runs, reviewing)))
        for done in (*submitting, *runs, reviewing):
            done.result()
    drained = time.monotonic() - ledger.started - 60 * MINUTES
    processes.until(lambda: not Action.objects.filter(status=Status.CHECKING).exists())
    assert answers(site)
    figures = (kills, submitted, RATE, drained)
    _log.warning("%d kills of workers; %.0f submissions a minute of %.0f; at rest %.0f s behind the last", *figures)
    check_ledger(ledger)
