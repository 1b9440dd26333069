from typing import Any

import pytest

from reviews.provenance.context import ToolDoc
from reviews.provenance.formats.reading import Node
from reviews.provenance.formats.tools import read_tools

SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}}}


def read(tool: dict[str, Any], *, trust: bool = False) -> ToolDoc:
    return read_tools(Node([tool]), trust_annotations=trust)[0]


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "send", "description": "Sends.", "parameters": SCHEMA},
        {"type": "function", "function": {"name": "send", "description": "Sends.", "parameters": SCHEMA}},
        {"name": "send", "description": "Sends.", "inputSchema": SCHEMA},
    ],
)
def test_every_shape_gives_the_same_document(tool: dict[str, Any]) -> None:
    assert read(tool) == ToolDoc("send", "Sends.", SCHEMA)


@pytest.mark.parametrize("flag", [True, False])
def test_the_agents_own_metadata_says_whether_a_tool_changes_things(flag: bool) -> None:
    assert read({"name": "t", "environment_changing": flag}).environment_changing is flag
    assert read({"function": {"name": "t"}, "environment_changing": flag}).environment_changing is flag
    assert read({"function": {"name": "t", "environment_changing": flag}}).environment_changing is flag


@pytest.mark.parametrize(("trust", "hint", "changing"), [(True, True, False), (True, False, True), (False, True, True)])
def test_a_servers_annotation_counts_only_where_it_is_trusted(trust: bool, hint: bool, changing: bool) -> None:
    tool = {"name": "t", "inputSchema": {}, "annotations": {"readOnlyHint": hint}}
    assert read(tool, trust=trust).environment_changing is changing


def test_a_tool_that_says_nothing_changes_things() -> None:
    assert read({"name": "t"}, trust=True).environment_changing
