"""How good scores are, whatever threshold is set on them (InferAct paper, sections 4.2 and 5.2)."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby
from typing import Final

from reviews.evaluation.measures.thresholds import Scored

# As many as the InferAct paper uses; more would leave bins of a small sample all but empty.
_BINS: Final = 10


def pr_auc(scores: Iterable[Scored]) -> float | None:
    """The area under precision by recall of stopping wrong calls, in steps, 0 to 1; None where no call is wrong.

    Calls of equal score are stopped together, the least score first.
    """
    ranked = sorted(scores)
    wrong = sum(not right for _, right in ranked)
    if not wrong:
        return None
    area, stopped, hits = 0.0, 0, 0
    for _, equals in groupby(ranked, key=lambda scored: scored[0]):
        found = [not right for _, right in equals]
        stopped, hits = stopped + len(found), hits + sum(found)
        # Steps, as a straight line between two points of that curve promises more than can be had.
        area += sum(found) / wrong * hits / stopped
    return area


def calibration_error(scores: Iterable[Scored]) -> float | None:
    """ECE (Guo et al. 2017): how far confidence in the likelier answer is from being right, 0 to 1, in ten bins of
    equal width, weighted by size. Takes each score for the probability that the call is right. None of nothing.
    """
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for score, right in scores:
        # A score below one half is confidence in the other answer.
        confidence, correct = (score, right) if score >= 1 / 2 else (1 - score, not right)
        bins[min(int(confidence * _BINS), _BINS - 1)].append((confidence, correct))
    total = sum(map(len, bins.values()))
    gaps = (abs(sum(sure for sure, _ in pairs) - sum(correct for _, correct in pairs)) for pairs in bins.values())
    return sum(gaps) / total if total else None
