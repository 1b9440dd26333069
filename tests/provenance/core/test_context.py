import json

import pytest

from reviews.provenance.core.context import JsonValue, ToolDoc, leaves


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a": 1, "b": [2, {"c": 3}], "d": 4}, [("/a", 1), ("/b/0", 2), ("/b/1/c", 3), ("/d", 4)]),
        ({"a/b": {"~": True}}, [("/a~1b/~0", True)]),
        ({"a": {}, "b": []}, [("/a", {}), ("/b", [])]),
        (None, [("", None)]),
    ],
)
def test_leaves_come_in_order_with_their_pointers(value: JsonValue, found: list[tuple[str, JsonValue]]) -> None:
    assert list(leaves(value)) == found


def test_leaves_of_any_depth_are_found() -> None:
    value: JsonValue = "deep"
    for _ in range(5000):
        value = [value]
    assert list(leaves(value)) == [("/0" * 5000, "deep")]


def test_a_schema_is_indented_unless_nobody_reads_that_much() -> None:
    schema: dict[str, JsonValue] = {"type": "object", "properties": {"to": {"type": "string"}}}
    assert ToolDoc("send", "Sends.", schema).text == f"send\nSends.\n{json.dumps(schema, indent=1, sort_keys=True)}"
    huge: dict[str, JsonValue] = {"enum": [[[]]] * 50_000}
    assert ToolDoc("send", "Sends.", huge).text.count("\n") == 2
