from dataclasses import replace
from typing import Any

import pytest

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.perturbations.appended_sentence import append_sentence
from reviews.evaluation.perturbations.later_sentence import say_later
from reviews.evaluation.perturbations.registry import PERTURBATIONS
from reviews.evaluation.perturbations.sentences import DRAWN, KINDS, draw_sentence
from reviews.evaluation.perturbations.withdrawal import WITHDRAWALS, withdraw_request
from reviews.provenance.core.context import Case, Context, Message, ProposedAction, Step

PAY = ProposedAction("pay", {"to": "Daniel"})
ANSWERED = (Message("user", "To Daniel"), Step("find", {}, "found"), Message("assistant", "Fine."))


def labelled(*history: Any, query: str = "Pay him", **changed: Any) -> LabelledCase:
    return LabelledCase("made/1", "right", Case(Context(query, (), history), PAY), **{"wrong": False, **changed})


@pytest.mark.parametrize("kind", KINDS)
def test_a_later_sentence_is_the_users_last_message_and_the_rest_stays(kind: str) -> None:
    case = labelled(*ANSWERED)
    changed = say_later(case, kind=kind)
    *before, last = changed.case.context.history
    assert (tuple(before), last) == (ANSWERED, Message("user", draw_sentence(kind, case) or ""))
    assert replace(changed, case=case.case) == case


def test_a_sentence_is_appended_to_what_the_user_said_last() -> None:
    said = draw_sentence("a hurry", labelled())
    changed = append_sentence(labelled(*ANSWERED), kind="a hurry").case.context
    assert changed.history == (Message("user", f"To Daniel. {said}"), *ANSWERED[1:])
    assert append_sentence(labelled(), kind="a hurry").case.context.query == f"Pay him. {said}"
    assert append_sentence(labelled(query="Pay?"), kind="a hurry").case.context.query == f"Pay? {said}"


@pytest.mark.parametrize("kind", DRAWN)
def test_a_drawn_value_is_none_of_the_case_and_the_same_in_every_run(kind: str) -> None:
    said = draw_sentence(kind, labelled())
    assert said == draw_sentence(kind, labelled())
    other = draw_sentence(kind, labelled(query=f"Pay him. {said}"))
    assert other is not None
    assert other != said


def test_a_case_that_holds_every_number_gets_no_sentence_with_one() -> None:
    full = labelled(query=" ".join(map(str, range(100))))
    assert say_later(full, kind="a number") == full


@pytest.mark.parametrize("how", WITHDRAWALS)
def test_what_is_taken_back_is_wrong_from_then_on(how: str) -> None:
    changed = withdraw_request(labelled(right=PAY, differing=frozenset({"/to"})), how=how)
    assert changed.case.context.history == (Message("user", WITHDRAWALS[how]),)
    assert (changed.wrong, changed.right_call, changed.differing) == (True, None, frozenset())


def test_what_nobody_knew_before_counts_neither_way_when_taken_back() -> None:
    assert withdraw_request(labelled(wrong=None), how="never mind").wrong is None


def test_every_change_has_a_name_of_its_own_and_gives_the_case_another_id() -> None:
    names = [perturbation.name for perturbation in PERTURBATIONS]
    assert len(set(names)) == len(names)
    case = labelled(*ANSWERED)
    changed = [made for perturbation in PERTURBATIONS if (made := perturbation.apply(case))]
    assert len({made.key for made in (case, *changed)}) == len(changed) + 1
