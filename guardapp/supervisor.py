"""Child processes of the demonstration: started with a log each, started again when they die, stopped together."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, Self

from reviews.scheduling.worker_process import end_with_parent

# One that had an accident comes back at once. One that dies at its start is tried again behind these delays, which
# double: it is not worth more than a try in half a minute.
FIRST_DELAY_SECONDS: Final = 1.0
MAX_DELAY_SECONDS: Final = 30.0
# A child that lived this long has not died of its start: all of them have begun their work by then.
STEADY_SECONDS: Final = 10.0
# A successor is prepared when its child has lived this long: both at once would take each other's time.
PREPARE_SECONDS: Final = 3.0
# Above the web server's own 6 s, and below the 10 s after which service managers commonly kill.
STOP_SECONDS: Final = 8.0
STANDBY: Final = "guardapp.standby"
"""The module that waits for a line on its standard input before it becomes the one that is named next."""


@dataclass(frozen=True)
class Program:
    """A command that is meant to run until it is told to stop."""

    name: str
    command: tuple[str, ...]
    stands_by: bool = False
    """Whether a successor is prepared, which takes over at once. For commands that `guardapp.standby` knows."""

    @property
    def started_as(self) -> tuple[str, ...]:
        """The command, or the one that becomes it when it is told to begin."""
        return (*self.command[:2], STANDBY, *self.command[2:]) if self.stands_by else self.command


@dataclass
class _Child:
    program: Program
    process: subprocess.Popen[bytes]
    started: float = field(default_factory=time.monotonic)
    delay: float = 0.0
    """Behind its next death."""
    due: float | None = None
    """When a dead child is started again."""
    successor: subprocess.Popen[bytes] | None = None
    """Prepared, and waiting to be told to begin."""
    prepared: float = 0.0
    """When that was started."""

    def living_successor(self) -> subprocess.Popen[bytes] | None:
        """One that can begin."""
        if self.successor is None or self.successor.poll() is None:
            return self.successor
        _close_input(self.successor)
        return None

    def processes(self) -> list[subprocess.Popen[bytes]]:
        """Its own, and its successor's."""
        return [self.process, *([self.successor] if self.successor else [])]


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
        self._children.append(_Child(program, _begin_program(program, self._spawn_child(program))))

    def watch(self) -> None:
        """Look after every child once: report the dead, start again those whose delay is over."""
        for child in self._children:
            if child.process.poll() is not None:
                self._revive_child(child)
            elif child.program.stands_by and time.monotonic() - child.started > PREPARE_SECONDS:
                self._prepare_successor(child)

    def stop(self) -> None:
        """End all children: politely, all at once, and without mercy after `STOP_SECONDS`."""
        processes = [process for child in self._children for process in child.processes()]
        for process in processes:
            _signal_group(process, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
            _signal_group(process, signal.SIGKILL)
            process.wait()
            _close_input(process)
        self._children.clear()

    def pid_of(self, program: Program) -> int | None:
        """The process that runs this program; None while none lives."""
        running = (child.process for child in self._children if child.program == program)
        return next((process.pid for process in running if process.poll() is None), None)

    def log_of(self, program: Program) -> Path:
        """Where a program's output goes."""
        return self.logs / f"{program.name}.log"

    def __enter__(self) -> Self:
        self.logs.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _spawn_child(self, program: Program) -> subprocess.Popen[bytes]:
        with self.log_of(program).open("ab") as log:
            return subprocess.Popen(
                program.started_as,
                env=self._environment,
                stdin=subprocess.PIPE if program.stands_by else subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A group of its own, which can be ended as a whole, and which Ctrl-C at the terminal does not reach.
                start_new_session=True,
                # Safe: this process has one thread.
                preexec_fn=partial(end_with_parent, parent=os.getpid()),  # noqa: PLW1509
            )

    def _revive_child(self, child: _Child) -> None:
        """Report a dead child when it is first found so, and start it when its delay is over."""
        now = time.monotonic()
        if child.due is None:
            if now - child.started > STEADY_SECONDS:
                child.delay = 0.0
            child.due = now + child.delay
            when = f"again in {child.delay:.0f} s" if child.delay else "started again"
            log = self.log_of(child.program)
            self._report(f"{child.program.name} ended ({child.process.returncode}); {when}. See {log}")
        if now >= child.due:
            process = child.living_successor() or self._spawn_child(child.program)
            child.process, child.successor = _begin_program(child.program, process), None
            child.started, child.due = now, None
            child.delay = min(max(FIRST_DELAY_SECONDS, child.delay * 2), MAX_DELAY_SECONDS)

    def _prepare_successor(self, child: _Child) -> None:
        """Have a living successor."""
        # The death of one that waits harms nobody; one that cannot even import must not be started without end.
        due = child.successor is None or time.monotonic() - child.prepared > MAX_DELAY_SECONDS
        if due and not child.living_successor():
            child.successor, child.prepared = self._spawn_child(child.program), time.monotonic()


def _begin_program(program: Program, process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
    """The process, told to begin where it waits for that."""
    if program.stands_by and process.stdin:
        # Where it has ended meanwhile, the next look finds it dead.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b"\n")
            process.stdin.flush()
        _close_input(process)
    return process


def _close_input(process: subprocess.Popen[bytes]) -> None:
    """Tell it nothing any more."""
    if process.stdin:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Signal a child and its own children; harmless when none of them lives."""
    # A new session's group has the number of its first process.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
