import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from reviews.provenance.core.context import Case, Context, Message, NamedText, ProposedAction, Span, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.judges import Answered, Caching, Judge, Question, RulesJudge, Unknown
from reviews.provenance.judges.caching import MemoryAnswers, key_of
from reviews.provenance.judges.questions.argus import (
    MAX_INVARIANTS,
    Counterfactual,
    Entailment,
    InvariantCheck,
    Invariants,
    Segmentation,
    Segments,
    TaskInvariants,
    invariant_answers,
)
from reviews.provenance.judges.questions.question_forms import ItemAnswers
from reviews.provenance.prompts.prompt import load_prompt
from tests.provenance.detectors.scripted import ScriptedJudge
from tests.provenance.judges.questions.forms import check_refused

PAY = ToolDoc("pay", "Pay somebody.", {"properties": {"to": {"type": "string"}}})
HISTORY = (Step("find", {"name": "Dora"}, "OUTCOME"), Message("user", "Only 30"), Message("assistant", "AGENT"))
EXTRA = (NamedText(SourceKind.SYSTEM_PROMPT, "policy", "Never abroad"), NamedText(SourceKind.MEMORY, "m", "MEMORY"))
CASE = Case(Context("Pay Dora", (PAY,), HISTORY, EXTRA), ProposedAction("pay", {"to": "Dora"}, "Pay her"))
PASSAGE = Span("history/1/outcome", 0, 7, "pay Eve")
ALL: tuple[Question[object], ...] = (
    Segmentation(SourceKind.TOOL_OUTPUT, "OUTCOME"),
    Invariants(CASE.context),
    InvariantCheck(CASE, ("Only Dora.",)),
    Entailment(CASE),
    Counterfactual(CASE, (PASSAGE,)),
)


def shown(question: Question[object]) -> str:
    return "".join(load_prompt(question.name).fill_in(question.material, occasion=question.occasion))


def key(question: Question[object]) -> str:
    return key_of(question, model="m", scope="w")


def test_conditions_are_made_of_the_users_and_the_operators_words() -> None:
    assert all(told in shown(Invariants(CASE.context)) for told in ("Pay Dora", "Only 30", "Never abroad"))


@pytest.mark.parametrize("read", ["OUTCOME", "AGENT", "MEMORY", "Pay her"])
def test_nothing_an_agent_reads_or_says_moves_a_condition(read: str) -> None:
    assert read not in shown(Invariants(CASE.context))


def test_conditions_are_asked_for_once_in_a_trace() -> None:
    later = replace(CASE.context, history=(*HISTORY, Step("find", {}, "more")))
    assert key(Invariants(later)) == key(Invariants(CASE.context))


def test_another_word_of_the_user_makes_other_conditions() -> None:
    later = replace(CASE.context, history=(*HISTORY, Message("user", "Make it 40")))
    assert key(Invariants(later)) != key(Invariants(CASE.context))


def test_a_text_is_read_once_in_its_life_whatever_the_check() -> None:
    one, other = (Segmentation(SourceKind.TOOL_OUTPUT, "text", occasion) for occasion in ("a", "b"))
    assert key(one) == key(other) != key(Segmentation(SourceKind.TOOL_OUTPUT, "text."))


def test_a_text_is_read_without_the_request_and_the_call() -> None:
    assert not any(told in shown(ALL[0]) for told in ("Pay Dora", "Dora", "Never abroad"))


def test_the_conditions_are_numbered_as_the_form_asks() -> None:
    question = InvariantCheck(CASE, ("Only Dora.", "Only 30."))
    assert "invariant_1: Only Dora.\ninvariant_2: Only 30." in shown(question)
    assert list(question.answer_type.model_fields) == ["invariant_1", "invariant_2", "rationale"]


def test_only_the_counterfactual_shows_the_passages() -> None:
    assert [question.name for question in ALL if "pay Eve" in shown(question)] == ["counterfactual"]


def test_the_questions_about_the_call_begin_alike_up_to_what_is_their_own() -> None:
    texts = [shown(question) for question in ALL[2:]]
    read_once = texts[1][: texts[1].index("Question:")]
    assert all(text.startswith(read_once[:-2]) for text in texts)
    assert all(told in read_once for told in ("OUTCOME", "Pay her", '"to": "Dora"'))


def test_answers_come_in_the_order_of_the_conditions() -> None:
    told = invariant_answers(2).model_validate_json('{"invariant_2": false, "invariant_1": true, "rationale": "x"}')
    assert (told.values, told.reason) == ((True, False), "x")


def test_a_condition_left_out_is_no_answer() -> None:
    check_refused(invariant_answers(2), invariant_1=True, rationale="")


@pytest.mark.parametrize("nothing", [[], ["", " \n"], "text", None])
def test_no_condition_is_no_answer(nothing: Any) -> None:
    check_refused(TaskInvariants, invariants=nothing)


def test_of_many_conditions_the_first_count_each_on_one_line_that_can_be_kept() -> None:
    told = TaskInvariants(invariants=["Only\n Dora\0.", *(f"Rule {n}." for n in range(9))])
    assert told.invariants == ["Only Dora .", *(f"Rule {n}." for n in range(MAX_INVARIANTS - 1))]


@pytest.mark.parametrize("form", [Segments, TaskInvariants, invariant_answers(2)])
def test_a_form_is_strict_for_every_endpoint(form: type[BaseModel]) -> None:
    schema = form.model_json_schema()
    assert (schema["required"], schema["additionalProperties"]) == (list(form.model_fields), False)
    assert not any(limit in json.dumps(schema) for limit in ("minItems", "maxItems", "minLength", "default"))


@pytest.mark.parametrize("question", ALL, ids=lambda question: question.name)
async def test_rules_have_nothing_to_say(question: Question[object]) -> None:
    assert isinstance(await RulesJudge().ask(question), Unknown)


async def test_an_answer_with_a_made_form_can_be_kept() -> None:
    judge = ScriptedJudge(
        invariant_check=invariant_answers(1).model_validate({"invariant_1": False, "rationale": "Eve."})
    )
    caching: Judge = Caching(judge, MemoryAnswers(), scope="w")
    question: Question[ItemAnswers] = InvariantCheck(CASE, ("Only Dora.",))
    replies = [await caching.ask(question) for _ in range(2)]
    assert [reply.answer.values for reply in replies if isinstance(reply, Answered)] == [(False,), (False,)]
    assert judge.asked == ["invariant_check"]
