"""Programs are started again when they die, and all are gone when the supervisor is left."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from guardapp import supervisor
from guardapp.supervisor import Program, Supervisor
from tests import stack

NEVER = 3600.0
"""A delay that no test waits for."""
FAILS = "print('ran', flush=True); raise SystemExit(3)"
STANDS_BY = """
import os, sys, time
print("waits", os.getpid(), flush=True)
if sys.stdin.readline():
    print("begun", os.getpid(), flush=True)
    time.sleep(60)
"""
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


def test_a_dead_program_is_reported_and_started_again_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_DELAY_SECONDS", NEVER)
    lines: list[str] = []
    program = python("failing", FAILS)
    with supervised(tmp_path, lines) as watched:
        watched.start(program)
        until(lambda: _runs(watched, program, times=2))
    assert "failing ended (3); started again" in lines[0]


def test_a_program_that_dies_of_its_start_is_started_ever_more_rarely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "FIRST_DELAY_SECONDS", 0.01)
    lines: list[str] = []
    program = python("failing", FAILS)
    with supervised(tmp_path, lines) as watched:
        watched.start(program)
        until(lambda: _runs(watched, program, times=4))
        delays = [child.delay for child in watched._children]
    assert "again in" in lines[1]
    assert delays[0] >= 0.04


def test_a_program_that_was_at_work_is_started_again_at_once_however_often_it_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "STEADY_SECONDS", 0.0)
    monkeypatch.setattr(supervisor, "FIRST_DELAY_SECONDS", NEVER)
    program = python("failing", FAILS)
    with supervised(tmp_path, []) as watched:
        watched.start(program)
        until(lambda: _runs(watched, program, times=4))


@pytest.fixture
def successor(monkeypatch: pytest.MonkeyPatch) -> Program:
    """A program that stands by: it says so, waits for its line, and says that it has begun."""
    monkeypatch.setattr(supervisor, "PREPARE_SECONDS", 0.0)
    monkeypatch.setattr(supervisor, "STANDBY", STANDS_BY)
    return Program("standing-by", (sys.executable, "-c", "the rest is the program's own"), stands_by=True)


def test_a_successor_waits_until_its_program_dies_and_takes_over(tmp_path: Path, successor: Program) -> None:
    with supervised(tmp_path, []) as watched:
        watched.start(successor)
        until(lambda: (_said(watched, successor, "waits"), _said(watched, successor, "begun")) == (2, 1))
        (first,) = _begun(watched, successor)
        assert watched.pid_of(successor) == first
        os.kill(first, signal.SIGKILL)
        until(lambda: len(_begun(watched, successor)) == 2)
        # Nobody was started in between: it is the one that had waited.
        waited = _pids(watched, successor, "waits")[:2]
        assert {*_begun(watched, successor)} == {*waited}
        until(lambda: _said(watched, successor, "waits") == 3)
    until(lambda: not any(map(stack.lives, waited)))


def test_a_successor_that_dies_while_it_waits_is_not_started_without_end(tmp_path: Path, successor: Program) -> None:
    with supervised(tmp_path, []) as watched:
        watched.start(successor)
        until(lambda: _said(watched, successor, "waits") == 2)
        (waiting,) = {*_pids(watched, successor, "waits")} - {watched.pid_of(successor)}
        os.kill(waiting, signal.SIGKILL)
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            watched.watch()
        assert _said(watched, successor, "waits") == 2
        # And whoever dies then is started as others are.
        os.kill(_begun(watched, successor)[0], signal.SIGKILL)
        until(lambda: len(_begun(watched, successor)) == 2)


@pytest.mark.timeout(120)
def test_a_successor_ends_when_nobody_is_left_to_tell_it(tmp_path: Path) -> None:
    standing_by = subprocess.Popen(
        [sys.executable, "-m", "guardapp.standby", "celery", "--version"],
        env=stack.environment(),
        cwd=stack.ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    output, _ = standing_by.communicate(timeout=100)
    assert (standing_by.returncode, output) == (0, b"")


@pytest.mark.timeout(120)
def test_a_program_that_stood_by_is_the_program(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "guardapp.standby", "celery", "-A", "guardapp", "report"]
    finished = subprocess.run(
        command, env=stack.environment(), cwd=stack.ROOT, input=b"\n", capture_output=True, check=False, timeout=100
    )
    assert finished.returncode == 0, finished.stderr
    assert b"software -> celery" in finished.stdout


def test_leaving_ends_the_children_of_children(tmp_path: Path) -> None:
    program = python("parent", SLEEPER)
    with supervised(tmp_path, []) as watched:
        watched.start(program)
        until(lambda: watched.log_of(program).read_text())
    grandchild = int(watched.log_of(program).read_text())
    until(lambda: not stack.lives(grandchild))


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


def _runs(watched: Supervisor, program: Program, *, times: int) -> bool:
    watched.watch()
    return watched.log_of(program).read_text().count("ran") >= times


def _pids(watched: Supervisor, program: Program, what: str) -> list[int]:
    """Who has said so by now, in that order."""
    watched.watch()
    lines = [line.split() for line in watched.log_of(program).read_text().splitlines()]
    return [int(pid) for said, pid in lines if said == what]


def _begun(watched: Supervisor, program: Program) -> list[int]:
    return _pids(watched, program, "begun")


def _said(watched: Supervisor, program: Program, what: str) -> int:
    return len(_pids(watched, program, what))
