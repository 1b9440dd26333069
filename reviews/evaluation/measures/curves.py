"""What every threshold on labelled scores would cost and miss: the curve on which a profile's own is one point.

Load and misses are what the InferAct paper (section 4.3) weighs by one threshold; as a curve they are the detection
error trade-off (Martin et al. 1997) with the review load in place of false alarms.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.measures.thresholds import Scored, Weights

P = TypeVar("P")
Floats: TypeAlias = NDArray[np.float64]
# As many as a drawing of this size can tell apart.
MAX_POINTS: Final = 200
_ROUNDING: Final = 1e-9
"""Far below any call's share, and above what sums of weights differ by in their last digits."""


@dataclass(frozen=True)
class TradeOff:
    """One threshold."""

    threshold: float
    """The least score that passes."""
    load: Rate
    """Of all calls those that a person would see."""
    missed: Rate
    """Of the wrong calls those that would pass."""


def list_trade_offs(scores: Sequence[Scored], weights: Weights = None) -> list[TradeOff]:
    """Every threshold that makes a difference, and the limits 0 and 1, the lowest load first. None of nothing."""
    if not scores:
        return []
    return _Curve.at(scores, _thresholds_of(scores), weights).points()


def trade_off_at(scores: Sequence[Scored], threshold: float, weights: Weights = None) -> TradeOff:
    """What this threshold costs and misses."""
    return _Curve.at(scores, np.array([threshold]), weights).point(0)


@dataclass(frozen=True)
class _Curve:
    """For each threshold how many calls are stopped, and how many of them are wrong; not rounded, as weights add up."""

    thresholds: Floats
    stopped: Floats
    caught: Floats
    calls: float
    wrong: float
    evidence: tuple[float | None, float | None]
    """As how many calls all of them tell, and the wrong ones."""

    @classmethod
    def at(cls, scores: Sequence[Scored], thresholds: Floats, weights: Weights) -> Self:
        """The curve at these thresholds."""
        values, wrong, weighed = _columns_of(scores, weights)
        order = np.argsort(values)
        # What lies below a threshold is stopped.
        places = np.searchsorted(values[order], thresholds, side="left")
        stopped, caught = (np.concatenate(([0.0], np.cumsum(part[order]))) for part in (weighed, weighed * wrong))
        evidence = (None, None) if weights is None else (worth_of(weighed), worth_of(weighed[wrong]))
        return cls(thresholds, stopped[places], caught[places], float(stopped[-1]), float(caught[-1]), evidence)

    def point(self, place: int) -> TradeOff:
        """One threshold's, in whole calls for a person to read."""
        of_all, of_wrong = self.evidence
        caught, wrong = round(self.caught[place]), round(self.wrong)
        return TradeOff(
            float(self.thresholds[place]),
            Rate(round(self.stopped[place]), round(self.calls), evidence=of_all),
            Rate(wrong - caught, wrong, evidence=of_wrong),
        )

    def points(self) -> list[TradeOff]:
        """Every threshold's."""
        return [self.point(place) for place in range(len(self.thresholds))]


def worth_of(weights: Floats) -> float | None:
    """As how many calls that count alike these tell (Kish 1965); None of none."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if len(weights) else None


def _columns_of(scores: Sequence[Scored], weights: Weights) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """The scores, whether the call was wrong, and for how many calls it stands."""
    values = np.array([score for score, _ in scores], dtype=np.float64)
    wrong = np.array([not right for _, right in scores], dtype=np.bool_)
    return values, wrong, np.ones(len(scores)) if weights is None else np.array(weights, np.float64)


def find_lowest_load(scores: Sequence[Scored], max_missed: float, weights: Weights = None) -> TradeOff | None:
    """The threshold with the lowest review load that misses no more than this share; None without a wrong call."""
    if not scores:
        return None
    curve = _Curve.at(scores, _thresholds_of(scores), weights)
    # Not by the points, whose whole calls may hide one that stands for less than half a call.
    reaching = np.flatnonzero(curve.wrong - curve.caught <= (max_missed + _ROUNDING) * curve.wrong)
    return curve.point(int(reaching[0])) if curve.wrong and len(reaching) else None


def _thresholds_of(scores: Sequence[Scored]) -> Floats:
    """Every threshold that makes a difference, and the limits."""
    return np.unique(np.concatenate(([score for score, _ in scores], (0.0, 1.0))))


def expect_catches(scores: Sequence[Scored], reviews: int, weights: Weights = None) -> float:
    """Wrong calls among so many of the lowest scores: what a human quota catches (InferAct paper, 5.3).

    Of equal scores any may come first, so that the quota's last ones count by their share.
    """
    values, wrong, weighed = _columns_of(scores, weights)
    _, level = np.unique(values, return_inverse=True)
    calls, caught = np.bincount(level, weights=weighed), np.bincount(level, weights=weighed * wrong)
    reviewed = np.clip(reviews - (calls.cumsum() - calls), 0, calls)
    return float((caught * reviewed / calls).sum())


def thin_points(points: Sequence[P]) -> list[P]:
    """The points, or as many of them, evenly spread, as can be drawn; the first and the last stay."""
    if len(points) <= MAX_POINTS:
        return list(points)
    return [points[int(place)] for place in np.linspace(0, len(points) - 1, MAX_POINTS)]
