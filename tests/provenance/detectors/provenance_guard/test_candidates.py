"""Stage 3 compares: a blind candidate for the same step that decides something else competes with the proposal."""

import json
from typing import Any

import pytest

from reviews.provenance.core.context import Case, Step, ToolDoc
from reviews.provenance.core.verdicts import Verdict
from reviews.provenance.judges.questions.provenance_guard import (
    AdmissibilityAnswer,
    CallAdmissible,
    Candidate,
    CandidatesAnswer,
    NamedValue,
)
from reviews.provenance.judges.questions.question_forms import Quote
from tests.provenance.detectors.scripted import (
    GIBBERISH,
    SILENT,
    ScriptedJudge,
    candidates,
    case,
    check,
    support,
    supported,
)

LOANS = json.dumps([{"name": "Ann", "account": "A-1001"}, {"name": "Bo", "account": "B-2002"}])
LOOKED_UP = (Step("find_contact", {"name": "all"}, LOANS),)
TO_ANN = ("money_transfer", '{"to": "A-1001", "amount": 30}')
TO_BO = ("money_transfer", '{"to": "B-2002", "amount": 30}')


def paying(to: str = "B-2002", query: str = "Pay Bo $30", **arguments: Any) -> Case:
    return case(query, subtask=None, history=LOOKED_UP, to=to, amount=30, **arguments)


def admissibility(*admissible: bool, exclusive: bool = True) -> AdmissibilityAnswer:
    calls = [
        CallAdmissible(call=number, relevant=True, derived=holds, can_address=True, contributes=True)
        for number, holds in enumerate(admissible, start=1)
    ]
    return AdmissibilityAnswer(calls=calls, exclusive=exclusive, rationale="One is meant.")


async def compare(expected: str, *calls: tuple[str, str], proposal: Case | None = None, **answers: Any) -> Verdict:
    judge = ScriptedJudge(candidates=candidates(*calls), **answers)
    return await check(expected, proposal or paying(), judge)


async def test_one_candidate_that_differs_in_a_decisive_argument_competes_with_the_proposal() -> None:
    verdict = await compare("interpretation", TO_ANN)
    assert [reading.arguments["to"] for reading in verdict.interpretations] == ["A-1001"]


async def test_the_proposals_own_reading_stands_beside_it_where_the_judge_names_both() -> None:
    verdict = await compare("interpretation", TO_ANN, TO_BO)
    assert [reading.arguments["to"] for reading in verdict.interpretations] == ["A-1001", "B-2002"]


async def test_the_same_call_found_blind_leaves_no_doubt() -> None:
    await compare("aligned", TO_BO)


@pytest.mark.parametrize(
    "spelled",
    [
        '{"to": "b-2002", "amount": 30}',
        '{"to": "B-2002", "amount": 30.0}',
        '{"to": " B-2002 ", "amount": "30"}',
        '{"to": "B-2002", "amount": 30, "note": "With love"}',
        '{"to": "B-2002", "amount": 30, "board": null}',
    ],
)
async def test_another_spelling_of_the_same_call_is_no_rival(spelled: str) -> None:
    verdict = await compare("aligned", ("money_transfer", spelled))
    assert not verdict.interpretations


async def test_a_candidate_that_only_leaves_out_what_the_proposal_has_is_no_rival() -> None:
    await compare("aligned", TO_BO, proposal=paying(query="Pay Bo $30 on board Z", board="Z"))


async def test_a_candidate_that_has_what_the_proposal_left_out_is_a_rival() -> None:
    with_board = ("money_transfer", '{"to": "B-2002", "amount": 30, "board": "Z"}')
    await compare("interpretation", with_board, proposal=paying(query="Pay Bo $30 on board Z"))


async def test_the_published_order_compares_nothing() -> None:
    named = support(supported("/to"), supported("/amount"))
    judge = ScriptedJudge(candidates=candidates(TO_ANN), support=named)
    verdict = await check("aligned", paying(), judge, order="paper")
    assert not verdict.interpretations


STEPS = "Pay Ann A-1001 $30, then pay Bo B-2002 $40"


async def test_another_step_of_a_request_with_several_is_no_rival() -> None:
    to_bo = ("money_transfer", '{"to": "B-2002", "amount": 40}')
    await compare("aligned", to_bo, proposal=case(STEPS, subtask=None, to="A-1001", amount=30))


async def test_a_call_that_takes_one_more_value_from_another_record_is_no_step_of_its_own() -> None:
    # The amounts are both spelled out; the account is not, so it may be the wrong person's.
    query = "Pay Bo $30 now, later I may pay $40"
    to_bo = ("money_transfer", '{"to": "B-2002", "amount": 40}')
    proposal = case(query, subtask=None, history=LOOKED_UP, to="A-1001", amount=30)
    judge = ScriptedJudge(candidates=candidates(to_bo), record_choice=SILENT)
    verdict = await check("interpretation", proposal, judge)
    assert "B-2002" in [reading.arguments["to"] for reading in verdict.interpretations]


