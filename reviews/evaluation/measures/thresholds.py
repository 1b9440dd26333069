"""The threshold that tells right calls from wrong ones best on labelled scores (InferAct paper, 4.3)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TypeAlias

from reviews.evaluation.measures.detection_rates import mean_f1

Scored: TypeAlias = tuple[float, bool]
"""A detector's score for a call, 0 to 1, and whether the call was right."""
Weights: TypeAlias = Sequence[float] | None
"""For how many calls each scored one stands; None: for itself."""


@dataclass(frozen=True)
class Tuned:
    """What was found."""

    threshold: float
    """The least score that passes."""
    macro_f1: float
    """On the very scores it was tuned on, so an optimistic figure."""
    count: int
    """Scores it was tuned on."""


def best_threshold(scores: Iterable[Scored], weights: Weights = None) -> Tuned:
    """The greatest Macro-F1 of 0 and all midpoints between neighbouring scores, 0 and 1; of equals what stops more.

    Takes n log n for n scores. Raises ValueError without any score.
    """
    ranked = sorted((*scored, weight) for scored, weight in _weigh(scores, weights))
    if not ranked:
        raise ValueError("There is no score to tune a threshold on.")
    # Of two with one Macro-F1 the greater threshold wins: it stops more.
    macro_f1, threshold = max(_candidate_thresholds(ranked))
    return Tuned(threshold, macro_f1, len(ranked))


def macro_f1(scores: Iterable[Scored], threshold: float, weights: Weights = None) -> float:
    """The mean of the F1 of passing right calls and that of stopping wrong ones, 0 to 1; of nothing at all it is 0."""
    caught = let_pass = mistakes = 0.0
    for (score, right), weight in _weigh(scores, weights):
        is_passed = score >= threshold
        caught += weight * (not is_passed and not right)
        let_pass += weight * (is_passed and right)
        mistakes += weight * (is_passed is not right)
    return mean_f1(caught, let_pass, mistakes)


def _weigh(scores: Iterable[Scored], weights: Weights) -> Iterator[tuple[Scored, float]]:
    return zip(scores, repeat(1) if weights is None else weights, strict=weights is not None)


def _candidate_thresholds(ranked: list[tuple[float, bool, float]]) -> Iterator[tuple[float, float]]:
    """Macro-F1 and threshold of 0, which stops nothing, and of each midpoint, the lowest threshold first."""
    right_total = sum(weight * right for _, right, weight in ranked)
    wrong_total = sum(weight for *_, weight in ranked) - right_total
    # No midpoint passes a score of 0.
    yield mean_f1(0.0, right_total, wrong_total), 0.0
    wrong_stopped, right_stopped, position = 0.0, 0.0, 0
    for low, high in pairwise(sorted({0.0, 1.0, *(score for score, *_ in ranked)})):
        # One walk over the ranked scores: counting anew at each midpoint would take n squared.
        while position < len(ranked) and ranked[position][0] <= low:
            _, right, weight = ranked[position]
            right_stopped += weight * right
            wrong_stopped += weight * (not right)
            position += 1
        middle = (low + high) / 2
        # Between two neighbouring floats there is no middle, and the lower one must not pass.
        threshold = middle if middle > low else high
        mistakes = right_stopped + wrong_total - wrong_stopped
        yield mean_f1(wrong_stopped, right_total - right_stopped, mistakes), threshold
