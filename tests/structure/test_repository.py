"""What is written about the project holds, and nothing in it knows the machine it was written on."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
DOCUMENTS = "\n".join([README, *(page.read_text() for page in sorted((ROOT / "docs").rglob("*.md")))])
MAKEFILE = (ROOT / "Makefile").read_text()
REGISTRIES = re.compile(r"pypi[.]org|pythonhosted[.]org|registry[.]npmjs[.]org|deb[.]debian[.]org")
MACHINE_PATHS = re.compile(r"(?<![\w.-])/(?:work|home|root|Users)/\w")


def tracked() -> list[Path]:
    """Every text file that is, or is about to be, under version control."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    """Where a pattern occurs, as `file: line`."""
    return [
        f"{path.relative_to(ROOT)}: {line.strip()[:120]}"
        for path in tracked()
        for line in path.read_text(errors="ignore").splitlines()
        if pattern.search(line)
    ]


def test_no_file_names_a_package_registry() -> None:
    assert lines_with(REGISTRIES) == []


def test_no_file_names_a_path_of_a_machine() -> None:
    assert lines_with(MACHINE_PATHS) == []


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`?\bmake ([a-z]+)\b(?=[` ])", DOCUMENTS))))
def test_a_make_target_of_the_readme_exists(target: str) -> None:
    assert re.search(rf"^{target}:", MAKEFILE, re.M)


@pytest.mark.parametrize("command", sorted(set(re.findall(r"manage\.py ([a-z_]+)", DOCUMENTS))))
def test_a_management_command_of_the_readme_exists(command: str) -> None:
    assert command in get_commands()


def test_the_page_of_formats_names_every_framework_that_is_tried() -> None:
    lines = re.findall(r"^(?:NODE_)?FRAMEWORKS := (.+)$", MAKEFILE, re.M)
    tried = {name.partition("@")[0] for line in lines for name in line.split()}
    assert tried
    assert tried - set(re.findall(r"`([\w-]+)`", (ROOT / "docs" / "formats.md").read_text())) == set()


@pytest.mark.parametrize("script", [".ci/run", ".ci/install-chromium", "manage.py"])
def test_a_script_can_be_executed(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)


def test_a_file_that_the_documents_name_exists() -> None:
    quoted = " ".join(re.findall(r"`([^`\n]+)`", DOCUMENTS))
    named = set(re.findall(r"(?<![\w/.-])(?:reviews|guardapp|tests|templates|static|docs)/[\w/.-]+", quoted))
    # The example of a detector of one's own is written by its reader.
    assert {name for name in named if not (ROOT / name).exists()} <= {"reviews/provenance/detectors/spending_cap.py"}
    # Beside another file of its folder one is named without it.
    files = [f"/{path.relative_to(ROOT)}" for path in tracked()]
    short = {name for name in re.findall(r"(?<![\w/.-])[\w/]+\.py\b", quoted) if name not in named}
    assert {name for name in short if not any(file.endswith(f"/{name}") for file in files)} == set()


def test_the_readme_stays_short() -> None:
    assert len(README.splitlines()) <= 350
