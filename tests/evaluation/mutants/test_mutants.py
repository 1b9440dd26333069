import json
from typing import Any

import pytest

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome
from reviews.evaluation.mutants.digit import change_digit
from reviews.evaluation.mutants.drop import drop_argument
from reviews.evaluation.mutants.making import MUTATORS, mutants_of
from reviews.evaluation.mutants.sibling import take_siblings
from reviews.evaluation.mutants.swap import swap_arguments
from reviews.provenance.core.context import Case, ProposedAction
from tests.evaluation.conversations import proposed

ORDERS = json.dumps({"orders": [{"id": "W110", "count": 2}, {"id": "W120", "count": 3}]})


def labelled(case: Case, *, wrong: bool | None = False, name: str = "made/1") -> LabelledCase:
    return LabelledCase(name, "right", case, wrong)


def made(*cases: LabelledCase, kinds: tuple[str, ...] = tuple(MUTATORS), **trace: Any) -> list[LabelledCase]:
    traces = mutants_of([LabelledTrace("made", "made", Outcome.SUCCESSFUL, cases, **trace)], kinds)
    return [case for one in traces for case in one.cases]


@pytest.mark.parametrize("value", ["W110", 42, 7.25, "2030-01-31", "+49 30 1234567", "GB33 BUKB 2020 1555"])
def test_exactly_one_digit_is_changed(value: str | float) -> None:
    (changed,) = change_digit(proposed({"id": value}))
    assert type(changed["id"]) is type(value)
    assert len(str(changed["id"])) == len(str(value))
    assert sum(one != other for one, other in zip(str(changed["id"]), str(value), strict=True)) == 1


@pytest.mark.parametrize("value", ["Ann", True, None, "I would like to have 2 rooms with a view of the sea"])
def test_what_neither_names_nor_counts_keeps_its_digits(value: Any) -> None:
    assert not list(change_digit(proposed({"value": value})))


def test_a_date_stays_a_date() -> None:
    ((changed,),) = ([case["day"] for case in change_digit(proposed({"day": day}))] for day in ["2030-02-28"])
    assert changed[5:] <= "12-31"


def test_a_sibling_comes_from_the_same_field_of_another_record() -> None:
    assert list(take_siblings(proposed({"order": "W110"}, outcome=ORDERS))) == [{"order": "W120"}]


def test_a_sibling_may_be_another_key_of_one_form() -> None:
    cards = json.dumps({"cards": {"card_1": {"brand": "a"}, "card_2": {"brand": "b"}}})
    assert list(take_siblings(proposed({"card": "card_1"}, outcome=cards))) == [{"card": "card_2"}]


def test_a_sibling_may_stand_in_lines_of_names_and_values() -> None:
    assert list(take_siblings(proposed({"who": "Anna"}, outcome="- name: Anna\n- name: 'Bert'"))) == [{"who": "Bert"}]


def test_a_value_that_stands_in_no_record_has_no_sibling() -> None:
    assert not list(take_siblings(proposed({"order": "W990"}, outcome=ORDERS)))


@pytest.mark.parametrize(("name", "count"), [("count", 1), ("nights", 0)])
def test_a_short_value_has_a_sibling_only_in_a_field_of_its_name(name: str, count: int) -> None:
    assert len(list(take_siblings(proposed({name: 2}, outcome=ORDERS)))) == count


def test_two_arguments_of_one_kind_are_swapped_wherever_they_stand() -> None:
    case = proposed({"trip": [{"origin": "Rome", "goal": "Oslo", "day": "2030-01-02"}]})
    assert list(swap_arguments(case)) == [{"trip": [{"origin": "Oslo", "goal": "Rome", "day": "2030-01-02"}]}]


@pytest.mark.parametrize(
    ("arguments", "properties"),
    [
        ({"a": 1, "b": 2}, {}),
        ({"file1": "x.txt", "file2": "y.txt"}, {}),
        ({"count": 1, "name": "one"}, {}),
        ({"cabin": "first", "city": "Rome"}, {"cabin": {"enum": ["first"]}}),
        ({"note": "Please call me back as soon as you can", "why": "The heating does not work at all today"}, {}),
    ],
)
def test_arguments_that_cannot_be_mistaken_for_each_other_are_not_swapped(arguments: Any, properties: Any) -> None:
    assert not list(swap_arguments(proposed(arguments, properties=properties)))


def test_operands_that_their_document_tells_apart_are_swapped() -> None:
    properties = {"a": {"description": "Numerator."}, "b": {"description": "Denominator."}}
    assert list(swap_arguments(proposed({"a": 1, "b": 2}, properties=properties))) == [{"a": 2, "b": 1}]


@pytest.mark.parametrize(
    "schema", [{"default": 10}, {"description": "Lines to show. Defaults to 10."}, {"description": "Default is '10'."}]
)
def test_an_argument_that_is_its_default_is_not_dropped(schema: Any) -> None:
    case = proposed({"lines": 10, "file": "a"}, properties={"lines": schema})
    assert list(drop_argument(case)) == [{"lines": 10}]


def test_mutants_are_labelled_wrong_with_the_leaves_that_changed() -> None:
    case = labelled(proposed({"order": "W110"}, outcome=ORDERS))
    (sibling,) = made(case, kinds=("sibling",))
    assert (sibling.label, sibling.wrong, sibling.differing) == ("sibling", True, frozenset({"/order"}))
    assert sibling.right == case.case.action
    (drop,) = made(case, kinds=("drop",))
    assert (drop.case.action.arguments, drop.differing) == ({}, frozenset({"/order"}))


def test_mutants_are_the_same_in_every_run_and_few() -> None:
    case = labelled(proposed({f"part_{name}": f"P-{number}00" for number, name in enumerate("abcdefgh", start=1)}))
    first, second = (made(case) for _ in range(2))
    assert [(mutant.id, mutant.case) for mutant in first] == [(mutant.id, mutant.case) for mutant in second]
    assert [mutant.label for mutant in first].count("digit") == 3


@pytest.mark.parametrize("other", ["W120", "#w120"])
def test_another_right_call_of_the_task_is_no_mutant(other: str) -> None:
    case = labelled(proposed({"order": "W110"}, outcome=ORDERS))
    right = labelled(proposed({"order": other}), name="made/2")
    assert not made(case, right, kinds=("sibling",))
    assert not made(case, kinds=("sibling",), truth=(ProposedAction("change", {"order": other}),))


@pytest.mark.parametrize("wrong", [True, None])
def test_only_right_calls_have_mutants(wrong: bool | None) -> None:
    assert not made(labelled(proposed({"order": "W110"}), wrong=wrong))
