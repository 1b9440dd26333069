"""A message asks for a call once, however the second one is spelled, and whoever was asked since may have said no."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.core.context import Case, ProposedAction, Step, ToolDoc
from reviews.provenance.core.verdicts import open_in
from reviews.provenance.detectors.provenance_guard.parameter import MADE_BEFORE
from reviews.provenance.judges import RulesJudge
from tests.provenance.argument_grounding.made import agent, call, context, user
from tests.provenance.argument_grounding.tools import TEXT
from tests.provenance.detectors.scripted import check

PAY = ToolDoc(
    "send_money",
    "Sends money to a person.",
    {"properties": {"to": TEXT, "amount": {"type": "number"}, "currency": {"type": "string", "default": "USD"}}},
)
PAID = call("send_money", to="ann@example.org", amount=30)
ASKED = context("Send $30 to ann@example.org", offered=(PAY,))
BETWEEN = (
    (), (agent("Done."), user("thanks")), (agent("Done. Do you want a receipt?"), user("Yes please")),
    (agent("Sent."), user("ok"), agent("Anything else?"), user("Thank you!")),
)  # fmt: skip
AGAIN: tuple[dict[str, Any], ...] = ({}, {"currency": "USD"}, {"amount": "30"}, {"to": "Ann@example.org"})


def is_proven(*history: Any, action: ProposedAction = PAID) -> bool:
    return Grounder(replace(ASKED, history=history)).trace_call(action).is_proven


def test_the_first_call_is_proven() -> None:
    assert is_proven()


@given(st.sampled_from(BETWEEN), st.sampled_from(AGAIN), st.sampled_from(AGAIN))
def test_a_call_that_was_made_since_is_unproven(
    between: tuple[Any, ...], first: dict[str, Any], second: dict[str, Any]
) -> None:
    made = Step(PAID.tool, {**PAID.arguments, **first}, "ok")
    assert not is_proven(made, *between, action=replace(PAID, arguments={**PAID.arguments, **second}))


@pytest.mark.parametrize("other", [{"to": "bob@example.org"}, {"amount": 31}])
def test_another_call_of_the_tool_is_no_repetition(other: dict[str, Any]) -> None:
    assert is_proven(Step(PAID.tool, {**PAID.arguments, **other}, "ok"))


def test_a_user_who_asks_anew_is_served_anew() -> None:
    assert is_proven(Step(PAID.tool, PAID.arguments, "ok"), agent("Done."), user("Send $30 to ann@example.org"))


@pytest.mark.parametrize(
    ("tool", "answer", "expected"),
    [
        ("ask_user", "No, do not send it.", False),
        ("AskUserQuestion", '{"answer": "Later."}', False),
        ("request_approval", "Denied", False),
        ("ask_user", "Yes, please.", True),
        ("get_balance", "No, do not send it.", False),
        ("get_balance", '{"balance": 12}', False),
        ("get_balance", '{"balance": 12, "currency": "USD"}', True),
        ("find_email_address", '["bob@example.org"]', True),
        ("find_email_address", "bob@example.org", True),
        ("find_email_address", "none", False),
        ("find_email_address", "Ask bob@example.org first.", False),
        ("make_payment", '{"payee": "ann", "status": "sent"}', False),
    ],
)
def test_what_came_of_another_tool_withholds_unless_it_is_a_plain_yes_fields_or_an_identifier(
    tool: str, answer: str, expected: bool
) -> None:
    assert is_proven(Step(tool, {"question": "Send it?"}, answer)) is expected


@pytest.mark.parametrize(
    ("question", "expected"), [("Send it?", True), ("Keep it?", False), ("Shall I not send it?", False), ("", False)]
)
def test_a_yes_to_another_question_withholds(question: str, expected: bool) -> None:
    assert is_proven(Step("ask_user", {"question": question}, "Yes")) is expected


def test_an_answer_before_the_request_is_about_something_else() -> None:
    assert is_proven(Step("ask_user", {}, "No."), user("Send $30 to ann@example.org"))


@pytest.mark.parametrize(("to", "told"), [("ann@example.org", True), ("Ann@example.org", False)])
async def test_the_very_call_that_was_made_is_told_first(to: str, *, told: bool) -> None:
    made = Step(PAID.tool, {**PAID.arguments, "to": to}, "ok")
    verdict = await check("undetermined", Case(replace(ASKED, history=(made,)), PAID), RulesJudge(), unknown="review")
    assert (open_in(verdict.findings)[0].rule == MADE_BEFORE) is told
    assert not told or "stands in history 1" in open_in(verdict.findings)[0].rationale
