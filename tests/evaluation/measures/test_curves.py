import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.evaluation.measures.curves import (
    MAX_POINTS,
    expect_catches,
    find_lowest_load,
    list_trade_offs,
    thin_points,
    trade_off_at,
)
from reviews.evaluation.measures.detection_rates import Rate

SCORES = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), st.booleans()), min_size=1)


def test_a_curve_by_hand() -> None:
    scores = [(0.2, False), (0.4, True), (0.6, False), (0.8, True)]
    points = {point.threshold: (point.load.count, point.missed.count) for point in list_trade_offs(scores)}
    assert points == {0.0: (0, 2), 0.2: (0, 2), 0.4: (1, 1), 0.6: (2, 1), 0.8: (3, 0), 1.0: (4, 0)}


@given(SCORES)
def test_misses_and_false_alarms_are_those_of_scikit_learn(scores: list[tuple[float, bool]]) -> None:
    # Not above: every process that collects tests would spend a second on it.
    from sklearn.metrics import roc_curve  # noqa: PLC0415

    wrong = [not right for _, right in scores]
    if len(set(wrong)) < 2:
        return
    rates = {
        (float(fpr), float(tpr))
        for fpr, tpr in zip(
            *roc_curve(wrong, [-score for score, _ in scores], drop_intermediate=False)[:2], strict=True
        )
    }
    right = wrong.count(False)
    for point in list_trade_offs(scores):
        caught = point.missed.total - point.missed.count
        ours = ((point.load.count - caught) / right, caught / point.missed.total)
        assert any(ours == pytest.approx(pair) for pair in rates)


def test_nothing_has_no_curve_and_one_without_wrong_calls_misses_nothing() -> None:
    assert list_trade_offs([]) == []
    assert {point.missed for point in list_trade_offs([(0.5, True)])} == {Rate(0, 0)}


def test_the_lowest_load_for_a_goal_by_hand() -> None:
    scores = [(0.1, False), (0.3, True), (0.4, False), (0.6, True), (0.9, True)]
    half, none = find_lowest_load(scores, 0.5), find_lowest_load(scores, 0.02)
    assert half is not None
    assert none is not None
    assert (half.threshold, half.load.count, half.missed.count) == (0.3, 1, 1)
    assert (none.threshold, none.load.count, none.missed.count) == (0.6, 3, 0)
    assert find_lowest_load([(0.5, True)], 0.02) is None


@given(SCORES, st.integers(0, 20).map(lambda part: part / 20))
def test_the_present_point_lies_on_the_curve(scores: list[tuple[float, bool]], threshold: float) -> None:
    point = trade_off_at(scores, threshold)
    assert (point.load, point.missed) in [(other.load, other.missed) for other in list_trade_offs(scores)]


def test_a_goal_of_no_miss_holds_for_what_stands_for_less_than_half_a_call() -> None:
    scores = [(0.2, False), (0.6, False), (0.3, False), (0.5, True), (0.7, True)]
    # 4.5 wrong calls, of which 3.5 lie below 0.6: rounded, both are four.
    found = find_lowest_load(scores, 0.0, [1.0, 1.0, 2.5, 1.0, 1.0])
    assert found is not None
    assert found.threshold == 0.7
    half = find_lowest_load(scores, 0.5, [1.0, 1.0, 2.5, 1.0, 1.0])
    assert half is not None
    assert half.threshold == 0.5


@given(SCORES, st.integers(0, 20).map(lambda part: part / 20))
def test_without_weights_the_goal_is_kept_by_the_shown_point_and_by_none_before_it(
    scores: list[tuple[float, bool]], goal: float
) -> None:
    shares = [(point, point.missed.share) for point in list_trade_offs(scores)]
    expected = next((point for point, share in shares if share is not None and share <= goal), None)
    assert find_lowest_load(scores, goal) == expected


def test_a_quota_catches_what_is_lowest_and_of_equal_scores_their_share() -> None:
    scores = [(0.1, False), (0.5, False), (0.5, True), (0.9, False)]
    assert [expect_catches(scores, reviews) for reviews in range(6)] == [0, 1, 1.5, 2, 3, 3]


def test_a_long_curve_keeps_its_ends() -> None:
    thinned = thin_points(range(10_000))
    assert (thinned[0], thinned[-1], len(thinned)) == (0, 9_999, MAX_POINTS)
