"""Child processes of the demonstration: started with a log each, started again when they die, stopped together."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from reviews.messaging.processes import end_with_parent

# A child that dies at once is not worth more than a try in half a minute; one that had an accident comes back at once.
FIRST_DELAY_SECONDS: Final = 1.0
LONGEST_DELAY_SECONDS: Final = 30.0
# A child that lived this long starts over with the first delay when it dies.
STEADY_SECONDS: Final = 60.0
# Above the web server's own 6 s, and below the 10 s after which service managers commonly kill.
STOP_SECONDS: Final = 8.0


@dataclass(frozen=True)
class Program:
    """A command that is meant to run until it is told to stop."""

    name: str
    command: tuple[str, ...]


@dataclass
class _Child:
    program: Program
    process: subprocess.Popen[bytes]
    started: float = field(default_factory=time.monotonic)
    delay: float = FIRST_DELAY_SECONDS
    due: float | None = None
    """When a dead child is started again."""


class Supervisor:
    """Keeps programs running until it is left; then all of them and their own children are gone."""

    def __init__(self, *, environment: Mapping[str, str], logs: Path, report: Callable[[str], None]) -> None:
        self.logs = logs
        self._environment = dict(environment)
        self._report = report
        self._children: list[_Child] = []

    def start(self, program: Program) -> None:
        """Run a program; what it writes goes to `<logs>/<name>.log`, which begins anew."""
        self.log_of(program).unlink(missing_ok=True)
        self._children.append(_Child(program, self._spawn(program)))

    def watch(self) -> None:
        """Look after every child once: report the dead, start again those whose delay is over."""
        for child in self._children:
            if child.process.poll() is not None:
                self._revive(child)

    def stop(self) -> None:
        """End all children: politely, all at once, and without mercy after `STOP_SECONDS`."""
        for child in self._children:
            _signal_group(child.process, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for child in self._children:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.process.wait(max(0.0, deadline - time.monotonic()))
            _signal_group(child.process, signal.SIGKILL)
            child.process.wait()
        self._children.clear()

    def log_of(self, program: Program) -> Path:
        """Where a program's output goes."""
        return self.logs / f"{program.name}.log"

    def __enter__(self) -> Self:
        self.logs.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _spawn(self, program: Program) -> subprocess.Popen[bytes]:
        with self.log_of(program).open("ab") as log:
            return subprocess.Popen(
                program.command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A group of its own, which can be ended as a whole, and which Ctrl-C at the terminal does not reach.
                start_new_session=True,
                preexec_fn=end_with_parent,  # noqa: PLW1509  # safe: this process has one thread
            )

    def _revive(self, child: _Child) -> None:
        """Report a dead child when it is first found so, and start it when its delay is over."""
        now = time.monotonic()
        if child.due is None:
            if now - child.started > STEADY_SECONDS:
                child.delay = FIRST_DELAY_SECONDS
            child.due = now + child.delay
            code, log = child.process.returncode, self.log_of(child.program)
            self._report(f"{child.program.name} ended ({code}); again in {child.delay:.0f} s. See {log}")
        elif now >= child.due:
            child.process, child.started, child.due = self._spawn(child.program), now, None
            child.delay = min(child.delay * 2, LONGEST_DELAY_SECONDS)


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Signal a child and its own children; harmless when none of them lives."""
    # A new session's group has the number of its first process.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
