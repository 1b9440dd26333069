"""What regular expressions match depends on no release of Python."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Up to Python 3.11.4 (Debian 12 has an older one) `(?:[.][0-9]+)*+` also takes the point of "30.", behind which stands
# no figure: a possessive group keeps what a failed round of it had read. An atomic group around a greedy one does not.
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{{1,2}[0-9,]+\}{1,2})\+")
# A round of this fails at its first character, or at the end of the text. An atomic group would remember every escape.
BODY_OF_STRING = r'(?:\\.[^"\\]*+)*+'


def possessive_groups(source: str) -> list[str]:
    return [
        line
        for line in source.replace(r"\"", '"').replace(BODY_OF_STRING, "").splitlines()
        if POSSESSIVE_GROUP.search(line)
    ]


@pytest.mark.parametrize(
    "pattern", [r"(?:[.][0-9]+)*+", "(?: [0-9]{3})++", "(?P<end>/)?+", "(?:a|b){1,3}+", "(?:a){{2,}}+"]
)
def test_a_possessive_group_is_found(pattern: str) -> None:
    assert possessive_groups(pattern)


def test_no_pattern_repeats_a_group_possessively() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for folder in ("reviews", "guardapp")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (lines := possessive_groups(path.read_text()))
    }
    assert found == {}
