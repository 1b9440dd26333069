"""Canonical JSON is the same whichever way it is written."""

from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.core.canonical import NotCanonicalError, canonical_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def by_library(value: Any) -> bytes | None:
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        return None


@given(JSON)
def test_every_value_is_written_as_the_library_writes_it(value: Any) -> None:
    try:
        written: bytes | None = canonical_json(value)
    except NotCanonicalError:
        written = None
    assert written == by_library(value)


@pytest.mark.parametrize(
    "value",
    [{"\U0001f600": 1, "\uff5e": 2}, {"b": 1, "a": [True, None]}, "\x1f\x7f\u2028", [1.0, 1e21, -0.0], {"n": 10**15}],
)
def test_the_cases_in_which_libraries_differ_are_written_alike(value: Any) -> None:
    assert canonical_json(value) == by_library(value)


@pytest.mark.parametrize("value", [{1: "a"}, {None: "a"}, float("nan"), 2**53, "\ud800", {"a": {1, 2}}])
def test_what_json_cannot_carry_has_no_canonical_form(value: Any) -> None:
    with pytest.raises(NotCanonicalError):
        canonical_json(value)
