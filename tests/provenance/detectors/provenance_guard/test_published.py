from dataclasses import replace
from typing import Any

import pytest

from reviews.provenance.core.context import Message
from reviews.provenance.core.findings import Relation
from reviews.provenance.core.verdicts import Verdict
from reviews.provenance.judges.questions.provenance_guard import (
    CandidatesAnswer,
    InferredSubtask,
    ParameterClass,
    ParameterClasses,
)
from reviews.provenance.prompts.prompt import load_prompt
from tests.provenance.detectors.scripted import (
    COST,
    GIBBERISH,
    NO,
    SILENT,
    ScriptedJudge,
    candidates,
    case,
    check,
    found,
    support,
    supported,
)

BOTH = support(supported("/to", ("query", "Daniel")), supported("/amount", ("query", "$30")))


async def published(
    expected: str, judge: ScriptedJudge | None = None, proposal: Any = None
) -> tuple[Verdict, list[str]]:
    judge = judge or ScriptedJudge(support=BOTH)
    return await check(expected, proposal or case(), judge, order="paper"), judge.asked


async def test_four_questions_one_after_the_other() -> None:
    verdict, asked = await published("aligned")
    assert asked == ["relevance", "derivability", "support", "candidates"]
    assert verdict.usage.calls == 4
    assert [stage.stage for stage in verdict.stages] == ["tool", "parameter", "interpretation"]


async def test_the_first_failing_stage_ends_it() -> None:
    assert (await published("tool", ScriptedJudge(relevance=NO)))[1] == ["relevance"]


async def test_nothing_derivable_goes_straight_to_the_last_stage() -> None:
    classes = [ParameterClass(path=path, derivable=False) for path in ("/to", "/amount")]
    judge = ScriptedJudge(derivability=ParameterClasses(parameters=classes))
    assert (await published("aligned", judge))[1] == ["relevance", "derivability", "candidates"]


async def test_the_judges_word_is_believed_without_a_quote_that_stands() -> None:
    claimed = support(supported("/to", ("query", "never said")), supported("/amount"))
    await published("aligned", ScriptedJudge(support=claimed))


@pytest.mark.parametrize(
    "answer",
    [
        support(supported("/to", derived=False), supported("/amount")),
        support(supported("/to")),
        support(supported("/to"), supported("/amount"), can_address=False),
        support(supported("/to"), supported("/amount"), can_address=None),
    ],
    ids=["not derived", "left out", "cannot address", "cannot tell"],
)
async def test_what_cannot_be_established_is_misaligned(answer: Any) -> None:
    _, asked = await published("parameter", ScriptedJudge(support=answer))
    assert "candidates" not in asked


async def test_no_rule_traces_a_value() -> None:
    verdict, _ = await published("parameter", ScriptedJudge(support=support(supported("/to", derived=False))))
    assert found(verdict, Relation.DERIVED_FROM, "/to").grounding is None


async def test_two_distinct_candidates_are_misaligned_though_nothing_verifies_them() -> None:
    two = candidates(("money_transfer", '{"to": "Mallory"}'), ("request_money", '{"to": "Mallory"}'))
    verdict, _ = await published("interpretation", ScriptedJudge(support=BOTH, candidates=two))
    assert [reading.tool for reading in verdict.interpretations] == ["money_transfer", "request_money"]


@pytest.mark.parametrize(
    "other",
    [
        ("money_transfer", '{"to": "Daniel", "amount": 30}'),
        ("money_transfer", '{"to": " daniel", "amount": 30.0}'),
        ("money_transfer", '{"to": "Daniel", "amount": 30, "note": "Thank you!"}'),
        ("find_contact", '{"name": "Daniel"}'),
        ("no_such_tool", "{}"),
    ],
    ids=["identical", "another spelling", "another note", "only reads", "undocumented"],
)
async def test_what_is_no_distinct_action_is_no_rival(other: tuple[str, str]) -> None:
    named = candidates(("money_transfer", '{"to": "Daniel", "amount": 30}'), other)
    await published("aligned", ScriptedJudge(support=BOTH, candidates=named))


