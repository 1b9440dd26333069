"""The page of published methods names a test for each element, and each of them exists."""

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "methods.md"


def test_every_test_that_the_page_of_methods_names_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE.read_text(encoding="utf-8")))
    defined: set[str] = set()
    for file in (ROOT / "tests").rglob("test_*.py"):
        defined |= set(re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8")))
    assert named
    assert named - defined == set()
