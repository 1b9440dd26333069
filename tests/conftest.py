"""The servers under every test, and what a test may do to them."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from django.db import connection

from guardapp.embedded import EmbeddedPostgres, EmbeddedRedis
from tests import environment

pytest_plugins = ["tests.cast", "tests.gates", "tests.panel"]

WITHOUT_SERVERS: Final = ("provenance", "servers", "structure")
"""Folders whose tests need neither database nor broker."""


def pytest_configure() -> None:
    """Let a polite kill stop the servers too."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start the servers when some collected test needs them."""
    if not session.config.option.collectonly and any(map(_needs_servers, session.items)):
        environment.start()


def pytest_unconfigure() -> None:
    """Stop the servers, however the run ended."""
    environment.stop()


def _needs_servers(item: pytest.Item) -> bool:
    return item.path.relative_to(Path(__file__).parent).parts[0] not in WITHOUT_SERVERS


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
