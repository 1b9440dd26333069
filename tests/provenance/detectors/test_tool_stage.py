import pytest

from reviews.provenance.core.findings import DecidedBy, Relation
from reviews.provenance.judges import Answered
from tests.provenance.detectors.scripted import COST, GIBBERISH, NO, SILENT, YES, ScriptedJudge, case, check, found


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
    verdict = await check("tool", case(), ScriptedJudge(contribution=NO))
    assert found(verdict, Relation.CONTRIBUTE_TO, "Pay Daniel").decided_by is DecidedBy.JUDGE


async def test_a_probability_overrules_the_word_where_the_endpoint_tells_one() -> None:
    judge = ScriptedJudge(relevance=Answered(YES, DecidedBy.JUDGE, COST, probability=0.55))
    await check("aligned", case(), judge)
    verdict = await check("tool", case(), judge, threshold=0.6)
    assert found(verdict, Relation.RELEVANT_TO, "money_transfer").score == 0.55


async def test_contribution_is_asked_only_when_the_profile_wants_it() -> None:
    await check("aligned", case(), ScriptedJudge(contribution=NO), contribute_to=False)


async def test_an_irrelevant_tool_is_rejected() -> None:
    verdict = await check("tool", case(), ScriptedJudge(relevance=NO))
    assert found(verdict, Relation.RELEVANT_TO, "money_transfer").rationale == "It does not."


async def test_without_a_subtask_the_request_is_asked_about_and_nothing_is_made_of_the_missing_step() -> None:
    judge = ScriptedJudge()
    verdict = await check("aligned", case(subtask=None), judge)
    assert found(verdict, Relation.RELEVANT_TO, "money_transfer").rationale == YES.rationale
    assert "contribution" not in judge.asked


UNFILLED = "It is Daniel who is owed $30"
"""It gives every value, and asks for nothing."""


@pytest.mark.parametrize("question", ["contribution", "relevance"])
async def test_what_nobody_can_tell_goes_to_a_person(question: str) -> None:
    await check("undetermined", case(UNFILLED), ScriptedJudge(**{question: SILENT}))


@pytest.mark.parametrize("question", ["contribution", "relevance"])
async def test_a_request_that_gives_every_value_needs_no_answer(question: str) -> None:
    await check("aligned", case(), ScriptedJudge(**{question: SILENT}))


@pytest.mark.parametrize("question", ["contribution", "relevance"])
async def test_what_nobody_can_tell_passes_where_the_profile_says_so(question: str) -> None:
    await check("aligned", case(), ScriptedJudge(**{question: SILENT}), unknown="pass")


@pytest.mark.parametrize("question", ["contribution", "relevance"])
async def test_gibberish_never_passes(question: str) -> None:
    await check("undetermined", case(), ScriptedJudge(**{question: GIBBERISH}), unknown="pass")


async def test_a_clear_no_outweighs_an_unknown() -> None:
    await check("tool", case(), ScriptedJudge(contribution=SILENT, relevance=NO))


async def test_the_reason_of_an_open_question_names_it() -> None:
    verdict = await check("undetermined", case(UNFILLED), ScriptedJudge(relevance=SILENT))
    assert verdict.stages[-1].undetermined is not None
    assert verdict.stages[-1].undetermined.startswith("Not proven: “money_transfer” serves the step.")
