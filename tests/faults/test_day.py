"""A short day of the containers behind their proxy: the site is restarted, the database too, the broker loses all.

Agents go on all the while, as a client does: what gets no answer, or a 5xx, is sent again under its Idempotency-Key.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db import connection

from guardapp.embedded import EmbeddedPostgres
from reviews.messaging import signals
from reviews.models import Action, Execution, Status
from tests import stack
from tests.api.agent import NATIVE
from tests.cast import make_cast
from tests.faults.compose import Containers, containers

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

SITES = ("web", "web 2")
# What a client waits before it sends again.
PAUSE_SECONDS = 0.1
# What an agent does between two calls. Without it three agents take both cores from the sites that start again.
THINKING_SECONDS = 0.2
# A check that PostgreSQL's restart has cut off is resumed when its lease is over. A renewal takes a statement; four
# seconds are many, and with the default of twenty the day would mostly wait.
LEASE_SECONDS = "4"


@dataclass
class Day:
    """What agents met."""

    client: httpx.Client
    secret: str
    over: threading.Event = field(default_factory=threading.Event)
    actions: dict[str, str] = field(default_factory=dict)
    """Idempotency-Key -> the action that was answered."""
    troubles: list[tuple[float, str]] = field(default_factory=list)
    """When something else than an answer came, and what."""

    def agent(self, number: int) -> None:
        """Propose, run what is approved, and so on until the day is over."""
        for turn in range(10_000):
            if self.over.is_set():
                return
            key = f"agent-{number}-{turn}"
            body = {**NATIVE, "trace_id": key}
            action = self.sent(f"{key}-submit", "/api/v1/actions", body)
            self.actions[key] = action["id"]
            if (action["decision"] or {}).get("outcome") == "approve":
                self.sent(f"{key}-run", f"/api/v1/actions/{action['id']}/execution", None)
            self.over.wait(THINKING_SECONDS)

    def sent(self, key: str, path: str, body: Any) -> Any:
        """The answer, however often it has to be asked for."""
        headers = {"Authorization": f"Bearer {self.secret}", "Idempotency-Key": key, "Prefer": "wait=5"}
        while True:
            try:
                answer = self.client.post(path, json=body, headers=headers)
            except httpx.HTTPError as error:
                self.troubles.append((time.monotonic(), repr(error)))
            else:
                if answer.is_success:
                    return json.loads(answer.content)
                self.troubles.append((time.monotonic(), f"{answer.status_code} {answer.text}"))
                assert answer.status_code >= 500, answer.text
            time.sleep(PAUSE_SECONDS)

    def outside(self, *windows: tuple[float, float]) -> list[str]:
        """Troubles at other times."""
        return [what for at, what in self.troubles if not any(begin <= at <= end for begin, end in windows)]

    def lasting(self, seconds: float) -> None:
        """Let some calls through."""
        before = len(self.actions)
        stack.until(lambda: len(self.actions) > before + 3, what="calls that go through")
        time.sleep(seconds)


@contextmanager
def working(day: Day, agents: int) -> Iterator[None]:
    with ThreadPoolExecutor(agents) as threads:
        running = [threads.submit(day.agent, number) for number in range(agents)]
        try:
            yield
        finally:
            day.over.set()
    for agent in running:
        agent.result()


def restarted_one_after_the_other(running: Containers) -> None:
    for site in SITES:
        running.end(site)
        running.start("web", name=site)
        stack.until(lambda site=site: running.answers(site), what=site)  # type: ignore[misc]


def figures(running: Containers, name: str) -> str:
    return httpx.get(f"http://127.0.0.1:{running.port(f'{name} figures')}/metrics").text


def test_a_day_loses_nothing_and_does_nothing_twice(tmp_path: Path, postgres: EmbeddedPostgres) -> None:
    cast = make_cast()
    # The tables are the test's own; `tests/browser/test_first_run.py` migrates an empty database by the same file.
    with containers(tmp_path, CHECK_LEASE_SECONDS=LEASE_SECONDS) as running:
        for service in ("worker-checks", "worker-default", "beat"):
            running.start(service)
        for site in SITES:
            running.start("web", name=site)
        for site in SITES:
            stack.until(lambda site=site: running.answers(site), what=site)  # type: ignore[misc]
        with running.proxy(*SITES) as client:
            day = Day(client, cast.agent_secret)
            with working(day, agents=3):
                day.lasting(0.5)
                restarted_one_after_the_other(running)
                day.lasting(0.5)
                signals.redis_client().flushall()
                day.lasting(0.5)
                away = time.monotonic()
                postgres.restart()
                day.lasting(0.5)
                # Two seconds in which connections that were cut are found out.
                back = time.monotonic() + 2
            check_outside(client)
        connection.close()
        assert day.outside((away, back)) == [], running.errors("proxy")
        check_nothing_lost_or_doubled(day)
        assert "guard_submissions_total" in figures(running, "web")
        assert 'guard_verdicts_total{detector="provenance-guard"' in figures(running, "worker-checks")
        assert "guard_sweeps_total" in figures(running, "worker-default")


def check_outside(client: httpx.Client) -> None:
    """The proxy shows the site's pages over TLS with their headers, and nothing that is for those inside."""
    page = client.get("/sign-in")
    assert page.status_code == 200
    assert page.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    assert page.headers["X-Request-ID"]
    assert [client.get(path).status_code for path in ("/metrics", "/readyz")] == [404, 404]


def check_nothing_lost_or_doubled(day: Day) -> None:
    assert len(day.actions) >= 12
    stack.until(lambda: not Action.objects.filter(status=Status.CHECKING).exists(), what="the last verdicts")
    # One action for each name, and no action nobody was told of.
    assert Counter(day.actions.values()).most_common(1)[0][1] == 1
    assert {str(pk) for pk in Action.objects.values_list("pk", flat=True)} == set(day.actions.values())
    assert not Action.objects.exclude(status=Status.DECIDED).exists()
    assert 0 < Execution.objects.count() <= len(day.actions)
