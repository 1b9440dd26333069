"""The product's real processes, started against the test's own database and broker."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
from django.conf import settings
from django.db import connection

from guardapp.servers import machine
from guardapp.web import WEB_OPTIONS
from tests import preloaded
from tests.preloaded import Child

ROOT = preloaded.ROOT
_given_ports: set[int] = set()


def environment(**overrides: str) -> dict[str, str]:
    """The environment under which a child process sees the test's database and broker."""
    database = connection.settings_dict
    url = (
        f"postgresql://{database['USER']}:{database['PASSWORD']}"
        f"@{database['HOST']}:{database['PORT']}/{database['NAME']}"
    )
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("COV_")}
    return inherited | {
        "DATABASE_URL": url,
        "REDIS_URL": settings.REDIS_URL,
        "SECRET_KEY": settings.SECRET_KEY,
        "HTTPS": "0",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "ALLOWED_HOSTS": "127.0.0.1,localhost,testserver",
        "SWEEP_SECONDS": "1",
        **overrides,
    }


def until(condition: Callable[[], Any], *, seconds: float = 30, what: str = "the expected state") -> Any:
    """Wait for a condition and return its value; fail when it does not come."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.05)
    raise AssertionError(f"{what} did not come within {seconds} s")


@contextlib.contextmanager
def process(*command: str, log: Path | str | None = None, **overrides: str) -> Iterator[Child]:
    """A child in its own group, killed with all of its children at the end; what it writes is appended to the log."""
    with Path(log).open("ab") if log else contextlib.nullcontext() as output:
        child = preloaded.start(command, environment(**overrides), output)
        try:
            yield child
        finally:
            kill(child)


def kill(child: Child | subprocess.Popen[bytes]) -> None:
    """Kill a child and all of its children at once, as a crash would."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


@contextlib.contextmanager
def worker(
    *,
    queues: str = "checks,default",
    pool: str = "prefork",
    processes: str = "4",
    log: Path | str | None = None,
    **overrides: str,
) -> Iterator[Child]:
    """A Celery worker for these queues, in processes as the one for checks, or in threads as the other."""
    command = ("celery", "-A", "guardapp", "worker", "-P", pool, "-c", processes, "-Q", queues, "-l", "WARNING")
    with process(*command, "--without-gossip", "--without-mingle", log=log, **overrides) as child:
        yield child


@contextlib.contextmanager
def beat(directory: Path, *, log: Path | str | None = None, **overrides: str) -> Iterator[Child]:
    """Celery beat, which asks for sweeps."""
    schedule = str(directory / "schedule")
    with process("celery", "-A", "guardapp", "beat", "-s", schedule, "-l", "WARNING", log=log, **overrides) as child:
        yield child


@contextlib.contextmanager
def web(*, log: Path | str | None = None, **overrides: str) -> Iterator[str]:
    """The site under its real server; yields its address."""
    with served(log=log, **overrides) as (url, _):
        yield url


@contextlib.contextmanager
def served(*options: str, log: Path | str | None = None, **overrides: str) -> Iterator[tuple[str, Child]]:
    """The site under its real server, with more options; yields its address and the server's process."""
    port = free_port()
    command = ("granian", *WEB_OPTIONS, "--host", "127.0.0.1", "--port", str(port), "--log-level", "warning")
    with process(*command, *options, "guardapp.asgi:application", log=log, **overrides) as server:
        url = f"http://127.0.0.1:{port}"
        until(lambda: _answers(f"{url}/healthz"), what="the web server")
        yield url, server


def children_of(pid: int) -> list[int]:
    """The living processes that this one started."""
    children: list[int] = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        # A thread may end between the two looks; whatever it had started belongs to another one then.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            children += map(int, file.read_text().split())
    return children


def lives(pid: int) -> bool:
    """Whether the process is there, and not only waits for somebody to hear of its end."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    return False


def free_port() -> int:
    """A port nobody listens on, and that nobody else of this process is given before it is used."""
    # None of those that the system gives to connections, one of which could take it first.
    while (port := machine.free_port()) in _given_ports:
        pass
    _given_ports.add(port)
    return port


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=2).status_code == 200
    except httpx.HTTPError:
        return False
