from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.core.schema_keywords import SchemaBudgetError
from reviews.provenance.core.tool_schema import BrokenSchemaError, find_violations, schema_problems
from tests.provenance.growth import TWICE, growth


def check(schema: dict[str, Any], arguments: dict[str, Any], *pointers: str) -> None:
    assert tuple(at for at, _ in find_violations(ToolDoc("t", parameters=schema), arguments)) == pointers


def test_each_violation_is_named_by_its_pointer() -> None:
    schema = {"properties": {"a/b": {"type": "integer"}, "c": {"items": {"enum": ["x"]}}}, "required": ["d"]}
    check(schema, {"a/b": "1", "c": ["x", "y"]}, "", "/a~1b", "/c/1")


def test_a_tool_without_a_schema_takes_anything() -> None:
    check({}, {"a": 1})


def test_patterns_are_tried() -> None:
    check({"properties": {"id": {"pattern": "^[0-9a-f]{8}-[0-9a-f]{4}$"}}}, {"id": "nope"}, "/id")


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(([a-z])+.)+[A-Z]$", "^a*a*a*a*a*a*$"])
def test_a_pattern_takes_time_linear_in_the_text(pattern: str) -> None:
    text = "a" * 100_000 + "!"
    check({"properties": {"id": {"pattern": pattern}}}, {"id": text}, "/id")
    check({"patternProperties": {pattern: {}}, "additionalProperties": False}, {text: 1}, "")


def doubling(levels: int) -> dict[str, Any]:
    """A schema of some kilobytes that unfolds into 2 ** levels subschemas."""
    twice = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"$defs": {**twice, f"d{levels}": {"type": "object"}}, "$ref": "#/$defs/d0"}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"not": schema}
    return schema


OPTIONS = list(range(9_000))
MANY = [str(number) for number in range(60_000)]


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (doubling(40), {"a": 1}),
        (nested(100), {}),
        ({"properties": {"a": {"items": {"enum": list(range(40_000))}}}}, {"a": MANY}),
        ({"properties": {"a": {"items": {"anyOf": [{"enum": OPTIONS}, {"const": OPTIONS}, {}]}}}}, {"a": MANY}),
        ({"properties": {"a": {"items": {"anyOf": [{"not": {"x": "y" * 200_000}}, {}]}}}}, {"a": MANY}),
        ({"properties": {"a": {"anyOf": [{"items": {"required": MANY[:15_000]}}, {}]}}}, {"a": [{}] * 60_000}),
        ({"anyOf": [{"type": "string"} for _ in range(6_000)]}, {"a": "x" * 900_000}),
        ({"properties": {"a": {"pattern": "(?=a)b"}}}, {"a": "x"}),
        ({"properties": {"a": {"pattern": "(a{1,1000}){1,1000}"}}}, {"a": "x"}),
        ({"unevaluatedProperties": False}, {"a": 1}),
    ],
)
def test_what_would_take_too_much_work_is_not_validated(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    with pytest.raises(SchemaBudgetError, match="Not validated: the tool's schema"):
        find_violations(ToolDoc("t", parameters=schema), arguments)
    # A loaded machine needs several times the two seconds that the budgets stand for.


def test_items_are_unique_by_their_value() -> None:
    schema = {"properties": {"a": {"uniqueItems": True}}}
    mixed: list[Any] = [{"x": number} if number % 2 else number for number in range(20_000)]
    check(schema, {"a": mixed})
    check(schema, {"a": [*mixed, 0.0]}, "/a")
    check(schema, {"a": [1, True, "1", [1], {"a": 1}]})


@pytest.mark.parametrize("keyword", ["type", "required"])
def test_a_schemas_own_lists_are_compared_by_hashing_at_any_depth(
    keyword: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "jsonschema._keywords.uniq", lambda items: pytest.fail(f"{len(items)} items compared pair by pair")
    )
    broken = {keyword: [{"name": f"n{number}"} for number in range(3)]}
    for schema in (broken, {"properties": {"a": broken}}, {"properties": {"a": {"items": {"anyOf": [broken]}}}}):
        with pytest.raises(BrokenSchemaError):
            find_violations(ToolDoc("t", parameters=schema), {"a": 1})


@pytest.mark.parametrize(("value", "fits"), [(1, True), (1.0, True), (True, False), ("1", False), ({"b": [2.0]}, True)])
def test_an_option_is_compared_by_its_value(value: Any, fits: bool) -> None:
    pointers = () if fits else ("/a",)
    check({"properties": {"a": {"enum": [1, {"b": [2]}]}}}, {"a": value}, *pointers)
    check({"properties": {"a": {"anyOf": [{"const": 1}, {"const": {"b": [2]}}]}}}, {"a": value}, *pointers)


def test_a_large_ordinary_call_is_validated() -> None:
    fields = {f"field_{number}": {"type": "integer", "minimum": 0, "description": "A figure."} for number in range(20)}
    rows = {"type": "array", "items": {"type": "object", "properties": fields, "required": ["field_1"]}}
    row = dict.fromkeys(fields, 1)
    check({"properties": {"rows": rows}}, {"rows": [row] * 1_000})
    check({"properties": {"rows": rows}}, {"rows": [row] * 999 + [row | {"field_3": -1}]}, "/rows/999/field_3")


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
        find_violations(ToolDoc("t", parameters=schema), {"a": "x"})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "string"]},
        {"type": ["string", {}]},
        {"required": ["a", "a"]},
        {"properties": {"a": {"properties": {"b": {"multipleOf": 0}}}}},
        {"$defs": {"a": {"minLength": -1}}},
        {"dependentRequired": {"a": ["b", "b"]}},
        {"additionalProperties": 5},
        {"anyOf": []},
        {"enum": [1, 1], "$id": "https://tools.test/a", "format": "date", "items": {"type": ["null", "string"]}},
    ],
)
def test_the_library_itself_calls_the_same_schemas_broken(schema: dict[str, Any]) -> None:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        with pytest.raises(BrokenSchemaError):
            find_violations(ToolDoc("t", parameters=schema), {})
    else:
        find_violations(ToolDoc("t", parameters=schema), {})


