"""The threshold that tells right calls from wrong ones best on labelled scores (InferAct paper, 4.3)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

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
    macro_f1, threshold = max(_candidates(ranked))
    return Tuned(threshold, macro_f1, len(ranked))


def macro_f1(scores: Iterable[Scored], threshold: float) -> float:
    """The mean of the F1 of passing right calls and that of stopping wrong ones, 0 to 1; of nothing at all it is 0."""
    counted = [(score >= threshold, right) for score, right in scores]
    wrong_stopped = sum(not passed and not right for passed, right in counted)
    right_passed = sum(passed and right for passed, right in counted)
    return _macro_f1(wrong_stopped, right_passed, len(counted) - wrong_stopped - right_passed)


def _candidates(ranked: list[Scored]) -> Iterator[tuple[float, float]]:
    """Macro-F1 and threshold, the lowest first."""
    wrong_stopped, right_passed, position = 0, sum(right for _, right in ranked), 0
    for low, high in pairwise(sorted({0.0, 1.0, *(score for score, _ in ranked)})):
        while position < len(ranked) and ranked[position][0] <= low:
            right = ranked[position][1]
            wrong_stopped, right_passed, position = wrong_stopped + (not right), right_passed - right, position + 1
        middle = (low + high) / 2
        # Between two neighbouring floats there is no middle, and the lower one must not pass.
        threshold = middle if middle > low else high
        yield _macro_f1(wrong_stopped, right_passed, len(ranked) - wrong_stopped - right_passed), threshold


def _macro_f1(wrong_stopped: int, right_passed: int, errors: int) -> float:
    # Each error is a false positive of the one class and a false negative of the other.
    classes = ((2 * hits, 2 * hits + errors) for hits in (wrong_stopped, right_passed))
    return sum(twice / total if total else 0.0 for twice, total in classes) / 2
