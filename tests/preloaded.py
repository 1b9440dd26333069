"""Processes of the product without the seconds that each spends on importing what all of them import.

`python -m tests.preloaded` has imported it, and forks a process at each order. That process takes the program's
arguments, environment and output, and is from there on what `python -m PROGRAM` would be. Nothing that reads settings
is imported before, because each order has its own. (The product's own programs stand by in the same way.)
"""

import ctypes
import gc
import json
import os
import runpy
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Final

from django.conf import settings

from reviews.scheduling import warmup

ROOT: Final = Path(__file__).resolve().parent.parent
MODULES: Final = (
    "celery.apps.beat", "celery.apps.worker", "celery.bin.beat", "celery.bin.celery", "celery.bin.worker",
    "celery.concurrency.prefork", "celery.concurrency.thread", "celery.fixups.django", "celery.worker.consumer",
    "django.core.management", "django.db.models", "django.http", "django.template", "django.urls", "granian.cli",
    "granian.server", "httpx", "jsonschema", "kombu.transport.redis", "opentelemetry.sdk.trace.export",
    "psycopg", "psycopg_pool", "pydantic_settings", "redis.asyncio", "requests",
    "reviews.evaluation.measures.interrater_agreement", "reviews.provenance.detectors", "rich.traceback", "structlog",
)  # fmt: skip
# From <linux/prctl.h>; Python has no name for it.
PR_SET_CHILD_SUBREAPER: Final = 36
MAX_ORDER: Final = 1 << 20


class Child:
    """A process that was forked elsewhere and then became a child of this one; the part of `Popen` that tests use."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The status it ended with, or None while it runs."""
        return self._look(os.WNOHANG)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return its status."""
        if timeout is None:
            return self._look(0) or 0
        deadline = time.monotonic() + timeout
        while (status := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.02)
        return status

    def send_signal(self, number: int) -> None:
        """Send this signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def _look(self, how: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, how)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


class Origin:
    """What forks the processes that are ordered here. One of each process of the tests, since the first order."""

    def __init__(self) -> None:
        self.orders, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            command = [sys.executable, "-m", "tests.preloaded", str(its.fileno())]
            # In a session of its own: who interrupts the tests does not mean it before they have killed its processes.
            self.process = subprocess.Popen(command, cwd=ROOT, pass_fds=[its.fileno()], start_new_session=True)

    def fork(self, command: Sequence[str], environment: Mapping[str, str], output: IO[bytes] | None) -> int:
        """Order a process, become its parent, and return its id."""
        order = json.dumps([command, dict(environment)]).encode()
        with _adopting_orphans():
            socket.send_fds(self.orders, [order], [output.fileno()] * 2 if output else [1, 2])
            return int(self.orders.recv(64))

    def end(self) -> None:
        """Order nothing any more, which ends it."""
        self.orders.close()
        self.process.kill()
        self.process.wait()


_origins: list[Origin] = []


def start(command: Sequence[str], environment: Mapping[str, str], output: IO[bytes] | None) -> Child:
    """Start this module with these arguments as `python -m` would, in a session of its own."""
    if not _origins:
        _origins.append(Origin())
    try:
        return Child(_origins[0].fork(command, environment, output))
    except BaseException:
        # The answer may still come after a time-out, and would be taken for that to the next order.
        stop()
        raise


def stop() -> None:
    """End what forks the processes, if any was started."""
    while _origins:
        _origins.pop().end()


@contextmanager
def _adopting_orphans() -> Iterator[None]:
    """Become the parent of what has lost its own: only as long as this is asked for, not of what tests orphan."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        yield
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, 0)


def main() -> None:
    """Import, fill the tables of the engine, then serve orders until nobody is left who could give one."""
    for module in MODULES:
        import_module(module)
    for request in warmup.REQUESTS:
        warmup.verdict_on(request)
    # Both read the environment once, which must be that of the order.
    assert not settings.configured
    assert "prometheus_client" not in sys.modules
    # Kept for ever: a process that is forked need not look at it.
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as orders:
        while True:
            order, descriptors, _, _ = socket.recv_fds(orders, MAX_ORDER, 2)
            if not order:
                return
            if not (pid := _fork_orphan()):
                break
            for descriptor in descriptors:
                os.close(descriptor)
            orders.send(str(pid).encode())
    _become(descriptors, *json.loads(order))


def _fork_orphan() -> int:
    """Fork through a process that ends at once, so that whoever adopts orphans becomes the parent.

    Returns the new process' id, and 0 in itself, as a fork does.
    """
    reader, writer = os.pipe()
    if between := os.fork():
        # With its end its child has been adopted; a child that has told its id leads a session.
        os.waitpid(between, 0)
        pid = int(os.read(reader, 64))
    elif os.fork():
        os._exit(0)
    else:
        os.setsid()
        os.write(writer, str(os.getpid()).encode())
        pid = 0
    os.close(reader)
    os.close(writer)
    return pid


def _become(descriptors: Sequence[int], command: Sequence[str], environment: Mapping[str, str]) -> None:
    for descriptor, output in zip(descriptors, (1, 2), strict=True):
        os.dup2(descriptor, output)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = list(command)
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