async def test_a_parameter_whose_class_nobody_could_tell_is_checked() -> None:
    judge = ScriptedJudge(support=support(supported("/to"), supported("/amount"), supported("/board", derived=False)))
    await published("parameter", judge, case(to="Daniel", amount=30, board="7"))
    assert judge.questions[2].pointers == ("/to", "/amount", "/board")


async def test_relevance_is_told_of_document_and_step_alone() -> None:
    judge = ScriptedJudge(support=BOTH)
    await published("aligned", judge)
    shown = "".join(load_prompt("relevance").fill_in(judge.questions[0].material))
    assert "Transfer money to a person." in shown
    assert not any(text in shown for text in ("Ask a person for money.", "$30"))


async def test_without_a_step_relevance_is_told_of_everything_that_was_asked_for() -> None:
    judge, first = ScriptedJudge(support=BOTH), case(subtask=None)
    history = (Message("assistant", "Whom shall I pay?"), Message("user", "Daniel, and ask Ann for $5"))
    await published("aligned", judge, replace(first, context=replace(first.context, history=history)))
    assert judge.questions[0].subtask == "Pay Daniel $30\n\nDaniel, and ask Ann for $5"


async def test_a_step_is_reconstructed_where_the_agent_names_none() -> None:
    judge = ScriptedJudge(support=BOTH, subtask=InferredSubtask(subtask="Send Daniel his share"))
    verdict = await check("aligned", case(subtask=None), judge, order="paper", reconstruct_subtasks=True)
    assert judge.asked == ["subtask", "relevance", "derivability", "support", "candidates"]
    assert judge.questions[1].subtask == "Send Daniel his share"
    assert judge.questions[3].case.action.subtask == "Send Daniel his share"
    assert verdict.usage.calls == 5


@pytest.mark.parametrize(
    ("proposal", "options"),
    [
        (case(), {"reconstruct_subtasks": True}),
        (case(subtask=None), {}),
        (case(tool="find_contact", subtask=None, name="x"), {"reconstruct_subtasks": True}),
    ],
    ids=["named", "not asked for", "only reads"],
)
async def test_no_step_is_reconstructed_unless_needed(proposal: Any, options: Any) -> None:
    judge = ScriptedJudge(support=BOTH)
    await check("aligned", proposal, judge, order="paper", **options)
    assert "subtask" not in judge.asked


async def test_a_step_that_cannot_be_read_leaves_no_verdict() -> None:
    judge = ScriptedJudge(subtask=GIBBERISH)
    await check("undetermined", case(subtask=None), judge, order="paper", reconstruct_subtasks=True)
    assert judge.asked == ["subtask"]


async def test_candidates_are_named_without_a_word_of_the_agent() -> None:
    said = (Message("assistant", "Shall I pay Daniel $30?"), Message("user", "Yes, please."))
    proposal, judge = case(), ScriptedJudge(support=BOTH)
    await published("aligned", judge, replace(proposal, context=replace(proposal.context, history=said)))
    shown = [block.text for block in judge.questions[-1].material["context"]]
    assert "Yes, please." in shown
    assert "Shall I pay Daniel $30?" not in shown


async def test_one_candidate_or_none_is_aligned() -> None:
    await published("aligned", ScriptedJudge(support=BOTH, candidates=CandidatesAnswer(candidates=[])))


@pytest.mark.parametrize("question", ["relevance", "support", "candidates"])
async def test_gibberish_never_passes(question: str) -> None:
    await published("undetermined", ScriptedJudge(**{"support": BOTH, question: GIBBERISH}))


@pytest.mark.parametrize(("unknown", "expected"), [("review", "undetermined"), ("pass", "aligned")])
async def test_candidates_that_nobody_names_are_the_profiles_choice(unknown: str, expected: str) -> None:
    judge = ScriptedJudge(support=BOTH, candidates=SILENT)
    await check(expected, case(), judge, order="paper", unknown=unknown)


async def test_a_read_only_tool_and_an_unknown_one_are_settled_unasked() -> None:
    assert (await published("aligned", proposal=case(tool="find_contact", name="x")))[1] == []
    assert (await published("tool", proposal=case(tool="nothing_like_it")))[1] == []


async def test_the_cost_is_told_for_each_stage() -> None:
    verdict, _ = await published("aligned")
    assert [stage.usage for stage in verdict.stages] == [COST, COST + COST, COST]
