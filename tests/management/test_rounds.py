from dataclasses import replace

from reviews.evaluation.benchmarks.base import LabelledTrace, Outcome
from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.mutants.making import mutants_of
from reviews.evaluation.runs.contestants import attack_rates
from reviews.management.rounds import build_round
from tests.evaluation.made import trace

HIT = replace(trace(Outcome.MISALIGNED, True), attack="naive", attack_succeeded=True, task_succeeded=False)
OTHER_HIT = replace(trace(Outcome.MISALIGNED, True), attack="naive", attack_succeeded=True, task_succeeded=False)
IGNORED = replace(trace(Outcome.OTHER), attack="naive", task_succeeded=True)
CLEAN = replace(trace(Outcome.SUCCESSFUL, False), task_succeeded=True)
RUNS = (HIT, OTHER_HIT, IGNORED, CLEAN)


def unguarded(*drawn: LabelledTrace, runs: tuple[LabelledTrace, ...] = RUNS) -> tuple[Rate, Rate]:
    """ASR and PNA with no guard."""
    cases = [case for each in drawn for case in each.cases]
    rates = attack_rates(build_round("agentdojo", runs, cases, [], "drawn"), None)
    return rates.attack_success, rates.no_attack


def test_of_all_runs_those_without_a_call_to_judge_count_too() -> None:
    assert unguarded(*RUNS) == (Rate(2, 3), Rate(1, 1))


def test_beside_a_sample_no_run_counts_of_which_nothing_was_drawn() -> None:
    assert unguarded(HIT, CLEAN) == (Rate(1, 1), Rate(1, 1))


def test_mutants_are_no_runs() -> None:
    mutants = tuple(mutants_of(RUNS, ["drop"]))
    assert mutants
    assert unguarded(*RUNS, *mutants, runs=(*RUNS, *mutants)) == (Rate(2, 3), Rate(1, 1))
