"""The private servers survive every kind of end."""

import os
import signal
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
import redis

from guardapp.embedded import EmbeddedError, EmbeddedPostgres, EmbeddedRedis, run_services
from guardapp.servers.machine import free_port, read_pid, runs


def ask(server: EmbeddedPostgres, query: LiteralString) -> object:
    with psycopg.connect(server.url) as connection:
        row = connection.execute(query).fetchone()
        return row and row[0]


def remember(server: EmbeddedPostgres, word: LiteralString) -> None:
    with psycopg.connect(server.url) as connection:
        connection.execute(f"CREATE TABLE remembered AS SELECT '{word}' AS word")


def crash(server: EmbeddedPostgres) -> None:
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    while server.pid is not None:
        time.sleep(0.01)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    """A server with its data: to make them takes longer than to start it."""
    server = EmbeddedPostgres(tmp_path_factory.mktemp("shared") / "postgres", durable=False)
    server.start()
    server.stop()
    yield server
    server.discard()


@pytest.fixture
def postgres(stopped: EmbeddedPostgres) -> Iterator[EmbeddedPostgres]:
    """A server that has just started, whatever the test before has done to it."""
    stopped.start()
    yield stopped
    stopped.stop()


@pytest.fixture
def folder(stopped: EmbeddedPostgres) -> Path:
    """Where both servers have their data."""
    return stopped.directory.parent


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    with EmbeddedRedis(tmp_path / "redis") as server:
        yield server


def test_both_answer_at_their_addresses(folder: Path) -> None:
    with run_services(folder, durable=False) as running:
        assert ask(running.postgres, "SELECT 1") == 1
        assert redis.from_url(running.redis.url).ping()
    assert running.postgres.pid is None
    assert not running.redis.running


def test_a_second_start_keeps_the_data_and_the_password(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path / "postgres", durable=True) as first:
        remember(first, "kept")
    with EmbeddedPostgres(tmp_path / "postgres", durable=True) as second:
        assert ask(second, "SELECT word FROM remembered") == "kept"
        assert ask(second, "SHOW fsync") == "on"
    second.discard()


def test_a_directory_has_one_owner(folder: Path) -> None:
    with (
        run_services(folder, durable=False),
        pytest.raises(EmbeddedError, match="Another process"),
        run_services(folder, durable=False),
    ):
        pass


def test_a_restart_keeps_the_address(postgres: EmbeddedPostgres) -> None:
    url = postgres.url
    postgres.restart()
    assert postgres.url == url
    assert ask(postgres, "SELECT 1") == 1


def test_a_killed_server_starts_again_with_its_data(folder: Path) -> None:
    with EmbeddedPostgres(folder / "postgres", durable=True) as server:
        remember(server, "kept")
        crash(server)
        server.start()
        assert ask(server, "SELECT word FROM remembered") == "kept"


def test_a_pid_file_that_names_a_stranger_is_ignored_and_the_stranger_lives(postgres: EmbeddedPostgres) -> None:
    pid_file = postgres.directory.resolve() / "data" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    crash(postgres)
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        pid_file.write_text("\n".join([str(stranger.pid), *lines[1:], ""]))
        assert postgres.pid is None
        postgres.start()
        assert stranger.poll() is None
        assert ask(postgres, "SELECT 1") == 1
    finally:
        stranger.kill()
        stranger.wait()


def test_a_server_whose_owner_was_killed_is_replaced(postgres: EmbeddedPostgres) -> None:
    orphan = postgres.pid
    successor = EmbeddedPostgres(postgres.directory, durable=False)
    successor.start()
    assert successor.pid not in {orphan, None}
    assert ask(successor, "SELECT 1") == 1


def test_data_that_was_half_made_is_made_again(stopped: EmbeddedPostgres) -> None:
    data = stopped.directory.resolve() / "data"
    data.rename(data.with_name("data.partial"))
    with stopped as server:
        assert ask(server, "SELECT 1") == 1


def test_only_the_password_opens_postgres(postgres: EmbeddedPostgres) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(f"postgresql://postgres:guess@127.0.0.1:{postgres.port}/postgres")


def test_only_the_password_opens_redis(broker: EmbeddedRedis) -> None:
    # By itself the client asks four times, and waits for seconds between them.
    without_password = redis.from_url(f"redis://127.0.0.1:{broker.port}", retry=None)
    with pytest.raises(redis.AuthenticationError):
        without_password.ping()


def test_secrets_are_readable_by_their_owner_only(postgres: EmbeddedPostgres, broker: EmbeddedRedis) -> None:
    for path in (postgres.directory / "password", broker.directory / "server.conf"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_redis_restarts_empty_at_its_address(broker: EmbeddedRedis) -> None:
    client = redis.from_url(broker.url)
    client.set("key", "value")
    broker.restart()
    assert client.get("key") is None


def test_a_redis_whose_owner_was_killed_is_replaced(broker: EmbeddedRedis) -> None:
    orphan = read_pid(broker.directory / "server.pid")
    assert orphan is not None
    with EmbeddedRedis(broker.directory) as successor:
        assert redis.from_url(successor.url).ping()
        assert not runs(orphan, mark=broker.directory / "server.conf")


def test_a_server_that_cannot_start_says_why(broker: EmbeddedRedis, tmp_path: Path) -> None:
    second = EmbeddedRedis(tmp_path / "second")
    second.port = broker.port
    with pytest.raises(EmbeddedError, match="Address already in use"):
        second.start()
    assert broker.running


def test_the_preferred_port_is_taken_when_it_is_free(broker: EmbeddedRedis) -> None:
    assert free_port(broker.port) > broker.port
