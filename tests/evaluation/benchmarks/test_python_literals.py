from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.evaluation.benchmarks.python_literals import UnreadableLiteralError, parse_literal

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def check_refused(text: str, says: str | None = None) -> None:
    with pytest.raises(UnreadableLiteralError, match=says):
        parse_literal(text)


@given(json_values)
def test_what_python_prints_is_read_back(value: Any) -> None:
    assert parse_literal(repr(value)) == value


def test_a_call_becomes_an_object() -> None:
    assert parse_literal("AgentAction(tool='a.b', tool_input={'x': 1}, log='')") == {
        "tool": "a.b",
        "tool_input": {"x": 1},
        "log": "",
    }


def test_an_array_is_its_list() -> None:
    assert parse_literal("array(['a', 'b'], dtype=object)") == ["a", "b"]


def test_a_dotted_wrapper_is_its_value() -> None:
    assert parse_literal("pd.Timestamp('2023-11-30')") == "2023-11-30"


def test_nan_is_null() -> None:
    assert parse_literal("[1, nan]") == [1, None]


def test_a_tuple_is_a_list() -> None:
    assert parse_literal("(1, -2.5)") == [1, -2.5]


def test_keys_are_text() -> None:
    assert parse_literal("{1: 'a'}") == {"1": "a"}


def test_an_unusual_escape_is_no_warning() -> None:
    assert parse_literal(r"'\d'") == r"\d"


def test_a_call_with_positions_is_refused() -> None:
    check_refused("open('/etc/passwd')", "names no fields")


def test_a_nested_call_is_refused() -> None:
    check_refused("[__import__('os').system('id')]")


def test_an_unknown_name_is_refused() -> None:
    check_refused("{'a': secret}", "would have to be run")


def test_an_expression_is_refused() -> None:
    check_refused("9 ** 9 ** 9", "would have to be run")


def test_a_comprehension_is_refused() -> None:
    check_refused("[x for x in 'ab']", "would have to be run")


def test_spread_keywords_are_refused() -> None:
    check_refused("AgentAction(**{'a': 1})", "names no fields")


def test_bytes_are_refused() -> None:
    check_refused("b'a'", "no JSON form")


def test_broken_text_is_refused() -> None:
    check_refused("{'a': ")


def test_endless_nesting_is_refused() -> None:
    check_refused("[" * 100_000 + "]" * 100_000)
