from typing import Any

import pytest

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.formats.json_nodes import Node
from reviews.provenance.formats.tools import read_tools

SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}}}


def read(tool: dict[str, Any], *, trust: bool = False) -> ToolDoc:
    return read_tools(Node([tool]), trust_annotations=trust)[0]


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "send", "description": "Sends.", "parameters": SCHEMA},
        {"type": "function", "function": {"name": "send", "description": "Sends.", "parameters": SCHEMA}},
        {"type": "function", "name": "send", "description": "Sends.", "parameters": SCHEMA, "strict": True},
        {"name": "send", "description": "Sends.", "input_schema": SCHEMA},
        {"name": "send", "description": "Sends.", "inputSchema": SCHEMA, "outputSchema": {"type": "object"}},
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


def names(tools: Any) -> list[str]:
    return [tool.name for tool in read_tools(Node(tools), trust_annotations=False)]


def check_wrong(pointer: str, tools: Any) -> None:
    node = Node(tools)
    read_tools(node, trust_annotations=False)
    assert pointer in [at for at, _ in node.notes.problems]


@pytest.mark.parametrize(("trust", "changing"), [(True, False), (False, True)])
def test_a_servers_own_flag_is_no_better_than_its_annotations(trust: bool, changing: bool) -> None:
    assert (
        read({"name": "t", "inputSchema": {}, "environment_changing": False}, trust=trust).environment_changing
        is changing
    )
    listed = Node({"tools": [{"name": "t", "environment_changing": False}]})
    assert read_tools(listed, trust_annotations=trust)[0].environment_changing is changing


@pytest.mark.parametrize("other", [{"destructiveHint": True}, {"destructiveHint": False, "readOnlyHint": False}])
def test_annotations_that_contradict_each_other_are_not_believed(other: dict[str, bool]) -> None:
    annotations = {"readOnlyHint": True, **other}
    assert read({"name": "t", "inputSchema": {}, "annotations": annotations}, trust=True).environment_changing


def test_a_claim_that_was_not_believed_is_noted() -> None:
    node = Node([{"name": "t", "inputSchema": {}, "annotations": {"readOnlyHint": True}}])
    read_tools(node, trust_annotations=False)
    assert node.notes.disbelieved


@pytest.mark.parametrize("titled", [{"title": "Send mail"}, {"annotations": {"title": "Send mail"}}])
def test_a_title_goes_before_the_description(titled: dict[str, Any]) -> None:
    assert (
        read({"name": "send", "description": "Sends.", "inputSchema": {}, **titled}).description == "Send mail: Sends."
    )


@pytest.mark.parametrize(
    "tools",
    [
        {"tools": [{"name": "a"}, {"name": "b"}], "nextCursor": "x"},
        {"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete", "tools": [{"name": "a"}, {"name": "b"}]}},
        [{"tools": [{"name": "a"}]}, {"tools": [{"name": "b"}]}],
        [{"name": "a"}, {"tools": [{"name": "b"}]}],
    ],
)
def test_servers_lists_are_lists_of_tools(tools: Any) -> None:
    assert names(tools) == ["a", "b"]


def test_a_providers_own_tool_goes_by_its_type() -> None:
    assert names([{"type": "web_search"}, {"type": "mcp"}, {"type": "mcp"}]) == ["web_search", "mcp"]
    assert names([{"type": "web_search_20250305", "name": "web_search"}]) == ["web_search"]


@pytest.mark.parametrize(
    ("pointer", "tools"),
    [
        ("", {}),
        ("", "all"),
        ("/0/input_schema", [{"name": "a", "parameters": {}, "input_schema": {}}]),
        ("/0/inputSchema", [{"name": "a", "inputSchema": "{}"}]),
        ("/0/outputSchema", [{"name": "a", "outputSchema": 7}]),
        ("/0/annotations/readOnlyHint", [{"name": "a", "annotations": {"readOnlyHint": "yes"}}]),
        ("/0/name", [{"type": "function"}]),
        ("/0/name", [{"name": "x" * 201}]),
        ("/1/tools/0", [{"name": "a"}, {"tools": [{"name": "a"}]}]),
    ],
)
def test_a_wrong_tool_is_named(pointer: str, tools: Any) -> None:
    check_wrong(pointer, tools)
