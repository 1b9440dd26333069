"""The engine and the client can be imported where nothing of the product's machinery is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MACHINERY = ("celery", "django", "psycopg", "redis", "rest_framework", "guardapp")


def modules(package: str) -> list[str]:
    """Every module below a package, found without importing it."""
    folder = ROOT / package.replace(".", "/")
    files = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in folder.rglob("*.py")]
    # Each of the client's adapters needs the framework that it is for.
    return sorted({name.removesuffix(".__init__") for name in files if ".adapters." not in name})


@pytest.mark.parametrize("package", ["reviews.evaluation", "reviews.provenance", "reviews.agents.client"])
def test_it_is_importable_without_the_machinery(package: str) -> None:
    blocked = "".join(f"sys.modules[{name!r}] = None; " for name in MACHINERY)
    imports = "".join(f"import {name}; " for name in modules(package))
    finished = subprocess.run(
        [sys.executable, "-c", f"import sys; {blocked}{imports}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
