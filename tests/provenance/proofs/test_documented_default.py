import pytest

from reviews.provenance.core.context import JsonValue
from tests.provenance.argument_grounding.made import call, context
from tests.provenance.argument_grounding.tools import NUMBER, TEXT, tool
from tests.provenance.proofs.checking import check_decided, check_unknown

FIXED = {
    "default": {"type": "string", "default": "primary"},
    "const": {"const": "primary"},
    "only option": {"type": "string", "enum": ["primary"]},
    "in an alternative": {"anyOf": [{"type": "null"}, {"type": "string", "default": "primary"}]},
}


@pytest.mark.parametrize("schema", FIXED)
def test_a_value_that_the_schema_fixes_holds(schema: str) -> None:
    asked = context("Hello.", offered=(tool("post", "Post it.", calendar=FIXED[schema]),))
    check_decided(asked, call("post", calendar="primary"), "/calendar", "documented_default", holds=True)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (FIXED["default"], "secondary"),
        ({"type": "string", "enum": ["primary", "secondary"]}, "primary"),
        ({"type": "string", "description": "Such as primary."}, "primary"),
        ({"type": "string", "examples": ["primary"]}, "primary"),
        ({"oneOf": [{"const": "primary"}, {"const": "secondary"}]}, "primary"),
        ({"anyOf": [{"enum": ["primary"]}, {"type": "integer"}]}, "primary"),
        ({"default": 1}, True),
        ({"default": 0}, False),
    ],
)
def test_an_example_or_another_value_stays_unknown(schema: dict[str, JsonValue], value: JsonValue) -> None:
    asked = context("Hello.", offered=(tool("post", "Post it.", calendar=schema),))
    check_unknown(asked, call("post", calendar=value), "/calendar")


@pytest.mark.parametrize(
    ("query", "default", "holds"),
    [
        ("Send 30 euros to Ann", "dollar", None),
        ("Send 30 dollars to Ann", "dollar", True),
        ("Send 30 to Ann", "USD", True),
        ("Send €30 to Ann", "USD", None),
    ],
)
def test_a_usual_currency_holds_where_no_other_is_said(query: str, default: str, holds: bool | None) -> None:
    unit = {"type": "string", "default": default}
    asked = context(query, offered=(tool("send", "Sends money to a person.", to=TEXT, amount=NUMBER, unit=unit),))
    action = call("send", to="Ann", amount=30, unit=default)
    if holds:
        check_decided(asked, action, "/unit", "documented_default", holds=holds)
    else:
        check_unknown(asked, action, "/unit")
