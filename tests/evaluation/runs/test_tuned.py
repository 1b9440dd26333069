from collections.abc import Sequence
from dataclasses import replace

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.judged import Judged
from reviews.evaluation.runs.comparison import Contestant
from reviews.evaluation.runs.tuned import tuned
from reviews.provenance.core.findings import DecidedBy, Finding, Relation
from reviews.provenance.detectors import DirectPrompt, TokenProbability
from reviews.provenance.judges import RulesJudge
from tests.evaluation.made import ALIGNED, STOPPED, case, judged

CASES = [case(wrong=n % 2 == 0) for n in range(20)]


def scored(of: LabelledCase, score: float) -> Judged:
    finding = Finding(Relation.CONTRIBUTE_TO, "pay", score >= 0.5, "So likely.", DecidedBy.JUDGE, score=score)
    return replace(judged(of, ALIGNED if score >= 0.5 else STOPPED), findings=(finding,))


def contestant(cases: Sequence[LabelledCase] = CASES) -> Contestant:
    """Gives right calls 0.4 and wrong ones 0.2, and so stops all."""
    results = {each.key: scored(each, 0.2 if each.wrong else 0.4) for each in cases}
    return Contestant("shy", TokenProbability(), RulesJudge(), results)


def test_the_threshold_is_that_of_the_other_cases() -> None:
    found = tuned(CASES, contestant())
    assert found is not None
    assert found.name == "shy, tuned"
    assert {found.results[each.key].passed is not each.wrong for each in CASES} == {True}


def test_a_case_is_never_judged_at_a_threshold_that_it_has_moved() -> None:
    cases = [case(wrong=True) for _ in range(9)]
    outlier = min(cases, key=lambda each: each.key)
    rival = contestant(cases)
    rival.results[outlier.key] = scored(outlier, 0.9)
    found = tuned(cases, rival)
    assert found is not None
    # The others, all 0.2 and wrong, set it to 0.6; with its own 0.9 it would have been 0.95.
    assert [key for key, each in found.results.items() if each.passed] == [outlier.key]


def test_the_published_verdicts_stay() -> None:
    before = contestant()
    tuned(CASES, before)
    assert not any(each.passed for each in before.results.values())


def test_a_case_without_a_score_keeps_its_verdict() -> None:
    rival, unread = contestant(), case(wrong=False)
    rival.results[unread.key] = judged(unread, STOPPED)
    found = tuned([*CASES, unread], rival)
    assert found is not None
    assert found.results[unread.key].verdict == STOPPED


def test_who_sets_no_threshold_is_not_tuned() -> None:
    assert tuned(CASES, replace(contestant(), detector=DirectPrompt())) is None


def test_too_few_scores_tune_nothing() -> None:
    assert tuned(CASES[:4], contestant()) is None
