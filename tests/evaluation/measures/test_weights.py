"""A call that weighs N counts as N alike ones, by every measure that is learned with; only the evidence is its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.evaluation.measures.calibration import calibration_error, measure_brier
from reviews.evaluation.measures.calibration_learning import calibrate_across, fit_map
from reviews.evaluation.measures.calibration_map import Method
from reviews.evaluation.measures.curves import expect_catches, find_lowest_load, list_trade_offs, trade_off_at
from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.measures.suspicion_learning import LabelledFindings, learn_suspicion
from reviews.evaluation.measures.thresholds import Scored, best_threshold, macro_f1

WEIGHED = st.lists(st.tuples(st.integers(0, 10), st.booleans(), st.integers(1, 5)), min_size=1, max_size=12)


def spread(weighed: list[tuple[int, bool, int]]) -> tuple[list[Scored], list[float], list[Scored]]:
    """The scores, their weights, and each of them as often as it weighs."""
    scores = [(score / 10, right) for score, right, _ in weighed]
    weights = [float(weight) for *_, weight in weighed]
    return scores, weights, [scored for scored, weight in zip(scores, weights, strict=True) for _ in range(int(weight))]


def counts(rate: Rate) -> tuple[int, int]:
    return rate.count, rate.total


@given(WEIGHED, st.integers(0, 40))
def test_curves_quotas_and_thresholds(weighed: list[tuple[int, bool, int]], reviews: int) -> None:
    scores, weights, repeated = spread(weighed)
    points = zip(list_trade_offs(scores, weights), list_trade_offs(repeated), strict=True)
    for ours, theirs in points:
        assert (ours.threshold, counts(ours.load), counts(ours.missed)) == (
            theirs.threshold, counts(theirs.load), counts(theirs.missed),
        )  # fmt: skip
    assert counts(trade_off_at(scores, 0.45, weights).load) == counts(trade_off_at(repeated, 0.45).load)
    lowest, same = find_lowest_load(scores, 0.2, weights), find_lowest_load(repeated, 0.2)
    assert (lowest and lowest.threshold) == (same and same.threshold)
    assert expect_catches(scores, reviews, weights) == pytest.approx(expect_catches(repeated, reviews))
    assert best_threshold(scores, weights).threshold == pytest.approx(best_threshold(repeated).threshold)
    assert macro_f1(scores, 0.5, weights) == pytest.approx(macro_f1(repeated, 0.5))


@given(WEIGHED)
def test_reliability(weighed: list[tuple[int, bool, int]]) -> None:
    scores, weights, repeated = spread(weighed)
    assert measure_brier(scores, weights) == pytest.approx(measure_brier(repeated))
    assert calibration_error(scores, weights) == pytest.approx(calibration_error(repeated))


FEW = spread([(1, False, 1), (3, True, 4), (4, False, 2), (6, True, 1), (8, False, 1), (9, True, 5)])


@pytest.mark.parametrize("method", Method)
def test_maps_to_probabilities(method: Method) -> None:
    scores, weights, repeated = FEW
    ours, theirs = fit_map(scores, method, weights), fit_map(repeated, method)
    assert ours is not None
    assert theirs is not None
    for score in (0.1, 0.5, 0.9):
        assert ours.apply(score) == pytest.approx(theirs.apply(score), abs=1e-3)
    tried = calibrate_across(scores, list("abcabc"), method, weights)
    assert tried != calibrate_across(scores, list("abcabc"), method)


def test_the_evidence_is_that_of_the_calls_and_not_of_those_they_stand_for() -> None:
    scores, weights, repeated = FEW
    ours, theirs = trade_off_at(scores, 0.45, weights).load, trade_off_at(repeated, 0.45).load
    assert ours.share == theirs.share
    assert (ours.evidence or 0) < len(scores)
    (low, high), (lower, higher) = ours.interval or (0, 0), theirs.interval or (0, 0)
    assert low < lower < higher < high


def test_calls_that_weigh_alike_tell_as_much_as_they_are() -> None:
    assert Rate(3, 12, evidence=4.0).interval == Rate(1, 4).interval


def test_a_model_of_findings_follows_what_weighs_more() -> None:
    def intercept_of(weight: float) -> float:
        calls = [
            LabelledFindings({"a"} if number % 2 else {"b"}, number % 4 == 1, number, weight if number % 4 else 1.0)
            for number in range(40)
        ]
        learned = learn_suspicion(calls)
        assert learned is not None
        return learned.model.weights["a"]

    assert intercept_of(9.0) != intercept_of(1.0)
