"""What both servers need of the machine: packages, ports, processes, accounts, secrets."""

import contextlib
import importlib.util
import itertools
import os
import pwd
import secrets
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# A crashed database replays its log first, and the machine may be busy with starting all else.
START_SECONDS: Final = 60
# After it a server hangs: both end within a second when nothing is wrong.
STOP_SECONDS: Final = 20
# Above the longest wait of a command itself (START_SECONDS), so that its own message is the one that is shown.
COMMAND_SECONDS: Final = 90
# What fits on a terminal with the message above it.
LOG_LINES: Final = 20
# How many ports in a row are tried from a preferred one on: people run a handful of such sites, not hundreds.
PORTS_TRIED: Final = 200
# Below the range the kernel takes outgoing ports from, so that a port stays free until the server binds it.
FIRST_PORT, LAST_PORT = 15_000, 30_000


class EmbeddedError(Exception):
    """A server could not be found, started or stopped; the message ends with what its log says."""


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    ok: bool
    output: str


def package(name: str) -> Path:
    """Where a package is installed. It is not imported: start-up code of the wheels changes accounts and modes."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise EmbeddedError(f"The package {name} is not installed")
    return Path(spec.origin).parent


def free_port(preferred: int | None = None) -> int:
    """The preferred port of 127.0.0.1 or the next free one; without a preference any."""
    # At random, not counted up from the first: several test runs start at the same moment.
    anywhere = (FIRST_PORT + secrets.randbelow(LAST_PORT - FIRST_PORT) for _ in itertools.count())
    for port in range(preferred, preferred + PORTS_TRIED) if preferred else anywhere:
        with socket.socket() as probe:
            # As servers do: without it, a port whose last connection was just closed would look taken.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port
    raise EmbeddedError(f"No free port from {preferred} on")


def restricted_account() -> pwd.struct_passwd | None:
    """Whom to run as instead of root; None means the present user, who is not root."""
    if os.geteuid() != 0:
        return None
    # PostgreSQL's own where the machine has one; the other is on every Linux.
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise EmbeddedError("PostgreSQL does not run as root, and there is neither a postgres nor a nobody account")


def run_as(account: pwd.struct_passwd | None, command: Sequence[str | Path]) -> Finished:
    """Run a command under an account, with nothing of the caller's PostgreSQL settings."""
    with tempfile.TemporaryFile() as output:  # never a pipe: a server started so keeps it open, and the call would hang
        done = subprocess.run(
            command,
            check=False,
            cwd="/",
            env={name: value for name, value in os.environ.items() if not name.startswith("PG")},
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=COMMAND_SECONDS,
        )
        output.seek(0)
        return Finished(done.returncode == 0, output.read().decode(errors="replace"))


def left_over(pid_file: Path, *, mark: Path) -> int | None:
    """The live process a pid file names, if its command line holds `mark`: the number may belong to another by now."""
    pid = read_pid(pid_file)
    return pid if pid is not None and runs(pid, mark=mark) else None


def read_pid(pid_file: Path) -> int | None:
    """The number on a pid file's first line; None without a file, or when it was left half written."""
    try:
        return int(pid_file.read_text().split()[0])
    except (FileNotFoundError, ValueError, IndexError):
        return None


def runs(pid: int, *, mark: Path) -> bool:
    """Whether a process lives (a zombie does not) and was called with an argument `mark`."""
    try:
        return os.fsencode(mark) in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return False


def kept_secret(path: Path) -> str:
    """The secret stored there, or a new one, which is not stored yet."""
    return path.read_text() if path.exists() else secrets.token_urlsafe(32)


def write_secret(path: Path, text: str) -> None:
    """Write a file that nobody else may read at any moment."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)


def tail(log: Path) -> str:
    """The last lines of a log; empty when there is none."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-LOG_LINES:]) if log.exists() else ""
