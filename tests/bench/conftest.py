"""The product's processes as in production: several web processes, and a database that keeps what it confirms."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from uuid import uuid4

import pytest
from django.db import connection

from guardapp.web import web_workers
from tests import environment, preloaded, stack
from tests.api.agent import NATIVE
from tests.bench import report as figures
from tests.bench.load import Request
from tests.cast import Cast, make_cast
from tests.preloaded import Child

# The budgets of submissions are there to stop exactly what a benchmark does.
UNBOUNDED = dict.fromkeys(
    ("SUBMISSIONS_PER_KEY", "SUBMISSIONS_PER_WORKSPACE", "KILOBYTES_PER_KEY", "KILOBYTES_PER_WORKSPACE"), "1000000000"
)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what each file takes, with its preparations."""
    file = report.nodeid.partition("::")[0]
    if Path(file).parent == Path("tests/bench"):
        figures.spent(file, report.duration)


def pytest_sessionfinish() -> None:
    """Keep what was measured, once: a run that is broken off leaves the figures of the last whole one."""
    figures.write()


@dataclass(frozen=True)
class Site:
    """The site under load."""

    url: str
    server: Child
    cast: Cast

    @property
    def pids(self) -> tuple[int, ...]:
        """The web server and the database."""
        pid = environment.postgres.pid if environment.postgres else None
        return (self.server.pid, *([pid] if pid else []))

    def submission(self, **changed: object) -> Request:
        """A submission of a new conversation."""
        body = NATIVE | {"trace_id": str(uuid4())} | changed
        headers = {"Authorization": f"Bearer {self.cast.agent_secret}", "Content-Type": "application/json"}
        return Request("POST", "/api/v1/actions", json.dumps(body).encode(), headers)

    def reading(self, action_id: str, *, wait: int = 0) -> Request:
        """A look at an action."""
        query = f"?wait={wait}" if wait else ""
        headers = {"Authorization": f"Bearer {self.cast.agent_secret}"}
        return Request("GET", f"/api/v1/actions/{action_id}{query}", headers=headers)


@pytest.fixture(scope="session", autouse=True)
def started_alone() -> Iterator[None]:
    """Each process imports what it needs itself: one forked by another that has imported more holds all of that."""

    def start(
        command: Sequence[str], variables: Mapping[str, str], output: IO[bytes] | None
    ) -> subprocess.Popen[bytes]:
        program = [sys.executable, "-m", *command]
        return subprocess.Popen(
            program, cwd=stack.ROOT, env=dict(variables), stdout=output, stderr=output, start_new_session=True
        )

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(preloaded, "start", start)
        yield


@pytest.fixture(scope="session")
def durable(django_db_setup: None) -> None:
    """The database of the run writes what it confirms to the disk, as in production."""
    if environment.postgres is None:
        pytest.skip("DATABASE_URL names a server whose settings are not ours")
    connection.close()
    environment.postgres.stop()
    environment.postgres.durable = True
    environment.postgres.start()


@pytest.fixture
def site(durable: None, transactional_db: None) -> Iterator[Site]:
    """The site with as many processes as in production."""
    cast = make_cast()
    with stack.served("--workers", str(web_workers()), **UNBOUNDED) as (url, server):
        yield Site(url, server, cast)
