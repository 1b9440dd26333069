"""Whatever object a framework describes a tool with, its schema is applied or the tool is refused."""

import time
from typing import Any, Final

import pytest

from reviews.provenance.core.tool_schema import schema_problems
from reviews.provenance.formats import Format, FormatError, Parsed, parse
from tests.provenance.formats.framework_tools import DOCUMENT, MOST, PROPERTIES, SCHEMA, names, written
from tests.provenance.formats.test_misreading import PASTS

BY_FRAMEWORK = pytest.mark.parametrize("framework", names())
RIGHT: Final = {"to": "Daniel", "amount": 30}


def proposed(tool: Any, arguments: Any, field: Format = Format.NATIVE) -> Parsed:
    calls: dict[Format, dict[str, Any]] = {
        Format.NATIVE: {"tool": "pay", "arguments": arguments},
        Format.CHAT: {"function": {"name": "pay", "arguments": arguments}},
        Format.RESPONSES: {"name": "pay", "arguments": arguments},
        Format.ANTHROPIC: {"name": "pay", "input": arguments},
        Format.MCP: {"name": "pay", "arguments": arguments},
    }
    return parse({**PASTS[field], "tools": [tool], field: calls[field]})


def problems(tool: Any, arguments: Any, field: Format = Format.NATIVE) -> list[str]:
    """Where the arguments violate the schema that was read."""
    (document,) = proposed(tool, arguments, field).context.tools
    return [pointer for pointer, _ in schema_problems(document, arguments)]


def check_refused(tool: Any, pointer: str, says: str = "") -> None:
    with pytest.raises(FormatError) as refusal:
        proposed(tool, RIGHT)
    assert says in dict(refusal.value.problems)[pointer]


@BY_FRAMEWORK
def test_a_frameworks_schema_is_applied(framework: str) -> None:
    tool = written()[framework]
    for field in Format:
        assert problems(tool, RIGHT, field) == []
        assert problems(tool, {"to": "Daniel", "amount": MOST + 1}, field) == ["/amount"]
        assert problems(tool, {"to": "Daniel"}, field) == [""]
        assert problems(tool, {"to": "Daniel", "amount": "thirty"}, field) == ["/amount"]


@BY_FRAMEWORK
def test_arguments_that_a_frameworks_schema_requires_may_not_be_left_out(framework: str) -> None:
    for field in Format:
        with pytest.raises(FormatError, match="This field is required"):
            proposed(written()[framework], None, field)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("parametres", "parameters"),
        ("inputShema", "inputSchema"),
        ("InputSchema", "inputSchema"),
        ("arg_schema", "args_schema"),
        ("signature", "parameters"),
        ("properties", "parameters"),
        ("x-anything", "parameters"),
    ],
)
@pytest.mark.parametrize(
    "value", [SCHEMA, {"json": SCHEMA}, {"a": 1}, [{"name": "to", "type": "string"}], '{"type": 1}']
)
def test_a_schema_in_a_field_nobody_knows_is_refused_with_the_likely_one(name: str, meant: str, value: Any) -> None:
    check_refused({**DOCUMENT, name: value}, f"/tools/0/{name}", f"`{meant}`")
    wrapped = {"type": "function", "function": {**DOCUMENT, name: value}}
    check_refused(wrapped, f"/tools/0/function/{name}", f"`{meant}`")


@pytest.mark.parametrize("name", ["parameters", "input_schema", "schema", "anything"])
def test_a_schema_beside_the_document_it_belongs_in_is_refused(name: str) -> None:
    check_refused({"type": "function", "function": DOCUMENT, name: SCHEMA}, f"/tools/0/{name}")


@pytest.mark.parametrize("other", ["args_schema", "inputSchema", "params_json_schema", "args"])
def test_two_schemas_are_refused(other: str) -> None:
    check_refused({**DOCUMENT, "parameters": SCHEMA, other: {"type": "object"}}, f"/tools/0/{other}", "another schema")


@pytest.mark.parametrize(
    ("pointer", "schema"),
    [
        ("", {"to": "string", "amount": "integer"}),
        ("", {"to": {"type": "string"}, "amount": 7}),
        ("/to", {"type": "object", "to": {"type": "string"}}),
        ("/amount", {"required": ["amount"], "amount": {"type": "integer"}}),
        ("/to", {"title": "pay", "type": "object", "properties": {}, "to": {"type": "string"}}),
    ],
)
def test_parameters_that_stand_where_no_keyword_does_are_refused(pointer: str, schema: Any) -> None:
    check_refused({**DOCUMENT, "parameters": schema}, f"/tools/0/parameters{pointer}", "`properties`")


def test_a_parameter_may_have_the_name_of_a_keyword() -> None:
    named = {"type": {"type": "string"}, "required": {"type": "boolean"}, "title": {"type": "string", "maxLength": 3}}
    tool = {**DOCUMENT, "args": named}
    assert problems(tool, {"type": "a", "required": True, "title": "abc"}) == []
    assert problems(tool, {"type": "a", "required": True, "title": "abcd"}) == ["/title"]


def test_a_parameter_listed_by_name_that_has_a_default_may_be_left_out() -> None:
    tool = {**DOCUMENT, "args": {**PROPERTIES, "note": {"type": "string", "default": None}}}
    assert problems(tool, RIGHT) == []


def test_null_is_a_value_where_openapi_says_so() -> None:
    nullable = {"type": "STRING", "nullable": True, "enum": ["a"]}
    tool = {**DOCUMENT, "parameters": {"type": "OBJECT", "properties": {"to": nullable}}}
    assert problems(tool, {"to": None}) == []
    assert problems(tool, {"to": "b"}) == ["/to"]


