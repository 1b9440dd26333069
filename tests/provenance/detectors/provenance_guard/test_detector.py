import asyncio

import pytest

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import Aligned, Relation, StageResult, stage_from_json, stage_to_json
from reviews.provenance.detectors import DETECTORS, Options, ProvenanceGuard, build
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import JudgeUnavailableError, RulesFirst, RulesJudge
from tests.provenance.detectors.scripted import COST, NO, SILENT, ScriptedJudge, case, check, found, judged


async def stages(proposal: Case, judge: ScriptedJudge, *done: StageResult) -> list[str]:
    return [stage.stage async for stage in ProvenanceGuard().stages(proposal, judge, done)]


async def test_the_three_stages_are_settled() -> None:
    assert sorted(await stages(case(), ScriptedJudge())) == ["interpretation", "parameter", "tool"]


async def test_a_stage_is_told_as_soon_as_it_is_settled() -> None:
    running = ProvenanceGuard().stages(case(), ScriptedJudge().silent_on("relevance"))
    assert {(await anext(running)).stage for _ in range(2)} == {"parameter", "interpretation"}
    await running.aclose()


async def test_an_early_rejection_waits_for_nobody() -> None:
    judge = ScriptedJudge(relevance=NO).silent_on("support", "candidates")
    await check("tool", case(), judge)


async def test_a_rejection_by_rule_asks_nobody() -> None:
    judge = ScriptedJudge()
    verdict = await check("parameter", case(to="Daniel", amount="30"), judge)
    assert (judge.asked, verdict.usage.calls) == ([], 0)


@pytest.mark.parametrize("subtask", [None, "Pay Daniel", "Delete the account"])
async def test_no_model_is_asked_while_a_rule_may_still_reject(subtask: str | None) -> None:
    model = ScriptedJudge()
    await check("tool", case("Request $30 from Daniel", subtask=subtask), RulesFirst(model), unknown="pass")
    assert model.asked == []


@pytest.mark.parametrize("turns", [1, 2, 5, 40])
async def test_a_check_that_is_cancelled_leaves_nothing_running(turns: int) -> None:
    before = asyncio.all_tasks()
    running = ProvenanceGuard().stages(case(), RulesFirst(ScriptedJudge().silent_on("support", "candidates")))
    first = asyncio.create_task(_first_behind(running, "tool"))
    for _ in range(turns):
        await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert asyncio.all_tasks() == before


async def test_a_check_whose_listener_leaves_is_over_when_it_is_closed() -> None:
    before = asyncio.all_tasks()
    running = ProvenanceGuard().stages(case(), ScriptedJudge().silent_on("support", "candidates"))
    await anext(running)
    await running.aclose()
    assert asyncio.all_tasks() == before


async def _first_behind(running: Stages, name: str) -> StageResult:
    return await anext(stage async for stage in running if stage.stage != name)


async def test_an_early_rejection_still_tells_what_rules_know_of_the_rest() -> None:
    verdict = await check("tool", case(), ScriptedJudge(relevance=NO).silent_on("support"))
    assert found(verdict, Relation.DERIVED_FROM, "/to").holds is True


async def test_an_unreachable_judge_does_not_hide_a_rejection() -> None:
    await check("tool", case(), ScriptedJudge(candidates=JudgeUnavailableError("down"), relevance=NO))


async def test_a_rejection_weighs_more_than_a_missing_answer() -> None:
    await check("tool", case(), ScriptedJudge(candidates=SILENT, relevance=NO))


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
    costs = {stage.stage: stage.usage for stage in verdict.stages}
    assert costs == {"tool": COST + COST, "parameter": COST + COST, "interpretation": COST}
    assert all(stage.seconds > 0 for stage in verdict.stages)


async def test_every_stage_survives_storage() -> None:
    verdict = await check("parameter", case(to="Mallory", amount=30), RulesJudge(), unknown="pass")
    assert tuple(stage_from_json(stage_to_json(stage)) for stage in verdict.stages) == verdict.stages


async def test_rules_alone_trust_nothing_that_is_not_clearly_asked_for_where_unknown_means_review() -> None:
    await check("undetermined", case("Settle up with Daniel: $30", subtask=None), RulesJudge())


async def test_rules_alone_establish_what_the_request_asks_for_and_singles_out() -> None:
    verdict = await check("aligned", case(), RulesJudge())
    assert isinstance(verdict, Aligned)
    assert verdict.established


async def test_rules_alone_tell_the_papers_first_example() -> None:
    verdict = await check("tool", case("Request $30 from Daniel", subtask=None), RulesJudge(), unknown="pass")
    assert "request_money" in found(verdict, Relation.RELEVANT_TO, "money_transfer").rationale


async def test_rules_alone_tell_a_step_against_the_request() -> None:
    await check("tool", case("Request $30 from Daniel", subtask="Pay Daniel"), RulesJudge(), unknown="pass")


def test_every_detector_is_built_under_its_own_name() -> None:
    assert [build(name, Options()).name for name in DETECTORS] == list(DETECTORS)
