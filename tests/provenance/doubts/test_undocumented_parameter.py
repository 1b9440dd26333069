"""What a document does not list is no parameter that is known: no word of the user proves its value."""

import pytest

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.doubts import undocumented_parameter
from tests.provenance.argument_grounding.made import call, context
from tests.provenance.argument_grounding.tools import NUMBER

NOTE = {"type": "object", "properties": {"a": {}, "b": NUMBER}}


def rule_of(name: str, parameters: dict[str, JsonValue]) -> str:
    asked = context("Note 5, please.", offered=(ToolDoc("note", "Notes a thing.", parameters),))
    return Grounder(asked).trace_call(call("note", **{name: 5})).leaves[0].rule


@pytest.mark.parametrize("name", ["A", "c", "b_"])
def test_a_value_under_a_name_that_the_document_lacks_is_told_so_and_proves_nothing(name: str) -> None:
    asked = context("Note 5, please.", offered=(ToolDoc("note", "Notes a thing.", NOTE),))
    traced = Grounder(asked).trace_call(call("note", **{name: 5}))
    assert not traced.is_proven
    assert traced.leaves[0].note == f"The tool's document has no parameter “{name}”. Does the tool take it?"


@pytest.mark.parametrize(
    "more",
    [
        {"additionalProperties": NUMBER},
        {"patternProperties": {"^[A-Z]$": NUMBER}},
        {"allOf": [{"properties": {"A": NUMBER}}]},
    ],
)
def test_a_document_that_takes_more_than_it_lists_lacks_no_name(more: dict[str, JsonValue]) -> None:
    assert rule_of("A", NOTE | more) != undocumented_parameter.RULE


def test_a_tool_without_listed_parameters_may_take_any() -> None:
    assert rule_of("A", {}) != undocumented_parameter.RULE
