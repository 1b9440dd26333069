from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.terms.call_equivalence import differing_paths, key_of_call, shares_values
from reviews.provenance.terms.derivability import DerivableParameters

TOOL = ToolDoc(
    "book_room",
    "Book a room.",
    {
        "properties": {
            "day": {"type": "string"},
            "seats": {"type": "integer", "default": 4},
            "currency": {"type": "string", "description": "ISO code, defaults to EUR"},
            "place": {"type": "array", "items": {"type": "number"}},
            "guests": {"type": "array", "items": {"type": "string"}},
        }
    },
)


CLASSES = DerivableParameters.by_rule(TOOL)


def differ(one: dict[str, Any], other: dict[str, Any]) -> frozenset[str]:
    return differing_paths(TOOL, one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2024-03-05", "March 5, 2024"),
        ("2024-03-05T10:00:00", "2024-03-05 10:00"),
        ("New York", "new  york"),
        ("DE75 5121 0800 1245 1261 99", "DE75512108001245126199"),
        ("+1 (555) 010-9999", "+15550109999"),
        ("Café", "cafe"),
        (30, "30.0"),
        (30, 30.0),
    ],
)
def test_two_spellings_of_one_value_are_one(one: Any, other: Any) -> None:
    assert differ({"day": one}, {"day": other}) == differ({"day": other}, {"day": one}) == frozenset()


@pytest.mark.parametrize(
    ("one", "other"), [("2024-03-05", "2024-03-06"), ("Ann", "Ann Lee"), ("AC-1", "AC-2"), ("007", "7"), (30, 31)]
)
def test_another_value_is_another_call(one: Any, other: Any) -> None:
    assert differ({"day": one}, {"day": other}) == {"/day"}


@pytest.mark.parametrize(
    "default", [{"seats": 4}, {"currency": "EUR"}, {"currency": "eur"}, {"guests": []}, {"seats": None}]
)
def test_an_omitted_default_is_its_value(default: dict[str, Any]) -> None:
    assert differ({"day": "Monday"}, {"day": "Monday", **default}) == frozenset()
    assert key_of_call(CLASSES, {"day": "Monday"}) == key_of_call(CLASSES, {"day": "Monday", **default})


def test_what_is_no_default_is_a_difference() -> None:
    assert differ({"day": "Monday"}, {"day": "Monday", "seats": 5}) == {"/seats"}


def test_a_set_has_no_order_and_a_place_has_one() -> None:
    assert differ({"guests": ["Ann", "Bo"]}, {"guests": ["bo", "ann"]}) == frozenset()
    assert differ({"guests": "ann@x.org, bo@x.org"}, {"guests": "bo@x.org; ann@x.org"}) == frozenset()
    assert differ({"guests": ["Ann", "Bo"]}, {"guests": ["Ann"]}) == {"/guests"}
    assert differ({"place": [1, 2]}, {"place": [2, 1]}) == {"/place"}


def test_entries_that_pair_the_same_values_otherwise_are_another_call() -> None:
    lines = [{"name": "rice", "unit": "g"}, {"name": "milk", "unit": "l"}]
    crossed = [{"name": "rice", "unit": "l"}, {"name": "milk", "unit": "g"}]
    assert differ({"lines": lines}, {"lines": crossed}) == {"/lines/name", "/lines/unit"}
    assert differ({"lines": lines}, {"lines": lines[::-1]}) == frozenset()
    spelled = [{"name": "Milk", "unit": "L"}, {"name": "Rice", "unit": "G"}]
    assert differ({"lines": lines}, {"lines": spelled}) == frozenset()
    # What is merely left open is no difference.
    assert differ({"lines": lines}, {"lines": [{"name": "rice"}, {"name": "milk"}]}) == frozenset()


def test_calls_that_take_more_of_the_same_share_values() -> None:
    ann_and_bo, ann, cy = ({"guests": guests} for guests in (["Ann", "Bo"], ["ann"], ["Cy"]))
    assert shares_values(TOOL, "/guests", ann_and_bo, ann)
    assert not shares_values(TOOL, "/guests", ann_and_bo, cy)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(arguments=st.dictionaries(st.text(max_size=8), values, max_size=4))
# A name of digits is no position in a list.
@example(arguments={"": 0, "0": {"": 1}})
def test_a_call_never_differs_from_itself(arguments: dict[str, Any]) -> None:
    assert differ(arguments, arguments) == frozenset()
    assert key_of_call(CLASSES, arguments) == key_of_call(CLASSES, dict(reversed(arguments.items())))


def test_a_number_of_any_length_has_a_key() -> None:
    assert key_of_call(CLASSES, {"seats": 10**5000}) != key_of_call(CLASSES, {"seats": 10**5000 + 1})