@pytest.mark.bench
def test_a_list_of_objects_for_a_type_is_refused_in_linear_time() -> None:
    def types(count: int) -> ToolDoc:
        return ToolDoc("t", parameters={"type": [{"n0": "x", "name": f"N{number}"} for number in range(count)]})

    assert growth(types, lambda document: schema_problems(document, {}), 1_000) <= TWICE


def test_for_an_edit_a_broken_schema_is_one_problem() -> None:
    assert [at for at, _ in schema_problems(ToolDoc("t", parameters={"type": "banana"}), {})] == [""]


def test_messages_and_their_number_are_bounded() -> None:
    schema = {"properties": {str(n): {"type": "null"} for n in range(99)}}
    found = find_violations(ToolDoc("t", parameters=schema), {str(n): "x" * 9_000 for n in range(99)})
    assert len(found) == 20
    assert all(len(message) <= 300 for _, message in found)


@given(st.integers(-1000, 1000), st.sampled_from([0.1, 0.01, 0.25, 0.5]))
def test_a_multiple_is_told_by_the_decimals_that_are_written(count: int, step: float) -> None:
    value = float(Decimal(count) * Decimal(str(step)))
    document = ToolDoc("set", "", {"properties": {"level": {"type": "number", "multipleOf": step}}})
    assert find_violations(document, {"level": value}) == ()
    assert find_violations(document, {"level": float(Decimal(str(value)) + Decimal("0.003"))})


@pytest.mark.parametrize("value", [float("inf"), 1e308, True, "0.3", 10**400])
def test_what_cannot_be_divided_is_no_violation_of_a_multiple(value: Any) -> None:
    document = ToolDoc("set", "", {"properties": {"level": {"multipleOf": 0.1}}})
    assert find_violations(document, {"level": value}) == ()


@pytest.mark.parametrize(
    ("schema", "value", "words"),
    [
        ({"type": "string"}, None, "null is not of type string"),
        ({"type": ["integer", "null"]}, "5", "“5” is not of type integer or null"),
        ({"type": "integer"}, {"a": True}, '{"a": true} is not of type integer'),
        ({"enum": ["read", None]}, "admin", "“admin” is not one of “read”, null"),
        ({"type": "integer"}, "x" * 1_000, f"“{'x' * 59}…” is not of type integer"),
    ],
)
def test_a_violation_quotes_values_as_json_has_them(schema: dict[str, Any], value: Any, words: str) -> None:
    assert find_violations(ToolDoc("t", parameters={"properties": {"a": schema}}), {"a": value}) == (("/a", words),)
