"""Which calls a workspace's critical actions cover."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.core.context import JsonValue, ProposedAction
from reviews.provenance.detectors.critical_actions import CriticalAction, Operator, is_critical

OPERATORS: tuple[Operator, ...] = ("present", "equals", "contains", "above", "below")
HUGE = pytest.param(10**5000, id="huge")
MINUS_HUGE = pytest.param(-(10**5000), id="minus huge")
"""More digits than Python writes."""


def check_critical(
    expected: bool, kind: CriticalAction, arguments: dict[str, Any] | None = None, tool: str = "pay"
) -> None:
    assert is_critical(ProposedAction(tool, arguments or {}), [kind]) is expected


def amount(operator: Operator, limit: str) -> CriticalAction:
    return CriticalAction("pay", "/amount", operator, limit)


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("pay", "pay"),
        ("*", "pay"),
        ("*", ""),
        ("pay_*", "pay_"),
        ("pay_*", "pay_daniel"),
        ("*_pay", "bank_pay"),
        ("b*_*y", "bank_pay"),
        ("click[Buy Now]", "click[Buy Now]"),
        ("click[*", "click[Buy Now]"),
        ("really?", "really?"),
        ("*", "two\nlines"),
    ],
)
def test_a_tool_is_named_exactly_or_by_stars(name: str, tool: str) -> None:
    check_critical(True, CriticalAction(name), tool=tool)


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("pay", "Pay"),
        ("pay", "pay_back"),
        ("pay", "repay"),
        ("pa?", "pay"),
        ("pa[xy]", "pay"),
        ("pay_*", "pay"),
        ("*_pay", "bank_pay2"),
        ("", "pay"),
        ("p.y", "pay"),
    ],
)
def test_no_other_character_stands_for_another(name: str, tool: str) -> None:
    check_critical(False, CriticalAction(name), tool=tool)


def test_a_hostile_name_is_matched_in_no_time() -> None:
    check_critical(False, CriticalAction("*a" * 100 + "b"), tool="a" * 200)


def test_without_a_pointer_the_tool_alone_decides() -> None:
    check_critical(True, CriticalAction("pay", operator="equals", value="never"), {"amount": 1})


@pytest.mark.parametrize("value", [101, 100.5, "101", " 1e3 ", math.inf, HUGE, "9" * 400, 2**53 + 1])
def test_more_than_the_limit_is_critical(value: JsonValue) -> None:
    check_critical(True, amount("above", "100"), {"amount": value})


@pytest.mark.parametrize("value", [100, 99.9, "100", "-1", -math.inf, MINUS_HUGE])
def test_the_limit_itself_and_less_is_not(value: JsonValue) -> None:
    check_critical(False, amount("above", "100"), {"amount": value})


def test_whole_numbers_are_compared_exactly() -> None:
    check_critical(True, amount("above", str(float(2**53))), {"amount": 2**53 + 1})
    check_critical(False, amount("above", str(float(2**53))), {"amount": 2**53})


@pytest.mark.parametrize("value", [99, "99.99", -math.inf, MINUS_HUGE])
def test_less_than_the_limit_is_critical(value: JsonValue) -> None:
    check_critical(True, amount("below", "100"), {"amount": value})


@pytest.mark.parametrize("operator", ["above", "below"])
@pytest.mark.parametrize("value", [math.nan, "nan", "$30", "", "1,000", None, True, [], {}, "all of it"])
def test_an_amount_that_cannot_be_compared_is_critical(operator: Operator, value: JsonValue) -> None:
    check_critical(True, amount(operator, "100"), {"amount": value})


@pytest.mark.parametrize("operator", ["above", "below"])
@pytest.mark.parametrize("limit", ["", "nan", "a hundred", "1,000"])
def test_a_limit_that_is_no_number_covers_every_amount(operator: Operator, limit: str) -> None:
    check_critical(True, amount(operator, limit), {"amount": 1})


@pytest.mark.parametrize(
    ("operator", "expected"),
    [("above", True), ("below", True), ("present", False), ("equals", False), ("contains", False)],
)
def test_an_amount_that_is_left_out_is_whatever_the_tool_takes_instead(operator: Operator, expected: bool) -> None:
    check_critical(expected, amount(operator, "100"), {"Amount": 1})


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("ACME", "acme"),
        ("\uff21\uff23\uff2d\uff25", "acme"),
        ("Ac\u200bme ", "acme"),
        ("Müller", "muller"),
        ("two\n words", "Two words"),
        (True, "true"),
        (None, "null"),
        (30, "30"),
        (30.0, "30"),
        ("30.00", "30"),
    ],
)
def test_the_same_value_in_another_spelling_is_equal(value: JsonValue, wanted: str) -> None:
    check_critical(True, CriticalAction("pay", "/to", "equals", wanted), {"to": value})


@pytest.mark.parametrize("value", ["acme ltd", "", 31, False, [], math.nan, HUGE])
def test_another_value_is_not_equal(value: JsonValue) -> None:
    check_critical(False, CriticalAction("pay", "/to", "equals", "acme"), {"to": value})


@pytest.mark.parametrize("value", ["To ACME Ltd", "x\u202eac\u200bme", ["other", "acme"], {"name": "Acme"}, "A C ACME"])
def test_a_part_is_found_in_any_spelling_and_at_any_depth(value: JsonValue) -> None:
    check_critical(True, CriticalAction("pay", "/to", "contains", "acme"), {"to": value})


@pytest.mark.parametrize("value", ["a c m e", "", [], None, 1, HUGE])
def test_what_does_not_hold_the_part_is_not_critical(value: JsonValue) -> None:
    check_critical(False, CriticalAction("pay", "/to", "contains", "acme"), {"to": value})


@pytest.mark.parametrize("pointer", ["/items", "/items/1", "/items/1/price", "/a~1b~0c", "/empty", "/none"])
def test_an_argument_is_found_by_its_pointer(pointer: str) -> None:
    given_arguments = {"items": [{"price": 1}, {"price": 900}], "a/b~c": 1, "empty": [], "none": None}
    check_critical(True, CriticalAction("pay", pointer), given_arguments)


@pytest.mark.parametrize(
    "pointer", ["/item", "/items/2", "/items/-1", "/items/one", "/items/1/price/0", "/items/" + "9" * 5000]
)
def test_a_pointer_that_leads_nowhere_finds_nothing(pointer: str) -> None:
    check_critical(False, CriticalAction("pay", pointer), {"items": [{"price": 1}, {"price": 900}], "": 1})


def test_a_pointer_that_is_none_means_every_argument() -> None:
    check_critical(True, CriticalAction("pay", "amount", "above", "500"), {"to": 1, "amount": 900})


def test_one_of_several_values_is_enough() -> None:
    kind = CriticalAction("pay", "/items", "above", "500")
    check_critical(True, kind, {"items": [{"price": 1}, {"price": 900}]})
    check_critical(False, kind, {"items": [{"price": 1}, {"price": 2}]})


def test_one_of_several_kinds_is_enough() -> None:
    kinds = [CriticalAction("refund"), CriticalAction("pay")]
    assert is_critical(ProposedAction("pay", {}), kinds)
    assert not is_critical(ProposedAction("read", {}), kinds)


def test_no_kind_covers_nothing() -> None:
    assert not is_critical(ProposedAction("pay", {}), [])


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.text(), st.text(), st.sampled_from(OPERATORS), st.text(), st.dictionaries(st.text(), _values))
def test_nothing_makes_it_raise(
    tool: str, pointer: str, operator: Operator, value: str, arguments: dict[str, JsonValue]
) -> None:
    CriticalAction("*", pointer, operator, value).covers(ProposedAction(tool, arguments))


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_megabyte_is_compared(operator: Operator) -> None:
    kind = CriticalAction("pay", "/to", operator, "9" * 100)
    check_critical(operator in ("present", "contains", "above"), kind, {"to": "9" * 1_000_000})
