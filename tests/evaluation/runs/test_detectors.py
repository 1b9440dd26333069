from dataclasses import replace

import pytest

from reviews.evaluation.runs.detectors import CONTESTANTS, Choices, enter_contestant
from reviews.provenance.detectors import DETECTORS
from reviews.provenance.detectors.critical_actions import CriticalAction
from reviews.provenance.judges import ModelOptions, RulesFirst, RulesJudge
from reviews.provenance.judges.caching import Caching
from reviews.provenance.judges.openai import OpenAIJudge

PLAIN = Choices()


def test_every_detector_takes_part_and_ours_three_times() -> None:
    assert set(CONTESTANTS) == {*DETECTORS, "provenance-guard-paper", "provenance-guard-rules"}


def test_each_contestant_is_the_detector_of_its_name() -> None:
    entered = {name: enter_contestant(name, RulesJudge(), PLAIN) for name in CONTESTANTS}
    assert {name: each.name for name, each in entered.items()} == {name: name for name in CONTESTANTS}
    assert {name: each.detector.name for name, each in entered.items()} == {
        name: name.removesuffix("-paper").removesuffix("-rules") for name in CONTESTANTS
    }


def test_rules_answer_before_the_model_for_ours_alone() -> None:
    judges = {name: type(enter_contestant(name, RulesJudge(), PLAIN).judge) for name in CONTESTANTS}
    assert judges.pop("provenance-guard") is RulesFirst
    assert {name for name, kind in judges.items() if kind is not RulesJudge} == {"intent-guard", "argus"}
    assert (judges["argus"], judges["intent-guard"]) == (Caching, Caching)


async def test_rules_alone_take_part_without_the_model() -> None:
    async with OpenAIJudge(model="m", base_url="http://127.0.0.1:9/v1") as model:
        assert isinstance(enter_contestant("provenance-guard-rules", model, PLAIN).judge, RulesJudge)


async def test_unreadable_output_is_asked_for_again_by_ours_alone() -> None:
    async with OpenAIJudge(model="m", base_url="http://127.0.0.1:9/v1") as model:
        judge = enter_contestant("infer-act-verb", model, PLAIN).judge
        assert isinstance(judge, OpenAIJudge)
        assert (judge.readings, model.readings) == (1, 2)


async def test_repeats_draw_anew_at_the_endpoints_own_sampling() -> None:
    async with OpenAIJudge(model="m", base_url="http://127.0.0.1:9/v1") as model:
        entered = enter_contestant("direct-prompt", model, Choices(repeats=5))
        sampled, own = entered.judge, enter_contestant("self-consistency", model, Choices(repeats=5)).judge
        assert isinstance(sampled, OpenAIJudge)
        assert isinstance(own, OpenAIJudge)
    assert len(entered.runs) == 5
    assert len({id(run.results) for run in entered.runs}) == 5
    assert (sampled.options.temperature, own.options.temperature) == (None, 0.0)


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("multi-step", replace(PLAIN, aggregate="min")),
        ("intent-guard", replace(PLAIN, window=3)),
        ("provenance-guard-paper", replace(PLAIN, reconstruct_subtasks=True)),
    ],
)
def test_what_a_comparison_chooses_reaches_the_method(name: str, choices: Choices) -> None:
    assert enter_contestant(name, RulesJudge(), choices).by != enter_contestant(name, RulesJudge(), PLAIN).by


async def test_results_under_other_options_wordings_or_settings_are_not_ones_own() -> None:
    async with OpenAIJudge(model="m", base_url="http://127.0.0.1:9/v1") as model:
        warm = model.with_options(ModelOptions(temperature=1.0))
        ends = replace(PLAIN, critical=(CriticalAction("pay", terminal=True),))
        entered = [
            enter_contestant("infer-act-prob", judge, choices)
            for judge, choices in ((model, PLAIN), (warm, PLAIN), (model, ends))
        ]
    assert len({contestant.by for contestant in entered}) == 3
