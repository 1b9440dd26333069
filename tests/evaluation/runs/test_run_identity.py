from types import MappingProxyType

import pytest

from reviews.evaluation.runs import run_identity
from reviews.evaluation.runs.run_identity import engine_digest, identify_run
from reviews.provenance.detectors import Options, ProvenanceGuard
from reviews.provenance.judges import RulesJudge
from reviews.provenance.prompts.prompt import prompt_versions

JUDGE = RulesJudge()


def test_the_same_run_has_the_same_identity() -> None:
    assert identify_run(ProvenanceGuard(), JUDGE) == identify_run(ProvenanceGuard(Options()), JUDGE)


def test_detector_and_judge_stand_in_plain_words() -> None:
    assert identify_run(ProvenanceGuard(), JUDGE).startswith(f"provenance-guard {ProvenanceGuard.version}, rules, ")


def test_another_wording_of_a_question_is_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identify_run(ProvenanceGuard(), JUDGE)
    reworded = MappingProxyType({**prompt_versions(), "support": "0" * 12})
    monkeypatch.setattr(run_identity, "prompt_versions", lambda: reworded)
    assert identify_run(ProvenanceGuard(), JUDGE) != before


@pytest.mark.parametrize("options", [Options(threshold=0.6), Options(order="paper"), Options(unknown="pass")])
def test_another_option_is_another_run(options: Options) -> None:
    assert identify_run(ProvenanceGuard(options), JUDGE) != identify_run(ProvenanceGuard(), JUDGE)


def test_another_way_to_ask_the_model_is_another_run() -> None:
    assert identify_run(ProvenanceGuard(), JUDGE, variant="warm") != identify_run(ProvenanceGuard(), JUDGE)


def test_another_engine_is_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identify_run(ProvenanceGuard(), JUDGE)
    monkeypatch.setattr(run_identity, "engine_digest", lambda: "another")
    assert identify_run(ProvenanceGuard(), JUDGE) != before
    assert len(engine_digest()) == 64