def test_bounds_that_are_written_as_text_hold() -> None:
    bounded = {"type": "OBJECT", "properties": {"to": {"type": "STRING", "max_length": "3"}}}
    assert problems({**DOCUMENT, "parameters": bounded}, {"to": "Ann"}) == []
    assert problems({**DOCUMENT, "parameters": bounded}, {"to": "Anna"}) == ["/to"]


@pytest.mark.parametrize(
    "beside",
    [
        {"outputSchema": {"type": "object"}, "_meta": {"a": {}}, "icons": [{"src": "x"}], "execution": {"a": "b"}},
        {"cache_control": {"type": "ephemeral"}, "input_examples": [{"to": "Daniel"}], "defer_loading": False},
        {"annotations": {"readOnlyHint": True}, "metadata": {"a": {}}, "tags": ["a"], "anything": {}, "list": []},
        {"strict": True, "version": "2 of {these}", "allowed_callers": ["direct"], "timeout": 3},
    ],
)
def test_what_is_said_beside_a_schema_is_no_schema(beside: dict[str, Any]) -> None:
    assert problems({**DOCUMENT, "parameters": SCHEMA, **beside}, {**RIGHT, "amount": MOST + 1}) == ["/amount"]


BESIDE: Final = ("metadata", "meta", "_meta", "extras", "annotations", "returns", "response", "examples")


@pytest.mark.parametrize("name", [*BESIDE, "execution", "options", "provider_options", "custom_metadata"])
def test_a_schema_that_stands_only_beside_the_arguments_is_refused(name: str) -> None:
    check_refused({**DOCUMENT, name: SCHEMA}, f"/tools/0/{name}", "did you mean `parameters`")
    check_refused({"function": DOCUMENT, "type": "function", name: SCHEMA}, f"/tools/0/{name}", "did you mean")
    check_refused({"function": {**DOCUMENT, name: SCHEMA}}, f"/tools/0/function/{name}", "did you mean")


@pytest.mark.parametrize(
    ("beside", "pointer", "meant"),
    [
        ({"metadata": {"inputSchema": SCHEMA}}, "/metadata/inputSchema", "inputSchema"),
        ({"extras": {"schema": {"json": SCHEMA}}}, "/extras/schema/json", "schema"),
        ({"_meta": {"a/b": {"input_shema": SCHEMA}}}, "/_meta/a~1b/input_shema", "input_schema"),
        ({"examples": [{"to": "Ann"}, SCHEMA]}, "/examples/1", "parameters"),
        ({"metadata": SCHEMA, "parameters": {}}, "/metadata", "parameters"),
        ({"metadata": {"properties": {"to": {"type": "STRING"}}}}, "/metadata", "parameters"),
        ({"metadata": {"properties": {"to": {"enum": ["a"]}}, "type": "OBJECT"}}, "/metadata", "parameters"),
    ],
)
def test_a_schema_within_what_stands_beside_is_named_where_it_stands(beside: Any, pointer: str, meant: str) -> None:
    check_refused({**DOCUMENT, **beside}, f"/tools/0{pointer}", f"did you mean `{meant}`")


@pytest.mark.parametrize(
    "beside",
    [
        {"annotations": {"readOnlyHint": True, "title": "Pay", "idempotentHint": False}},
        {"metadata": {"properties": {"owner": "Ann", "team": {"name": "Billing"}}}},
        {"metadata": {"type": "object", "properties": {}}},
        {"metadata": {"properties": {"owner": {"type": "team"}}}},
        {"metadata": {"type": "table", "properties": {"to": {"type": "string"}}}},
        {"metadata": {"output_schema": SCHEMA}, "outputSchema": SCHEMA},
        {"returns": SCHEMA, "parameters": {}},
        {"returns": {"type": "string"}, "examples": [{"to": "Daniel", "amount": 30}]},
        {"_meta": {"fastmcp": {"tags": ["a"]}}, "extras": {"properties": ["a"]}},
        {"input_examples": [{"properties": {"colour": "red"}}]},
    ],
)
def test_what_a_tool_without_a_schema_has_beside_is_no_schema(beside: Any) -> None:
    assert problems({**DOCUMENT, **beside}, RIGHT) == []


@pytest.mark.parametrize("name", BESIDE)
def test_a_schema_beside_another_is_none_of_the_arguments(name: str) -> None:
    assert problems({**DOCUMENT, "parameters": SCHEMA, name: SCHEMA}, RIGHT) == []


def test_a_providers_own_tool_may_have_settings() -> None:
    search = {"type": "web_search", "user_location": {"type": "approximate", "city": "Bern"}, "filters": {"a": []}}
    assert [tool.name for tool in proposed(search, RIGHT).context.tools] == ["web_search"]


def test_reading_grows_with_what_is_read() -> None:
    def seconds(count: int) -> float:
        properties = {f"p{number}": {"type": "string", "required": True} for number in range(count)}
        schema = {"type": "object", "required": [f"q{number}" for number in range(count)], "properties": properties}
        began = time.process_time()
        proposed({**DOCUMENT, "parameters": schema, "x": 1}, RIGHT)
        return time.process_time() - began

    # The least of several: whatever else the machine does makes a run longer, never shorter.
    small, large = (min(seconds(count) for _ in range(5)) for count in (4_000, 8_000))
    assert large < 3 * small
