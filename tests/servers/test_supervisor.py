"""Programs are started again when they die, and all are gone when the supervisor is left."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from guardapp import supervisor
from guardapp.supervisor import Program, Supervisor

SLEEPER = (
    "import subprocess, sys; child = subprocess.Popen(['sleep', '60']); print(child.pid, flush=True); child.wait()"
)


def python(name: str, code: str) -> Program:
    return Program(name, (sys.executable, "-c", code))


def supervised(directory: Path, lines: list[str]) -> Supervisor:
    return Supervisor(environment={"WORD": "hello"}, logs=directory / "logs", report=lines.append)


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_program_gets_the_environment_and_a_log(tmp_path: Path) -> None:
    program = python("greet", "import os; print(os.environ['WORD'])")
    with supervised(tmp_path, []) as watched:
        watched.start(program)
        until(lambda: watched.log_of(program).read_text() == "hello\n")


def test_a_dead_program_is_reported_and_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_DELAY_SECONDS", 0.0)
    lines: list[str] = []
    program = python("failing", "print('ran', flush=True); raise SystemExit(3)")
    with supervised(tmp_path, lines) as watched:
        watched.start(program)
        until(lambda: _runs_twice(watched, program))
    assert "failing ended (3)" in lines[0]


def test_leaving_ends_the_children_of_children(tmp_path: Path) -> None:
    program = python("parent", SLEEPER)
    with supervised(tmp_path, []) as watched:
        watched.start(program)
        until(lambda: watched.log_of(program).read_text())
    grandchild = int(watched.log_of(program).read_text())
    until(lambda: not _lives(grandchild))


def test_a_program_that_ignores_the_polite_signal_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "STOP_SECONDS", 0.2)
    ignore = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    )
    program = python("deaf", ignore)
    begun = time.monotonic()
    with supervised(tmp_path, []) as watched:
        watched.start(program)
        until(lambda: watched.log_of(program).read_text())
    assert time.monotonic() - begun < 20


def _runs_twice(watched: Supervisor, program: Program) -> bool:
    watched.watch()
    return watched.log_of(program).read_text().count("ran") > 1


def _lives(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rsplit(") ", 1)[1][0] != "Z"
