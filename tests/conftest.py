"""The servers under every test, and what a test may do to them."""

import gc
import os
import signal
import ssl
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import hypothesis
import pytest
from django.conf import settings
from django.db import connection
from xdist.scheduler import LoadFileScheduling

from guardapp.embedded import EmbeddedPostgres, EmbeddedRedis
from reviews.scheduling.killable_pool import KillablePool
from tests import environment, preloaded

pytest_plugins = ["tests.jobs", "tests.cast", "tests.emptying", "tests.gates", "tests.panel"]

WITHOUT_SERVERS: Final = ("provenance", "servers", "structure")
"""Folders whose tests need neither database nor broker."""


_create_context = ssl.create_default_context
_trusting = cache(lambda cafile: _create_context(cafile=cafile))


def _shared_context(*args: Any, **options: Any) -> ssl.SSLContext:
    """What every new client of httpx reads again, 140 certificates in 30 ms; any other context is made as asked for."""
    return _trusting(**options) if not args and options.keys() == {"cafile"} else _create_context(*args, **options)


def pytest_configure() -> None:
    """Let a polite kill stop the servers too; try as many made-up examples as `HYPOTHESIS_PROFILE` says."""
    # Modules and tests are made by ten thousands, and all stay: to look for garbage among them takes every process
    # three seconds. Behind the collection it is looked for again.
    gc.disable()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ssl.create_default_context = _shared_context
    # Else every test client looks through all static files before its first request. Servers that tests start do.
    settings.WHITENOISE_AUTOREFRESH = True
    # Fifty find what a change has broken; a night has time for rare cases. How long one takes depends on who else runs.
    hypothesis.settings.register_profile("change", max_examples=50, deadline=None)
    hypothesis.settings.register_profile("nightly", max_examples=2000, deadline=None)
    hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "change"))


# What takes longest comes first, in this order, so that no worker is left alone with it at the end. What mostly waits
# comes before what computes, and runs beside it. A worker is given a file at a time (`--dist loadfile`), because the
# tests of one share servers that take seconds to start.
FIRST: Final = (
    "faults", "browser", "provenance/detectors/argus/test_http.py", "api/longpoll/test_server.py",
    "test_access_matrix.py", "structure/test_budget.py", "agents/adapters/test_quickstarts.py",
    "decisions/test_races.py", "api/test_contract.py", "intake/wire/test_nothing_dropped.py", "test_migrations.py",
)  # fmt: skip


class FaultsTogether(LoadFileScheduling):  # type: ignore[misc]  # it ships no types
    """Gives out a file at a time, but `faults` as a whole: it waits for minutes for what it has killed.

    Two workers that wait would leave a core without work.
    """

    def _split_scope(self, nodeid: str) -> str:
        return "tests/faults" if nodeid.startswith("tests/faults/") else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    """Ours where files are given out whole."""
    return FaultsTogether(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the longest come first, whatever the random order of the rest."""
    items.sort(key=lambda item: _rank(item.path))


@cache
def _rank(path: Path) -> int:
    return next((rank for rank, place in enumerate(FIRST) if _place(path).startswith(place)), len(FIRST))


def _place(path: Path) -> str:
    return path.relative_to(Path(__file__).parent).as_posix()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start the servers when some collected test needs them; look through what is there by now for no garbage again."""
    # Else each of many collections walks all modules and tests, for tenths of a second.
    gc.freeze()
    gc.enable()
    if not session.config.option.collectonly and any(map(_needs_servers, session.items)):
        environment.start()


def pytest_unconfigure() -> None:
    """Stop the servers, however the run ended."""
    preloaded.stop()
    environment.stop()


def _needs_servers(item: pytest.Item) -> bool:
    return _place(item.path).split("/")[0] not in WITHOUT_SERVERS


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """A database on a server of ours goes with it: to drop it first would only wait for who is still connected."""
    return environment.postgres is not None


@pytest.fixture
def postgres() -> Iterator[EmbeddedPostgres]:
    """The PostgreSQL under the test, which may stop it: it runs again afterwards."""
    if environment.postgres is None:
        pytest.skip("DATABASE_URL names a server that is not ours to stop")
    yield environment.postgres
    if environment.postgres.pid is None:
        environment.postgres.start()
    connection.close()


@pytest.fixture
def redis_server() -> Iterator[EmbeddedRedis]:
    """The Redis under the test, which may stop it: it runs again afterwards."""
    if environment.redis is None:
        pytest.skip("REDIS_URL names a server that is not ours to stop")
    yield environment.redis
    if not environment.redis.running:
        environment.redis.start()


@pytest.fixture
def endless_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever an edit or a preview has done elsewhere would take an hour, and gets a tenth of a second."""
    run_within = KillablePool.run_within
    monkeypatch.setattr(
        KillablePool, "run_within", lambda pool, seconds, *_: run_within(pool, seconds, time.sleep, 3600)
    )
    monkeypatch.setattr(settings, "GUARD", settings.GUARD.model_copy(update={"edit_seconds": 0.1}))
