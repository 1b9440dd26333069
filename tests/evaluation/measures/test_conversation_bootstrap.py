"""Intervals by conversation: what they are of, and that they hold still."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.evaluation.measures.calibration import calibration_error, measure_brier, measure_pr_auc, measure_roc_auc
from reviews.evaluation.measures.conversation_bootstrap import (
    MEASURES,
    JudgedCalls,
    _measure_draws,
    bootstrap_intervals,
)
from reviews.evaluation.measures.detection_rates import Confusion

# Score in tenths, whether the call is wrong, whether it passed, and how often it is drawn.
CALLS = st.lists(
    st.tuples(st.integers(0, 10), st.booleans(), st.booleans(), st.integers(0, 3)), min_size=1, max_size=12
)


def calls_of(rows: list[tuple[float, bool, bool]], conversations: list[int]) -> JudgedCalls:
    scores, wrong, passed = zip(*rows, strict=True)
    return JudgedCalls(
        np.array(conversations, np.int64),
        np.array(wrong, np.bool_),
        np.array(passed, np.bool_),
        np.array(scores, float),
    )


@given(CALLS)
def test_a_draw_is_measured_as_its_calls_are(drawn: list[tuple[int, bool, bool, int]]) -> None:
    rows = [(score / 10, wrong, passed) for score, wrong, passed, _ in drawn]
    calls = calls_of(rows, list(range(len(rows))))
    values = dict(_measure_draws(calls, np.array([[times for *_, times in drawn]], float)))
    repeated = [row for row, (*_, times) in zip(rows, drawn, strict=True) for _ in range(times)]
    scores = [(score, not wrong) for score, wrong, _ in repeated]
    counts = [(wrong, passed) for _, wrong, passed in repeated]
    macro_f1 = Confusion(*(counts.count(kind) for kind in ((True, False), (False, False), (True, True), (False, True))))
    expected = {
        "macro_f1": macro_f1.measures.macro_f1 or 0.0,
        "pr_auc": measure_pr_auc(scores),
        "roc_auc": measure_roc_auc(scores),
        "brier": measure_brier(scores),
        "ece": calibration_error(scores),
    }
    for name, value in expected.items():
        assert values[name][0] == pytest.approx(np.nan if value is None else value, nan_ok=True), name


def random_calls(count: int, per_conversation: int) -> JudgedCalls:
    rng = np.random.default_rng(7)
    conversations = np.repeat(np.arange(count // per_conversation), per_conversation)
    # Calls of one conversation stand or fall together.
    wrong = (rng.random(count // per_conversation) < 0.5)[conversations]
    scores = np.clip(rng.normal(np.where(wrong, 0.3, 0.7), 0.2), 0, 1)
    return JudgedCalls(conversations, wrong, scores >= 0.5, scores)


def test_the_same_calls_have_the_same_intervals() -> None:
    calls = random_calls(200, 4)
    intervals = bootstrap_intervals(calls)
    assert intervals == bootstrap_intervals(calls)
    assert intervals != bootstrap_intervals(calls, seed=1)
    assert set(intervals) == set(MEASURES)


def test_an_interval_holds_the_value() -> None:
    calls = random_calls(400, 2)
    values = dict(_measure_draws(calls, np.ones((1, 200))))
    for name, interval in bootstrap_intervals(calls).items():
        assert interval is not None
        assert interval[0] <= values[name][0] <= interval[1], name


def test_calls_that_hang_together_tell_less() -> None:
    def width_of(per_conversation: int) -> float:
        low, high = bootstrap_intervals(random_calls(400, per_conversation))["macro_f1"] or (0, 0)
        return high - low

    assert width_of(40) > width_of(1)


def test_of_one_conversation_and_without_scores_there_is_no_interval() -> None:
    assert set(bootstrap_intervals(calls_of([(0.5, True, False)] * 3, [0, 0, 0])).values()) == {None}
    unscored = bootstrap_intervals(calls_of([(np.nan, True, False), (np.nan, False, True)] * 5, list(range(10))))
    assert unscored["macro_f1"] is not None
    assert {unscored[name] for name in MEASURES[1:]} == {None}


def test_draws_that_are_all_alike_claim_no_certainty() -> None:
    intervals = bootstrap_intervals(calls_of([(0.1, True, False), (0.9, False, True)] * 2, [0, 1, 2, 3]))
    assert intervals["macro_f1"] is not None
    assert {intervals[name] for name in MEASURES[1:]} == {None}
