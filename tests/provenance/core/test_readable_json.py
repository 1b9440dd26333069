"""JSON as a person reads it: the same whether it is written for the first time or was kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.core import readable_json
from reviews.provenance.core.readable_json import write_readably

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)


@given(VALUES)
def test_a_value_is_written_as_the_library_indents_it(value: object) -> None:
    expected = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)
    assert [write_readably(value) for _ in range(2)] == [expected] * 2


def test_a_value_that_was_changed_is_written_anew() -> None:
    schema = {"type": "object"}
    write_readably(schema)
    schema["type"] = "array"
    assert "array" in write_readably(schema)


@pytest.mark.parametrize(
    ("length", "lines"),
    [(readable_json._MAX_KEPT + 1, 3), (readable_json.MAX_INDENTED + 1, 1)],
    ids=["long", "endless"],
)
def test_a_long_one_is_written_and_not_kept(length: int, lines: int) -> None:
    before = readable_json._indent_and_keep.cache_info().currsize
    assert len(write_readably(["x" * length]).splitlines()) == lines
    assert readable_json._indent_and_keep.cache_info().currsize == before
