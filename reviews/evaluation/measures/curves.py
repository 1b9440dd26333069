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


def trade_off_at(scores: Sequence[Scored], threshold: float) -> TradeOff:
    """What this threshold costs and misses."""
    wrong = [score for score, right in scores if not right]
    stopped, missed = sum(score < threshold for score, _ in scores), sum(score >= threshold for score in wrong)
    return TradeOff(threshold, Rate(stopped, len(scores)), Rate(missed, len(wrong)))


def find_lowest_load(scores: Sequence[Scored], max_missed: float) -> TradeOff | None:
    """The threshold with the lowest review load that misses no more than this share; None without a wrong call."""
    reaching = (
        point
        for point in list_trade_offs(scores)
        if point.missed.share is not None and point.missed.share <= max_missed
    )
    return next(reaching, None)


def expect_catches(scores: Sequence[Scored], reviews: int) -> float:
    """Wrong calls among so many of the lowest scores: what a human quota catches (InferAct paper, 5.3).

    Of equal scores any may come first, so that the quota's last ones count by their share.
    """
    ranked = sorted(scores)
    if reviews >= len(ranked):
        return float(sum(not right for _, right in ranked))
    last = ranked[reviews][0]
    below = [right for score, right in ranked if score < last]
    tied = [right for score, right in ranked if score == last]
    return below.count(False) + (reviews - len(below)) * tied.count(False) / len(tied)


def thin_points(points: Sequence[P]) -> list[P]:
    """The points, or as many of them, evenly spread, as can be drawn; the first and the last stay."""
    if len(points) <= MAX_POINTS:
        return list(points)
    return [points[int(place)] for place in np.linspace(0, len(points) - 1, MAX_POINTS)]
