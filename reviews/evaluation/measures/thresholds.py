"""The threshold that tells right calls from wrong ones best on labelled scores (InferAct paper, 4.3)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from reviews.evaluation.measures.metrics import Confusion

Scored: TypeAlias = tuple[float, bool]
"""A detector's score for a call, 0 to 1, and whether the call was right."""


@dataclass(frozen=True)
class Tuned:
    """What was found."""

    threshold: float
    """The least score that passes."""
    macro_f1: float
    """On the very scores it was tuned on, so an optimistic figure."""
    count: int
    """Scores it was tuned on."""


def best_threshold(scores: Iterable[Scored]) -> Tuned:
    """The greatest Macro-F1 of all midpoints between neighbouring scores, 0 and 1; of equals the one that stops more.

    Takes n log n for n scores. Raises ValueError without any score.
    """
    ranked = sorted(scores)
    if not ranked:
        raise ValueError("There is no score to tune a threshold on.")
    # Of two with one Macro-F1 the greater threshold wins: it stops more.
    macro_f1, threshold = max(_candidate_thresholds(ranked))
    return Tuned(threshold, macro_f1, len(ranked))


def macro_f1(scores: Iterable[Scored], threshold: float) -> float:
    """The mean of the F1 of passing right calls and that of stopping wrong ones, 0 to 1; of nothing at all it is 0."""
    counted = [(score >= threshold, right) for score, right in scores]
    confusion = Confusion(
        true_positives=counted.count((False, False)),
        false_positives=counted.count((False, True)),
        false_negatives=counted.count((True, False)),
        true_negatives=counted.count((True, True)),
    )
    return confusion.measures.macro_f1 or 0.0


def _candidate_thresholds(ranked: list[Scored]) -> Iterator[tuple[float, float]]:
    """Macro-F1 and threshold of each midpoint, the lowest threshold first."""
    right_total = sum(right for _, right in ranked)
    wrong_total = len(ranked) - right_total
    wrong_stopped, right_stopped, position = 0, 0, 0
    for low, high in pairwise(sorted({0.0, 1.0, *(score for score, _ in ranked)})):
        # One walk over the ranked scores: counting anew at each midpoint would take n squared.
        while position < len(ranked) and ranked[position][0] <= low:
            right_stopped += ranked[position][1]
            wrong_stopped += not ranked[position][1]
            position += 1
        middle = (low + high) / 2
        # Between two neighbouring floats there is no middle, and the lower one must not pass.
        threshold = middle if middle > low else high
        confusion = Confusion(
            true_positives=wrong_stopped,
            false_positives=right_stopped,
            false_negatives=wrong_total - wrong_stopped,
            true_negatives=right_total - right_stopped,
        )
        yield confusion.measures.macro_f1 or 0.0, threshold
