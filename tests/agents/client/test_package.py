"""What an agent installs: a wheel with types that brings httpx and nothing else, on every Python it promises."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reviews.agents.client.provenanceguard.testing import FakeGuard
from tests.agents.guard_site import serve_guard

CLIENT = Path(__file__).resolve().parents[3] / "reviews/agents/client"
UV = Path(sys.executable).with_name("uv")
# What httpx needs, by the names of their distributions; the last two on older versions of Python only.
HTTPX = set("httpx httpcore h11 anyio idna certifi exceptiongroup typing-extensions sniffio".split())
USE = """
from provenanceguard import Guard, NotRunnableError
from provenanceguard.testing import FakeGuard, edited, rejected
past = {"query": "Pay Daniel 30", "tools": []}
print(FakeGuard(edited(amount=3)).guard().run(("pay", {"amount": 30}), past, lambda amount: amount))
try:
    FakeGuard(rejected("Too much.")).guard().run(("pay", {"amount": 30}), past, print)
except NotRunnableError as refusal:
    print(refusal.model_message)
"""

CALL = """
import sys
from provenanceguard import Guard
guard = Guard(sys.argv[1], "pgr_test_key")
before = set(sys.modules)
guard.run(("pay", {"amount": 30}), {"query": "Pay Daniel 30", "tools": []}, lambda amount: amount)
print(*sys.modules.keys() - before)
"""


def uv(*arguments: str | Path) -> str:
    finished = subprocess.run([UV, *arguments], capture_output=True, text=True, check=True, cwd=CLIENT)
    return finished.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    uv("build", "--wheel", "--offline", "--out-dir", folder)
    return next(folder.glob("provenanceguard-*.whl"))


def install(wheel: Path, python: str, folder: Path) -> Path:
    """A new environment with the wheel, from what uv has in its cache if it can."""
    environment = folder / python
    uv("venv", "--python", python, environment)
    target = ("--python", environment, wheel)
    try:
        uv("pip", "install", "--offline", *target)
    except subprocess.CalledProcessError:
        uv("pip", "install", *target)
    return environment


def test_a_call_imports_nothing_whose_lock_a_fork_could_find_held() -> None:
    with serve_guard(FakeGuard()) as url:
        command = [sys.executable, "-c", CALL, url.replace("127.0.0.1", "localhost")]
        ran = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(CLIENT)})
    assert ran.stdout == "\n"


@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_the_wheel_works_alone(wheel: Path, version: str, tmp_path: Path) -> None:
    try:
        uv("python", "find", "--no-project", version)
    except subprocess.CalledProcessError:
        pytest.skip(f"There is no Python {version} on this machine.")
    environment = install(wheel, version, tmp_path)
    names = {line.partition("==")[0] for line in uv("pip", "freeze", "--python", environment).splitlines()}
    assert {name for name in names if " @ " not in name} <= HTTPX
    ran = subprocess.run(
        [environment / "bin/python", "-W", "error", "-c", USE], capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.stderr) == ("3\nToo much.\n", "")
    assert next(environment.glob("lib/*/site-packages/provenanceguard/py.typed")).exists()
    shutil.rmtree(environment)


@pytest.mark.parametrize("broken", ["httpx", "provenanceguard.hook"])
def test_a_hook_that_cannot_be_imported_blocks_the_call(wheel: Path, tmp_path: Path, broken: str) -> None:
    environment = install(wheel, f"{sys.version_info.major}.{sys.version_info.minor}", tmp_path)
    script = environment / "bin/provenanceguard-hook"
    # As of an installation that has lost a part.
    begin = f"import sys; sys.modules[{broken!r}] = None; exec(open({str(script)!r}).read())"
    event = '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -r ."}}'
    ran = subprocess.run(
        [environment / "bin/python", "-c", begin], input=event, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "blocked" in ran.stderr
