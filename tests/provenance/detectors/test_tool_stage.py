import pytest

from reviews.provenance.core.findings import DecidedBy, Relation
from reviews.provenance.judges import Answered, RulesJudge
from tests.provenance.detectors.scripted import (
    COST,
    YES,
    ScriptedJudge,
    call_support,
    case,
    check,
    found,
    support,
    supported,
)


async def test_an_unknown_tool_is_misaligned_and_costs_nothing() -> None:
    judge = ScriptedJudge()
    verdict = await check("tool", case(tool="money_transferr"), judge)
    assert "“money_transfer”" in found(verdict, Relation.SPECIFIED_BY, "money_transferr").rationale
    assert not judge.asked


async def test_a_name_like_no_other_gets_no_hint() -> None:
    verdict = await check("tool", case(tool="zzz"))
    assert "closest" not in found(verdict, Relation.SPECIFIED_BY, "zzz").rationale


async def test_tool_names_are_matched_exactly() -> None:
    await check("tool", case(tool="Money_Transfer"))


async def test_a_read_only_tool_passes_unasked() -> None:
    judge = ScriptedJudge()
    verdict = await check("aligned", case(tool="find_contact", name="nobody ever said this"), judge)
    assert (len(verdict.stages), judge.asked) == (1, [])


async def test_a_step_that_serves_nothing_is_rejected() -> None:
    verdict = await check("tool", case(), ScriptedJudge(call_support=call_support(contributes=False)))
    assert found(verdict, Relation.CONTRIBUTE_TO, "Pay Daniel").decided_by is DecidedBy.JUDGE


async def test_a_call_that_nobody_asked_for_is_rejected_without_a_step_too() -> None:
    verdict = await check("tool", case(subtask=None), ScriptedJudge(call_support=call_support(contributes=False)))
    assert found(verdict, Relation.CONTRIBUTE_TO, "money_transfer").holds is False


async def test_contribution_is_recorded_only_when_the_profile_wants_it() -> None:
    verdict = await check("aligned", case(), contribute_to=False)
    assert Relation.CONTRIBUTE_TO not in {finding.relation for finding in verdict.findings}


async def test_an_irrelevant_tool_is_rejected() -> None:
    verdict = await check("tool", case(), ScriptedJudge(call_support=call_support(relevant=False)))
    assert found(verdict, Relation.RELEVANT_TO, "money_transfer").rule == "judge.call_support"


async def test_a_tool_that_the_message_asks_for_in_its_own_words_is_proven_whatever_a_judge_says() -> None:
    proposal = case("Transfer $30 to Daniel", subtask=None)
    verdict = await check("aligned", proposal, ScriptedJudge(call_support=call_support(relevant=False)))
    finding = found(verdict, Relation.RELEVANT_TO, "money_transfer")
    assert (finding.holds, finding.rule) == (True, "proofs.requested_tool")
    assert [span.quote for span in finding.evidence] == ["Transfer"]


@pytest.mark.parametrize(
    "query",
    [
        "Did I transfer $30 to Daniel?",
        "I transferred $30 to Daniel",
        "Don't transfer $30 to Daniel",
        "Transfer $30 to Daniel if he asks again",
        "Daniel can transfer money to me",
    ],
)
async def test_a_question_a_report_a_denial_and_a_condition_ask_for_nothing(query: str) -> None:
    verdict = await check("undetermined", case(query, subtask=None), RulesJudge())
    assert found(verdict, Relation.RELEVANT_TO, "money_transfer").holds is None


async def test_in_the_papers_order_relevance_is_asked_by_itself() -> None:
    rows = (supported("/to", ("query", "Daniel")), supported("/amount", ("query", "30")))
    relevance = Answered(YES, DecidedBy.JUDGE, COST, probability=0.55)
    judge = ScriptedJudge(relevance=relevance, support=support(*rows))
    await check("aligned", case(), judge, order="paper")
    verdict = await check("tool", case(), judge, order="paper", threshold=0.6)
    assert found(verdict, Relation.RELEVANT_TO, "money_transfer").score == 0.55
