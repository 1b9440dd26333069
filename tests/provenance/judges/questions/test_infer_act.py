import json
import re
from typing import Any

import pytest

from reviews.provenance.core.context import Case, Context, Message, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.judges.base import Question
from reviews.provenance.judges.questions.infer_act import (
    MAX_STEPS,
    Completion,
    Inference,
    InferredTask,
    Progress,
    Steps,
    Truth,
    step_probabilities,
)
from reviews.provenance.prompts.prompt import load_prompt
from tests.provenance.judges.questions.forms import check_refused

PAY = ToolDoc("pay", "Pay somebody.", {"properties": {"to": {"type": "string"}}})
HISTORY = (
    Step("find", {"name": "Dora"}, "id 7", subtask="SECRET step"),
    Message("assistant", "SECRET plan"),
    Message("user", "SECRET answer"),
    Step("balance", {}, "90 dollars"),
)
EXTRA = (NamedText(SourceKind.SYSTEM_PROMPT, "policy", "SECRET policy"), NamedText(SourceKind.MEMORY, "m", "SECRET"))
CASE = Case(Context("SECRET request", (PAY,), HISTORY, EXTRA), ProposedAction("pay", {"to": "Dora"}, "SECRET subtask"))


def shown(question: Question[object]) -> str:
    return "".join(load_prompt(question.name).fill_in(question.material))


def test_the_instruction_never_reaches_task_inference_nor_anything_that_was_said() -> None:
    assert "SECRET" not in shown(Inference(CASE))


@pytest.mark.parametrize("seen", ["Pay somebody.", '"name": "Dora"', "id 7", "90 dollars", '"to": "Dora"'])
def test_actions_and_observations_reach_task_inference(seen: str) -> None:
    assert seen in shown(Inference(CASE))


@pytest.mark.parametrize("question", [Completion(CASE, "Pay Dora"), Progress(CASE, "Pay Dora")])
def test_verification_sees_both_tasks_and_no_word_of_the_agent(question: Completion | Progress) -> None:
    assert all(told in shown(question) for told in ("Pay Dora", "SECRET request", "SECRET answer", "id 7"))
    assert not any(told in shown(question) for told in ("SECRET plan", "SECRET subtask", "SECRET step"))


def test_calls_are_rated_and_messages_are_not() -> None:
    (listed,) = Steps(CASE).material["steps"]
    assert listed.text.splitlines() == [
        "step_1: history/1/call", "step_2: history/4/call", "step_3: the proposed call",
    ]  # fmt: skip
    assert set(Steps(CASE).answer_type.model_fields) == {"step_1", "step_2", "step_3", "rationale"}


def test_no_number_is_suggested_for_a_probability() -> None:
    assert not re.search(r"\d\.\d", load_prompt("steps").question)


def test_of_many_calls_the_latest_are_rated() -> None:
    steps = Steps(Case(Context("Go", (PAY,), tuple(Step("pay", {}) for _ in range(200))), CASE.action))
    assert len(steps.answer_type.model_fields) == MAX_STEPS + 1
    assert steps.material["steps"][0].text.splitlines()[-2:] == [
        "step_49: history/200/call",
        "step_50: the proposed call",
    ]


def test_probabilities_come_in_the_order_of_the_calls() -> None:
    told = step_probabilities(3).model_validate_json('{"step_3": 1, "step_1": 0.5, "step_2": 0.0, "rationale": "x"}')
    assert (told.values, told.reason) == ((0.5, 0.0, 1.0), "x")


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan"), float("inf"), "0.5", None, True])
def test_what_is_no_probability_is_no_answer(wrong: Any) -> None:
    check_refused(step_probabilities(1), step_1=wrong, rationale="")


def test_a_call_left_out_or_one_too_many_is_no_answer() -> None:
    check_refused(step_probabilities(2), step_1=0.5, rationale="")
    check_refused(step_probabilities(1), step_1=0.5, step_2=0.5, rationale="")


def test_no_task_is_no_answer() -> None:
    check_refused(InferredTask, task=" \n")


def test_a_form_is_strict_for_every_endpoint() -> None:
    schema = step_probabilities(2).model_json_schema()
    assert (schema["required"], schema["additionalProperties"]) == (["step_1", "step_2", "rationale"], False)
    assert not any(limit in json.dumps(schema) for limit in ("minimum", "maximum", "minLength"))
    assert Truth.model_json_schema()["required"] == ["holds"]
