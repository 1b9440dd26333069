"""A private PostgreSQL and Redis from wheels, for the demonstration and the tests. No service of the machine is used.

Everything lives under one directory, listens on 127.0.0.1 only, asks for a random password and may be started again
after any kind of end.
"""

import fcntl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from guardapp.servers.machine import EmbeddedError
from guardapp.servers.postgres import EmbeddedPostgres
from guardapp.servers.redis import EmbeddedRedis

__all__ = ["EmbeddedError", "EmbeddedPostgres", "EmbeddedRedis", "Services", "run_services"]


@dataclass(frozen=True)
class Services:
    """The running pair; each knows the `url` by which a client reaches it."""

    postgres: EmbeddedPostgres
    redis: EmbeddedRedis


@contextmanager
def run_services(directory: Path, *, durable: bool) -> Iterator[Services]:
    """Both servers under `directory`, stopped on leaving. `durable=False` gives up crash safety for speed.

    Raises `EmbeddedError` when another process holds the directory or a server does not start.
    """
    directory.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        # Held first and let go last: two owners would take each other's server for one that a crash left over.
        stack.enter_context(_hold_lock(directory / "services.lock"))
        postgres = stack.enter_context(EmbeddedPostgres(directory / "postgres", durable=durable))
        redis = stack.enter_context(EmbeddedRedis(directory / "redis"))
        yield Services(postgres, redis)


@contextmanager
def _hold_lock(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        try:
            # The kernel lets go of it however the process ends, so that no stale lock is left behind.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EmbeddedError(f"Another process already runs the servers of {lock.parent}") from None
        yield
