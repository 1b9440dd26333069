import asyncio

import pytest

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import Relation, StageResult, stage_from_json, stage_to_json
from reviews.provenance.core.verdicts import Aligned
from reviews.provenance.detectors import DETECTORS, Options, ProvenanceGuard, build
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import JudgeUnavailableError, RulesFirst, RulesJudge
from tests.provenance.detectors.scripted import (
    COST,
    SILENT,
    ScriptedJudge,
    call_support,
    case,
    check,
    found,
    judged,
    quoting,
)

IRRELEVANT = call_support(relevant=False)
PROVEN = case("Transfer $30 to Daniel", subtask=None, to="Daniel", amount=30)


async def stages(proposal: Case, judge: ScriptedJudge, *done: StageResult) -> list[str]:
    return [stage.stage async for stage in ProvenanceGuard().stages(proposal, judge, done)]


async def test_the_three_stages_are_settled() -> None:
    assert sorted(await stages(case(), ScriptedJudge())) == ["interpretation", "parameter", "tool"]


async def test_a_stage_is_told_as_soon_as_it_is_settled() -> None:
    running = ProvenanceGuard().stages(case(), ScriptedJudge().silent_on("candidates"))
    assert {(await anext(running)).stage for _ in range(2)} == {"tool", "parameter"}
    await running.aclose()


async def test_an_early_rejection_waits_for_nobody() -> None:
    judge = ScriptedJudge(call_support=IRRELEVANT).silent_on("candidates")
    await check("tool", case(), judge)


async def test_a_rejection_by_rule_asks_nobody() -> None:
    judge = ScriptedJudge()
    verdict = await check("parameter", case(to="Daniel", amount="thirty"), judge)
    assert (judge.asked, verdict.usage.calls) == ([], 0)


async def test_no_model_is_asked_while_a_proof_may_still_reject() -> None:
    model = ScriptedJudge()
    proposal = case("Pay daniel.kim@example.com $30", to="daniel.kin@example.com", amount=30)
    await check("parameter", proposal, RulesFirst(model), unknown="pass")
    assert model.asked == []


@pytest.mark.parametrize("turns", [1, 2, 5, 40])
async def test_a_check_that_is_cancelled_leaves_nothing_running(turns: int) -> None:
    before = asyncio.all_tasks()
    running = ProvenanceGuard().stages(case(), RulesFirst(ScriptedJudge().silent_on("call_support", "candidates")))
    first = asyncio.create_task(_first_behind(running, "tool"))
    for _ in range(turns):
        await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert asyncio.all_tasks() == before


async def test_a_check_whose_listener_leaves_is_over_when_it_is_closed() -> None:
    before = asyncio.all_tasks()
    running = ProvenanceGuard().stages(case(), ScriptedJudge().silent_on("candidates"))
    await anext(running)
    await running.aclose()
    assert asyncio.all_tasks() == before


async def _first_behind(running: Stages, name: str) -> StageResult:
    return await anext(stage async for stage in running if stage.stage != name)


async def test_an_early_rejection_still_tells_what_rules_know_of_the_rest() -> None:
    verdict = await check("tool", case(), ScriptedJudge(call_support=IRRELEVANT))
    assert found(verdict, Relation.DERIVED_FROM, "/to").holds is True


async def test_an_unreachable_judge_does_not_hide_a_rejection() -> None:
    await check("tool", case(), ScriptedJudge(candidates=JudgeUnavailableError("down"), call_support=IRRELEVANT))


async def test_a_rejection_weighs_more_than_a_missing_answer() -> None:
    await check("tool", case(), ScriptedJudge(candidates=SILENT, call_support=IRRELEVANT))


async def test_all_six_relations_are_found() -> None:
    verdict = await judged(case())
    assert {finding.relation for finding in verdict.findings} == {
        Relation.SPECIFIED_BY,
        Relation.CONTRIBUTE_TO,
        Relation.RELEVANT_TO,
        Relation.APPEAR_IN,
        Relation.DERIVED_FROM,
        Relation.CAN_ADDRESS,
    }


async def test_finished_stages_are_not_run_again() -> None:
    judge = ScriptedJudge()
    assert await stages(case(), judge, StageResult("tool"), StageResult("parameter")) == ["interpretation"]
    assert judge.asked == ["candidates"]


@pytest.mark.parametrize("last", [StageResult("tool", passed=True), StageResult("tool", undetermined="Nobody knows.")])
async def test_nothing_runs_behind_a_final_stage(last: StageResult) -> None:
    assert await stages(case(), ScriptedJudge(), last) == []


async def test_an_unreachable_judge_leaves_the_other_stages_standing() -> None:
    running = ProvenanceGuard().stages(case(), ScriptedJudge(candidates=JudgeUnavailableError("down")))
    assert {(await anext(running)).stage for _ in range(2)} == {"tool", "parameter"}
    with pytest.raises(JudgeUnavailableError):
        await anext(running)


async def test_every_stage_tells_what_it_cost_and_how_long_it_took() -> None:
    verdict = await judged(case())
    # Two stages rest on one answer, and whoever asks for it pays.
    assert verdict.usage == COST + COST + COST
    assert all(stage.seconds > 0 for stage in verdict.stages)


async def test_a_verdict_asks_three_questions_each_once() -> None:
    judge = ScriptedJudge()
    await judged(case(), judge)
    assert sorted(judge.asked) == ["call_support", "candidates", "derivability"]


async def test_a_term_that_does_not_verify_is_asked_once_more_and_no_oftener() -> None:
    wrong = call_support(quoting(1, ("query", "$30")))
    judge = ScriptedJudge(call_support=wrong)
    await judged(case(), judge)
    assert sorted(judge.asked) == ["call_support", "call_support", "candidates", "derivability"]


async def test_a_call_that_is_proven_needs_no_answer_about_its_values() -> None:
    judge = ScriptedJudge()
    verdict = await check("aligned", PROVEN, judge)
    assert isinstance(verdict, Aligned)
    assert verdict.established
    assert "call_support" not in judge.asked


async def test_every_stage_survives_storage() -> None:
    verdict = await judged(case(to="Mallory", amount=30), RulesJudge(), unknown="pass")
    assert tuple(stage_from_json(stage_to_json(stage)) for stage in verdict.stages) == verdict.stages


async def test_rules_alone_trust_nothing_that_is_not_clearly_asked_for_where_unknown_means_review() -> None:
    await check("undetermined", case("Settle up with Daniel: $30", subtask=None), RulesJudge())


async def test_rules_alone_establish_what_the_message_asks_for_in_the_tools_own_words() -> None:
    verdict = await check("aligned", PROVEN, RulesJudge())
    assert isinstance(verdict, Aligned)
    assert verdict.established


@pytest.mark.parametrize(
    "proposal",
    [case("Request $30 from Daniel", subtask=None), case("Request $30 from Daniel", subtask="Pay Daniel")],
)
async def test_rules_alone_refute_nothing_that_has_to_be_read(proposal: Case) -> None:
    await check("undetermined", proposal, RulesJudge())
    await check("aligned", proposal, RulesJudge(), unknown="pass")


def test_every_detector_is_built_under_its_own_name() -> None:
    assert [build(name, Options()).name for name in DETECTORS] == list(DETECTORS)
