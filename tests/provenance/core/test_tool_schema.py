import time
from typing import Any

import pytest

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.core.tool_schema import BrokenSchemaError, problems, schema_problems


def check(schema: dict[str, Any], arguments: dict[str, Any], *pointers: str) -> None:
    assert tuple(at for at, _ in problems(ToolDoc("t", parameters=schema), arguments)) == pointers


def test_each_violation_is_named_by_its_pointer() -> None:
    schema = {"properties": {"a/b": {"type": "integer"}, "c": {"items": {"enum": ["x"]}}}, "required": ["d"]}
    check(schema, {"a/b": "1", "c": ["x", "y"]}, "", "/a~1b", "/c/1")


def test_a_tool_without_a_schema_takes_anything() -> None:
    check({}, {"a": 1})


def test_patterns_are_tried() -> None:
    check({"properties": {"id": {"pattern": "^[0-9a-f]{8}-[0-9a-f]{4}$"}}}, {"id": "nope"}, "/id")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "^(([a-z])+.)+[A-Z]$", "(?=a*)(?=a*)b", "a*a*a*a*a*a*$"])
@pytest.mark.parametrize("length", [40, 100_000])
def test_a_pattern_cannot_hang_the_check(pattern: str, length: int) -> None:
    started = time.monotonic()
    check({"properties": {"id": {"pattern": pattern}}}, {"id": "a" * length + "!"})
    check({"patternProperties": {pattern: {}}, "additionalProperties": False}, {"a" * length + "!": 1})
    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "banana"},
        {"properties": []},
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"properties": {"a": {"pattern": "("}}},
    ],
)
def test_a_broken_or_reaching_schema_is_said_so(schema: dict[str, Any]) -> None:
    with pytest.raises(BrokenSchemaError):
        problems(ToolDoc("t", parameters=schema), {"a": "x"})


def test_for_an_edit_a_broken_schema_is_one_problem() -> None:
    assert [at for at, _ in schema_problems(ToolDoc("t", parameters={"type": "banana"}), {})] == [""]


def test_messages_and_their_number_are_bounded() -> None:
    schema = {"properties": {str(n): {"type": "null"} for n in range(99)}}
    found = problems(ToolDoc("t", parameters=schema), {str(n): "x" * 9_000 for n in range(99)})
    assert len(found) == 20
    assert all(len(message) <= 300 for _, message in found)