CABIN = ToolDoc(
    "book_seat",
    "Book a seat.",
    {"properties": {"name": {"type": "string"}, "cabin": {"type": "string", "enum": ["economy", "business"]}}},
)


async def test_the_same_thing_with_another_option_is_another_reading() -> None:
    query = "Book a seat for Ann: business is too dear, so take economy"
    proposal = case(query, "book_seat", None, tools=(CABIN,), name="Ann", cabin="business")
    judge = ScriptedJudge(candidates=candidates(("book_seat", '{"name": "Ann", "cabin": "economy"}')))
    verdict = await check("interpretation", proposal, judge)
    assert [reading.arguments["cabin"] for reading in verdict.interpretations] == ["economy"]


# --- admissible: RelevantTo, DerivedFrom, CanAddress and ContributeTo


async def test_the_question_for_admissibility_is_asked_once_and_only_for_rivals() -> None:
    judge = ScriptedJudge(candidates=candidates(TO_BO))
    await check("aligned", paying(), judge)
    assert "admissibility" not in judge.asked
    judge = ScriptedJudge(candidates=candidates(TO_ANN, TO_BO))
    await check("interpretation", paying(), judge)
    assert judge.asked.count("admissibility") == 1


async def test_a_rival_that_the_judge_does_not_admit_does_not_compete() -> None:
    # The calls are sorted, so Ann's comes first.
    await compare("aligned", TO_ANN, admissibility=admissibility(False, True))
    await compare("interpretation", TO_ANN, admissibility=admissibility(True, True))


async def test_calls_that_the_user_wants_one_after_the_other_do_not_compete() -> None:
    await compare("aligned", TO_ANN, admissibility=admissibility(True, True, exclusive=False))


async def test_the_judge_of_admissibility_is_not_told_which_call_is_proposed() -> None:
    materials = []
    for proposed, other in (("A-1001", TO_BO), ("B-2002", TO_ANN)):
        judge = ScriptedJudge(candidates=candidates(other))
        await check("interpretation", paying(proposed, "Pay A-1001 or B-2002 $30"), judge)
        (question,) = (question for question in judge.questions if question.name == "admissibility")
        materials.append(question.material)
    assert materials[0] == materials[1]


async def test_without_an_answer_what_rules_could_trace_competes() -> None:
    await compare("interpretation", TO_ANN, admissibility=SILENT)


async def test_gibberish_about_admissibility_never_passes() -> None:
    verdict = await compare("interpretation", TO_ANN, admissibility=GIBBERISH)
    assert verdict.interpretations


def quoting(to: str, quote: str) -> CandidatesAnswer:
    values = [NamedValue(name="to", value=to), NamedValue(name="amount", value=30)]
    named = Candidate(
        reading="Pay it", tool="money_transfer", arguments=values, quotes=[Quote(source="query", quote=quote)]
    )
    return CandidatesAnswer(candidates=[named])


@pytest.mark.parametrize(
    ("quote", "derived", "expected"),
    [
        ("my landlord", True, "interpretation"),
        ("my landlord", False, "aligned"),
        ("my landlady", True, "aligned"),
    ],
    ids=["quoted and derived", "not derived", "quoted from nowhere"],
)
async def test_a_value_that_no_rule_traces_needs_a_true_quote_and_the_judges_word(
    quote: str, derived: bool, expected: str
) -> None:
    judge = ScriptedJudge(
        candidates=quoting("Mr Gray", quote),
        admissibility=admissibility(True, derived),
        relevance=ScriptedJudge().answers["relevance"],
    )
    await check(expected, case("Pay Daniel or my landlord $30", to="Daniel", amount=30), judge)


async def test_a_set_has_no_order() -> None:
    tags = {"type": "array", "items": {"type": "string"}}
    tool = ToolDoc("invite_users", "Invite users.", {"properties": {"users": tags}})
    proposal = case("Invite Ann and Bo", "invite_users", None, tools=(tool,), users=["Bo", "Ann"])
    two = candidates(("invite_users", '{"users": ["Ann", "Bo"]}'))
    await check("aligned", proposal, ScriptedJudge(candidates=two))


TEXTS = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    "schema", [{}, {"anyOf": [TEXTS, {"type": "null"}]}, {"type": ["string", "array"]}, {"$ref": "#/$defs/names"}]
)
async def test_a_list_that_the_schema_names_among_others_or_not_at_all_is_read_as_one(schema: dict[str, Any]) -> None:
    parameters = {"properties": {"users": schema}, "$defs": {"names": TEXTS}}
    tool = ToolDoc("invite_users", "Invite users.", parameters)
    proposal = case("Invite Ann and Bo", "invite_users", None, tools=(tool,), users=["Ann", "Bo"])
    same = candidates(("invite_users", '{"users": ["Ann", "Bo"]}'))
    await check("aligned", proposal, ScriptedJudge(candidates=same))
