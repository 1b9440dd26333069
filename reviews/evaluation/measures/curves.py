"""What every threshold on labelled scores would cost and miss: the curve on which a profile's own is one point.

Load and misses are what the InferAct paper (section 4.3) weighs by one threshold; as a curve they are the detection
error trade-off (Martin et al. 1997) with the review load in place of false alarms.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from reviews.evaluation.measures.metrics import Rate
from reviews.evaluation.measures.thresholds import Scored

P = TypeVar("P")
# As many as a drawing of this size can tell apart.
MAX_POINTS: Final = 200


@dataclass(frozen=True)
class TradeOff:
    """One threshold."""

    threshold: float
    """The least score that passes."""
    load: Rate
    """Of all calls those that a person would see."""
    missed: Rate
    """Of the wrong calls those that would pass."""


def list_trade_offs(scores: Sequence[Scored]) -> list[TradeOff]:
    """Every threshold that makes a difference, and the limits 0 and 1, the lowest load first. None of nothing."""
    if not scores:
        return []
    values = np.array([score for score, _ in scores], dtype=np.float64)
    wrong = np.array([not right for _, right in scores], dtype=np.bool_)
    thresholds = np.unique(np.concatenate((values, (0.0, 1.0))))
    # What lies below a threshold is stopped.
    stopped = np.searchsorted(np.sort(values), thresholds, side="left")
    caught = np.searchsorted(np.sort(values[wrong]), thresholds, side="left")
    total = int(wrong.sum())
    return [
        TradeOff(float(threshold), Rate(int(load), len(values)), Rate(total - int(hits), total))
        for threshold, load, hits in zip(thresholds, stopped, caught, strict=True)
    ]


def thin_points(points: Sequence[P]) -> list[P]:
    """The points, or as many of them, evenly spread, as can be drawn; the first and the last stay."""
    if len(points) <= MAX_POINTS:
        return list(points)
    return [points[int(place)] for place in np.linspace(0, len(points) - 1, MAX_POINTS)]
