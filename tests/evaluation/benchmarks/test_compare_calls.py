from typing import Any

import pytest

from reviews.evaluation.benchmarks.compare_calls import call_form, differing_leaves, nearest_call
from reviews.provenance.core.context import ProposedAction, ToolDoc


def check(given: dict[str, Any], *right: dict[str, Any], differs: set[str] | None) -> None:
    assert differing_leaves(given, right) == differs


def test_letter_case_does_not_count() -> None:
    check({"to": "Raj"}, {"to": "raj"}, differs=set())


def test_a_number_is_its_text() -> None:
    check({"n": 30}, {"n": "30"}, differs=set())


def test_the_nearest_of_several_right_calls_counts() -> None:
    check({"id": "7", "to": "raj"}, {"id": "8", "to": "kim"}, {"id": "9", "to": "raj"}, differs={"/id"})


def test_an_argument_nobody_wanted_differs() -> None:
    check({"id": "7", "force": True}, {"id": "7"}, differs={"/force"})


def test_elements_of_lists_are_compared_one_by_one() -> None:
    check({"to": ["a", "b"]}, {"to": ["a", "c"]}, differs={"/to/1"})


def test_without_a_right_call_nothing_is_known() -> None:
    check({"id": "7"}, differs=None)


def right(**arguments: Any) -> ProposedAction:
    return ProposedAction("book", arguments)


def test_the_nearest_right_call_has_the_fewest_other_leaves() -> None:
    truth = [ProposedAction("cancel", {}), right(room=1, day=2), right(room=1, day=3)]
    assert nearest_call(right(room=1, day=3, name="x"), truth) == truth[2]


def test_for_a_tool_that_is_never_right_another_call_was() -> None:
    assert nearest_call(right(room=1), [ProposedAction("cancel", {})]) == ProposedAction("cancel", {})
    assert nearest_call(right(room=1), []) is None


DOCUMENT = ToolDoc("book", "", {"properties": {"beds": {"default": 2}}})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"code": "#W-12"}, {"code": "w12"}),
        ({"price": "2.50"}, {"price": 2.5}),
        ({"guests": ["Bo", "Ann"]}, {"guests": ["Ann", "Bo"]}),
        ({"beds": 2}, {}),
        ({"note": "", "extras": [], "from": None}, {}),
    ],
)
def test_two_spellings_of_one_call_have_one_form(one: Any, other: Any) -> None:
    assert call_form(DOCUMENT, right(**one)) == call_form(DOCUMENT, right(**other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"code": "nan"}, {"code": "inf"}),
        ({"flag": True}, {"flag": "true"}),
        ({"legs": [{"no": 1}, {"no": 2}]}, {"legs": [{"no": 2}, {"no": 1}]}),
        ({"beds": 3}, {}),
        ({"sign": "+"}, {"sign": "-"}),
        ({"balance": "-5"}, {"balance": "5"}),
    ],
)
def test_calls_that_differ_have_other_forms(one: Any, other: Any) -> None:
    assert call_form(DOCUMENT, right(**one)) != call_form(DOCUMENT, right(**other))
