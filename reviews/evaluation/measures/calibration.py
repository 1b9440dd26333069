"""How good scores are, whatever threshold is set on them (InferAct paper, sections 4.2 and 5.2).

Positive is a wrong call, and a low score stops: a score is taken for the probability that the call is right.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviews.evaluation.measures.thresholds import Scored, Weights

# The InferAct paper names no number. More would leave bins of a small sample all but empty.
_BINS: Final = 10


def measure_pr_auc(scores: Iterable[Scored]) -> float | None:
    """The average precision of stopping wrong calls, 0 to 1: the area in steps; None where no call is wrong."""
    return _measure_ranking("average_precision_score", scores, {True})


def measure_roc_auc(scores: Iterable[Scored]) -> float | None:
    """The chance that a wrong call scores below a right one, ties counting half; None without one of each."""
    return _measure_ranking("roc_auc_score", scores, {True, False})


def measure_brier(scores: Iterable[Scored], weights: Weights = None) -> float | None:
    """The mean squared distance between scores and what was right, 0 to 1 (Brier 1950); None of nothing."""
    squares = [(score - right) ** 2 for score, right in scores]
    return float(np.average(squares, weights=weights)) if squares else None


def _measure_ranking(name: str, scores: Iterable[Scored], needed: set[bool]) -> float | None:
    """scikit-learn's metric of what is wrong and how suspect it was; None unless all that it needs is there."""
    pairs = list(scores)
    wrong = [not right for _, right in pairs]
    if not needed <= set(wrong):
        return None
    # Here and not above: scikit-learn takes a second to import, which no server needs that has no scores.
    from sklearn import metrics  # noqa: PLC0415

    return float(getattr(metrics, name)(wrong, [-score for score, _ in pairs]))


@dataclass(frozen=True)
class Bin:
    """The scores of one bar of a reliability diagram."""

    count: float
    """Of calls; where they stand for others, of those."""
    confidence: float
    """Mean confidence in the likelier answer, from 1/2 to 1."""
    accuracy: float
    """The share of them in which that answer was right."""


def reliability_bins(scores: Sequence[Scored], weights: Weights = None) -> Sequence[Bin]:
    """The bars of the reliability diagram (Guo et al. 2017), by rising confidence, without empty ones."""
    values = np.array([score for score, _ in scores], dtype=np.float64)
    right = np.array([is_right for _, is_right in scores], dtype=np.bool_)
    weighed = np.ones(len(scores)) if weights is None else np.array(weights, np.float64)
    # A score below one half is confidence in the other answer.
    confidence = np.where(values >= 1 / 2, values, 1 - values)
    correct = np.where(values >= 1 / 2, right, ~right)
    numbers = np.minimum((confidence * _BINS).astype(np.int64), _BINS - 1)
    return [
        Bin(
            float(weighed[of_bin].sum()),
            float(np.average(confidence[of_bin], weights=weighed[of_bin])),
            float(np.average(correct[of_bin], weights=weighed[of_bin])),
        )
        for number in np.unique(numbers)
        for of_bin in [numbers == number]
    ]


def calibration_error(scores: Sequence[Scored], weights: Weights = None) -> float | None:
    """ECE (Guo et al. 2017): how far confidence in the likelier answer is from being right, 0 to 1, in ten bins of
    equal width, weighted by size. None of nothing.
    """
    bins = reliability_bins(scores, weights)
    total = sum(bar.count for bar in bins)
    return sum(bar.count * abs(bar.confidence - bar.accuracy) for bar in bins) / total if total else None
