"""The threshold that tells right from wrong best."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.evaluation.measures.thresholds import Scored, best_threshold, macro_f1

scores = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]), st.booleans()), min_size=1, max_size=12)
SPLIT: list[Scored] = [(0.2, False), (0.4, False), (0.6, True), (0.9, True)]


def check_tuned(labelled: list[Scored], threshold: float, reached: float) -> None:
    """This threshold is found, with this Macro-F1."""
    tuned = best_threshold(labelled)
    assert tuned.threshold == pytest.approx(threshold)
    assert (tuned.macro_f1, tuned.count) == (reached, len(labelled))


def test_right_and_wrong_are_split_half_way_between_them() -> None:
    check_tuned(SPLIT, 0.5, 1.0)


def test_the_order_of_the_scores_does_not_matter() -> None:
    check_tuned(SPLIT[::-1], 0.5, 1.0)


def test_of_equals_the_one_that_stops_more_is_taken() -> None:
    # Passing everything and stopping everything are right about as many.
    check_tuned([(0.4, True), (0.4, False)], 0.7, 1 / 3)


def test_where_every_call_was_wrong_every_call_is_stopped() -> None:
    check_tuned([(0.2, False), (0.8, False)], 0.9, 0.5)


def test_where_every_call_was_right_the_lowest_just_passes() -> None:
    check_tuned([(0.2, True), (0.8, True)], 0.1, 0.5)


def test_where_right_calls_have_the_lowest_score_there_is_they_pass() -> None:
    check_tuned([(0.0, True), (0.0, True)], 0.0, 0.5)


def test_neighbouring_floats_are_kept_apart() -> None:
    low, high = 0.5, 0.5000000000000001
    assert best_threshold([(low, False), (high, True)]).macro_f1 == macro_f1([(low, False), (high, True)], high) == 1


def test_without_a_score_nothing_can_be_tuned() -> None:
    with pytest.raises(ValueError, match="no score"):
        best_threshold([])


def test_macro_f1_weighs_both_classes_alike() -> None:
    # Of four right calls all pass; of two wrong ones one is stopped: F1 is 8/9 and 2/3.
    labelled = [(0.9, True)] * 4 + [(0.9, False), (0.1, False)]
    assert macro_f1(labelled, 0.5) == pytest.approx((8 / 9 + 2 / 3) / 2)


@given(scores)
def test_no_other_threshold_is_better(labelled: list[Scored]) -> None:
    best = best_threshold(labelled)
    assert macro_f1(labelled, best.threshold) == best.macro_f1
    assert all(macro_f1(labelled, step / 20) <= best.macro_f1 for step in range(21))
