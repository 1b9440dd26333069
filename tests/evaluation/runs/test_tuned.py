from collections.abc import Sequence
from dataclasses import replace

from reviews.evaluation.benchmarks.base import LabelledCase, Outcome
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.runs.contestants import Contestant
from reviews.evaluation.runs.tuned import development_cases, tune_contestant
from reviews.provenance.core.findings import DecidedBy, Finding, Relation
from reviews.provenance.detectors import DirectPrompt, TokenProbability
from reviews.provenance.judges import RulesJudge
from tests.evaluation.made import ALIGNED, STOPPED, case, judged, trace

DEVELOPMENT = [case(wrong=n % 2 == 0) for n in range(10)]
TABLE = [case(wrong=n % 2 == 0) for n in range(10)]


def scored(of: LabelledCase, score: float) -> Judged:
    finding = Finding(Relation.CONTRIBUTE_TO, "pay", score >= 0.5, "So likely.", DecidedBy.JUDGE, score=score)
    return replace(judged(of, ALIGNED if score >= 0.5 else STOPPED), findings=(finding,))


def contestant(cases: Sequence[LabelledCase] = (*DEVELOPMENT, *TABLE)) -> Contestant:
    """Gives right calls 0.4 and wrong ones 0.2, and so stops all."""
    results = {each.key: scored(each, 0.2 if each.wrong else 0.4) for each in cases}
    return Contestant("shy", TokenProbability(), RulesJudge(), results)


def test_the_threshold_is_that_of_the_development_cases_and_is_printed() -> None:
    tuned = tune_contestant(DEVELOPMENT, contestant())
    assert tuned is not None
    assert tuned.name == "shy, tuned to 0.3 on 10"
    assert {tuned.results[each.key].has_passed is not each.wrong for each in TABLE} == {True}


def test_no_case_of_the_table_moves_the_threshold() -> None:
    rival = contestant()
    for each in TABLE:
        rival.results[each.key] = scored(each, 0.9 if each.wrong else 0.8)
    tuned = tune_contestant(DEVELOPMENT, rival)
    assert tuned is not None
    assert tuned.name == "shy, tuned to 0.3 on 10"
    assert all(tuned.results[each.key].has_passed for each in TABLE)


def test_development_cases_share_no_trace_with_the_table() -> None:
    traces = [trace(Outcome.MISALIGNED, True, False) for _ in range(6)]
    drawn = [traces[0].cases[0], traces[3].cases[1]]
    cases = development_cases(traces, drawn, size=5)
    apart = {each.key for at in (1, 2, 4, 5) for each in traces[at].cases}
    assert len(cases) == 5
    assert {each.key for each in cases} <= apart


def test_no_development_case_is_made_of_a_call_of_the_table() -> None:
    traces = [replace(trace(Outcome.MISALIGNED, False), id=f"talk-{number}") for number in range(3)]
    mutants = [replace(trace(Outcome.OTHER, True), id=f"talk-{number}/mutants") for number in range(3)]
    cases = development_cases([*traces, *mutants], traces[0].cases)
    assert {each.key for each in cases} == {
        each.key for at in (1, 2) for each in (*traces[at].cases, *mutants[at].cases)
    }
    cases = development_cases([*traces, *mutants], mutants[1].cases)
    assert {each.key for each in cases} == {
        each.key for at in (0, 2) for each in (*traces[at].cases, *mutants[at].cases)
    }


def test_the_published_verdicts_stay() -> None:
    before = contestant()
    tune_contestant(DEVELOPMENT, before)
    assert not any(each.has_passed for each in before.results.values())


def test_a_case_without_a_score_keeps_its_verdict() -> None:
    rival, unread = contestant(), case(wrong=False)
    rival.results[unread.key] = judged(unread, STOPPED)
    tuned = tune_contestant(DEVELOPMENT, rival)
    assert tuned is not None
    assert tuned.results[unread.key].verdict == STOPPED


def test_who_sets_no_threshold_is_not_tuned() -> None:
    assert tune_contestant(DEVELOPMENT, replace(contestant(), detector=DirectPrompt())) is None


def test_too_few_scores_tune_nothing() -> None:
    assert tune_contestant(DEVELOPMENT[:4], contestant()) is None


def test_every_run_is_held_against_the_tuned_threshold() -> None:
    tuned = tune_contestant(DEVELOPMENT, replace(contestant(), repeats=(contestant(), contestant())))
    assert tuned is not None
    assert tuned.name == "shy, tuned to 0.3 on 30"
    assert [{run.results[each.key].has_passed is not each.wrong for each in TABLE} for run in tuned.runs] == [
        {True}
    ] * 3
