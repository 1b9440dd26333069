"""What the README shows to agents' developers is accepted, and says one thing in every format."""

import json
import re
from pathlib import Path

import pytest

from reviews.provenance import formats
from reviews.provenance.core.context import ProposedAction

README = (Path(__file__).resolve().parents[3] / "README.md").read_text()
EXAMPLES = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", README, re.DOTALL) if '"tools"' in text]


def test_there_is_an_example_of_every_shape_but_our_own() -> None:
    assert {formats.detect_format(each) for each in EXAMPLES} == set(formats.Format) - {formats.Format.NATIVE}


@pytest.mark.parametrize("example", EXAMPLES, ids=formats.detect_format)
def test_an_example_is_the_call_it_shows(example: object) -> None:
    parsed = formats.parse(example)
    assert parsed.case.action == ProposedAction("send_email", {"to": "daniel@example.org"})
    assert parsed.tool_call_id == "c1"


@pytest.mark.parametrize("field", list(formats.Format))
def test_the_readme_names_every_formats_field(field: str) -> None:
    assert f"`{field}`" in README
