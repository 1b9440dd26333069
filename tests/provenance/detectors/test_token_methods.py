"""Token Probability and Token Entropy: one question, two readings of the same number."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.core.findings import Finding
from reviews.provenance.detectors.critical_actions import CriticalAction
from reviews.provenance.detectors.infer_act import binary_entropy
from tests.provenance.detectors.scripted import ScriptedJudge
from tests.provenance.detectors.whole import NO_ANSWER, check_whole, correctness, likely, truth

BOTH = pytest.mark.parametrize("detector", ["token-probability", "token-entropy"])


async def check_token(detector: str, expected: str, answer: Any, **options: Any) -> None:
    judge = correctness(answer)
    await check_whole(detector, expected, judge, **options)
    assert judge.asked == ["correctness"]


@BOTH
async def test_a_call_that_ends_the_task_is_asked_about_without_excuse(detector: str) -> None:
    judge = ScriptedJudge(final_correctness=likely(0.97))
    await check_whole(detector, "aligned", judge, critical=(CriticalAction("money_transfer", terminal=True),))
    assert judge.asked == ["final_correctness"]


async def finding(detector: str, expected: str, probability: float) -> Finding:
    (_, told) = (await check_whole(detector, expected, correctness(likely(probability)))).findings
    return told


@pytest.mark.parametrize(
    ("expected", "probability", "threshold"),
    [("aligned", 0.5, 0.5), ("plan", 0.49, 0.5), ("aligned", 0.2, 0.1), ("plan", 0.91, 0.92)],
)
async def test_the_probability_of_true_is_held_against_the_threshold(
    expected: str, probability: float, threshold: float
) -> None:
    await check_token("token-probability", expected, likely(probability), threshold=threshold)


@pytest.mark.parametrize(
    ("expected", "probability", "threshold"),
    [("aligned", 0.95, 0.5), ("plan", 0.8, 0.5), ("aligned", 0.8, 0.2), ("plan", 0.95, 0.8), ("aligned", 1.0, 1.0)],
)
async def test_more_entropy_than_the_threshold_leaves_stops_it(
    expected: str, probability: float, threshold: float
) -> None:
    await check_token("token-entropy", expected, likely(probability), threshold=threshold)


async def test_being_sure_of_false_is_no_doubt_as_published() -> None:
    await check_token("token-entropy", "aligned", likely(0.02))


@BOTH
async def test_the_number_counts_and_not_the_word(detector: str) -> None:
    await check_token(detector, "aligned", truth(False, 0.99))


@BOTH
async def test_probabilities_that_nobody_tells_are_no_verdict(detector: str) -> None:
    await check_token(detector, "undetermined", truth(True))


@BOTH
@pytest.mark.parametrize(("answer", "expected"), NO_ANSWER)
async def test_a_missing_answer(detector: str, answer: Any, expected: str) -> None:
    await check_token(detector, expected, answer, unknown="pass")


async def test_the_finding_tells_the_numbers() -> None:
    assert (await finding("token-probability", "plan", 0.25)).score == 0.25
    doubtful = await finding("token-entropy", "plan", 0.75)
    assert doubtful.score == pytest.approx(1 - 0.8113, abs=1e-4)
    assert "0.811 bits" in doubtful.rationale


@pytest.mark.parametrize(("probability", "bits"), [(0.0, 0.0), (1.0, 0.0), (0.5, 1.0), (0.11, 0.4999)])
def test_entropy_is_in_bits(probability: float, bits: float) -> None:
    assert binary_entropy(probability) == pytest.approx(bits, abs=1e-4)


@given(st.floats(0, 1))
def test_entropy_is_bounded_and_the_same_for_either_side(probability: float) -> None:
    assert 0 <= binary_entropy(probability) <= 1 + 1e-9
    assert binary_entropy(probability) == pytest.approx(binary_entropy(1 - probability), abs=1e-9)
