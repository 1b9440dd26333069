import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.evaluation.measures.calibration import (
    calibration_error,
    measure_brier,
    measure_pr_auc,
    measure_roc_auc,
    reliability_bins,
)
from reviews.evaluation.measures.thresholds import Scored

SCORES = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1)


def test_wrong_calls_below_all_others_have_the_whole_area() -> None:
    assert measure_pr_auc([(0.1, False), (0.2, False), (0.7, True)]) == 1.0


def test_the_area_is_the_sum_of_steps() -> None:
    # The first of three is wrong, and the last: precision 1 at recall 1/2, 2/3 at recall 1.
    assert measure_pr_auc([(0.1, False), (0.2, True), (0.7, False)]) == pytest.approx(1 / 2 * 1 + 1 / 2 * 2 / 3)


def test_calls_of_equal_score_are_stopped_together() -> None:
    assert measure_pr_auc([(0.5, True), (0.5, False), (0.5, True), (0.5, False)]) == 0.5


def test_without_a_wrong_call_there_is_no_area() -> None:
    assert measure_pr_auc([(0.5, True)]) is None


@given(SCORES)
def test_an_area_is_a_share(scores: list[Scored]) -> None:
    area = measure_pr_auc(scores)
    assert area is None or 0 < area <= 1 + 1e-9


def test_as_sure_as_right_has_no_error() -> None:
    assert calibration_error([(0.75, True)] * 3 + [(0.75, False)]) == pytest.approx(0)


def test_being_sure_of_a_wrong_call_is_confidence_too() -> None:
    assert calibration_error([(0.1, False), (0.1, False)]) == pytest.approx(0.1)


def test_bins_are_weighed_by_size() -> None:
    assert calibration_error([(1.0, False), (0.8, True), (0.8, True), (0.8, True)]) == pytest.approx((1 + 3 * 0.2) / 4)


def test_there_are_ten_bins() -> None:
    assert len(reliability_bins([(0.69, True), (0.71, True), (0.79, True)])) == 2
    assert len(reliability_bins([(place / 10 + 0.05, True) for place in range(5, 10)])) == 5


def test_nothing_has_no_error() -> None:
    assert calibration_error([]) is None


@given(SCORES)
def test_an_error_is_a_share(scores: list[Scored]) -> None:
    error = calibration_error(scores)
    assert error is not None
    assert -1e-9 <= error <= 1 + 1e-9


def test_a_wrong_call_above_a_right_one_costs_its_share_of_the_pairs() -> None:
    # Of two wrong and two right calls one pair of four is the wrong way round.
    assert measure_roc_auc([(0.1, False), (0.3, True), (0.4, False), (0.9, True)]) == pytest.approx(3 / 4)


def test_without_a_right_call_there_are_no_pairs() -> None:
    assert measure_roc_auc([(0.1, False)]) is None


def test_brier_is_the_mean_squared_distance() -> None:
    assert measure_brier([(0.9, True), (0.6, False)]) == pytest.approx((0.01 + 0.36) / 2)


def test_every_score_lies_in_one_bar() -> None:
    bins = reliability_bins([(0.05, False), (0.95, True), (1.0, True), (0.55, False)])
    assert [bar.count for bar in bins] == [1, 3]
    assert bins[1].accuracy == 1
