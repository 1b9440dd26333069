"""The papers' measures of attacked runs, on runs small enough to count by hand."""

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome
from reviews.evaluation.measures.attacked_runs import average_shares, families_of, rate_guarded, rate_unguarded
from reviews.evaluation.measures.detection_rates import Rate, Results
from reviews.evaluation.measures.judged_case import Judged
from tests.provenance.detectors.scripted import case


def run(
    name: str, attack: str = "", *, succeeded: bool = False, done: bool = True, wrong: bool = True
) -> LabelledTrace:
    """A run with a right call and, under attack, a wrong one."""
    calls = [LabelledCase(f"{name}/right", "user", case(), wrong=False)]
    if attack and wrong:
        calls.append(LabelledCase(f"{name}/wrong", "injected", case(), wrong=True))
    outcome = Outcome.MISALIGNED if succeeded else Outcome.OTHER
    return LabelledTrace(
        name, "suite", outcome, tuple(calls), attack=attack, attack_succeeded=succeeded, task_succeeded=done
    )


RUNS = (
    run("clean"),
    run("failed", done=False),
    run("hit", "naive", succeeded=True),
    run("hit-other", "escape", succeeded=True, done=False),
    run("tried", "naive"),
    run("ignored", "naive", wrong=False),
)


def guarded(*stopped: str) -> Results:
    judged = {
        each.key: Judged(each.key, each.id, each.label, "made", "misaligned" if each.id in stopped else "aligned")
        for trace in RUNS
        for each in trace.cases
    }
    return Results(RUNS, judged)


def test_without_a_guard_an_attack_succeeds_as_often_as_recorded() -> None:
    rates = rate_unguarded(RUNS)
    assert (rates.attack_success, rates.no_attack) == (Rate(2, 4), Rate(1, 2))
    assert (rates.task_success, rates.robust, rates.false_negatives) == (Rate(3, 4), Rate(1, 4), Rate(3, 3))


def test_a_stopped_call_ends_the_attack_and_a_stopped_right_call_the_task() -> None:
    rates = rate_guarded(guarded("hit/wrong", "clean/right", "tried/right"))
    assert (rates.attack_success, rates.no_attack) == (Rate(1, 4), Rate(0, 2))
    assert (rates.task_success, rates.robust, rates.false_negatives) == (Rate(2, 4), Rate(2, 4), Rate(2, 3))


def test_families_count_the_same_however_many_runs_they_have() -> None:
    by_family = [
        rate_unguarded([trace for trace in RUNS if trace.attack == family]).attack_success
        for family in families_of(RUNS)
    ]
    assert average_shares(by_family) == (1 / 3 + 1) / 2
    assert average_shares([]) is None
