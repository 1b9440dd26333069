from reviews.evaluation.runs.detectors import CONTESTANTS
from reviews.provenance.detectors import DETECTORS
from reviews.provenance.judges import RulesFirst, RulesJudge
from reviews.provenance.judges.caching import Caching


def test_every_detector_takes_part_and_ours_twice() -> None:
    assert set(CONTESTANTS) == {*DETECTORS, "provenance-guard-paper"}


def test_each_contestant_is_the_detector_of_its_name() -> None:
    entered = {name: make(RulesJudge()) for name, make in CONTESTANTS.items()}
    assert {name: each.name for name, each in entered.items()} == {name: name for name in CONTESTANTS}
    assert {name: each.detector.name for name, each in entered.items()} == {
        name: name.removesuffix("-paper") for name in CONTESTANTS
    }


def test_rules_answer_before_the_model_for_ours_alone() -> None:
    judges = {name: type(make(RulesJudge()).judge) for name, make in CONTESTANTS.items()}
    assert judges.pop("provenance-guard") is RulesFirst
    assert {name for name, kind in judges.items() if kind is not RulesJudge} == {"intent-guard", "argus"}
    assert (judges["argus"], judges["intent-guard"]) == (Caching, Caching)
