from typing import Any

from reviews.evaluation.benchmarks.compare_calls import differing


def check(given: dict[str, Any], *right: dict[str, Any], differs: set[str] | None) -> None:
    assert differing(given, right) == differs


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
