"""What labels teach of a detector's scores: the whole trade-off, a threshold for a stated goal, what a quota catches.

What is learned is stored as a version of the guard profile, audited as every change, and an earlier version can be put
in force again. The limits of operational labels are those of `tuning`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reviews import access
from reviews.errors import FieldProblem, InvalidProfileError
from reviews.evaluation.measures.calibration import calibration_error, measure_brier
from reviews.evaluation.measures.calibration_learning import calibrate_across
from reviews.evaluation.measures.calibration_map import Method
from reviews.evaluation.measures.curves import (
    TradeOff,
    expect_catches,
    find_lowest_load,
    list_trade_offs,
    trade_off_at,
)
from reviews.evaluation.measures.thresholds import Scored
from reviews.lab.tuning import require_labelled_scores, scores_of
from reviews.models import GuardProfile, Membership, Workspace
from reviews.profiles import versions
from reviews.profiles.options import detector_options

# Shares of all calls that people could look at, as the InferAct paper varies the budget of human oversight.
QUOTAS: Final = (0.05, 0.1, 0.2, 0.3, 0.5)
_NOTHING_WRONG: Final = "No labelled call was wrong: nothing could be missed."
# A score of 1 passes every threshold.
_OUT_OF_REACH: Final = "No threshold misses so few: too many of the wrong calls have the highest score, 1."


@dataclass(frozen=True)
class Reliability:
    """How far scores can be believed as probabilities, each tried on other conversations than it was fitted to."""

    name: str
    brier: float | None
    error: float | None
    """ECE."""


@dataclass(frozen=True)
class Quota:
    """What so many reviews would catch, given to the least sure calls first."""

    reviews: int
    caught: float
    """Wrong calls; of equal scores by their share."""
    wrong: int


@dataclass(frozen=True)
class Lesson:
    """What the labels say of one detector's scores."""

    detector: str
    count: int
    represented: int
    """Calls for which the labelled ones stand: an audit of one in N for N."""
    audited: int
    """Of the labelled calls those that passed and were drawn for audit."""
    present: TradeOff
    """The threshold in force."""
    trade_offs: Sequence[TradeOff]
    reliability: Sequence[Reliability]
    quotas: Sequence[Quota]


def learn_from_labels(workspace: Workspace, detector: str) -> Lesson:
    """What the latest labels teach. Raises `TooFewLabelsError`."""
    profile = access.current_profile(workspace)
    rows = require_labelled_scores(profile, detector)
    scores, weights = scores_of(rows), [row.weight for row in rows]
    wrong = round(sum(row.weight for row in rows if not row.aligned))
    represented = round(sum(weights))
    reviews = [round(share * represented) for share in QUOTAS]
    return Lesson(
        detector=detector,
        count=len(rows),
        represented=represented,
        audited=sum(row.is_audit for row in rows),
        present=trade_off_at(scores, detector_options(profile, detector).threshold, weights),
        trade_offs=list_trade_offs(scores, weights),
        reliability=_measure_reliability(scores, [row.trace for row in rows], weights),
        quotas=[Quota(count, expect_catches(scores, count, weights), wrong) for count in reviews],
    )


def _measure_reliability(
    scores: Sequence[Scored], conversations: Sequence[object], weights: Sequence[float]
) -> list[Reliability]:
    tried = {"as they are": scores} | {
        str(method): calibrate_across(scores, conversations, method, weights) for method in Method
    }
    return [
        Reliability(name, measure_brier(rows, weights), calibration_error(rows, weights))
        for name, rows in tried.items()
        if rows
    ]


def store_goal(membership: Membership, detector: str, max_missed: float) -> tuple[TradeOff, GuardProfile]:
    """Put the threshold in force that misses no more than this share at the lowest load, as a version of the profile.

    Raises `ForbiddenError`, `TooFewLabelsError`, and `InvalidProfileError` where no label shows a wrong call, or no
    threshold misses so few.
    """
    access.require(membership, access.Permission.ADMINISTER)
    profile = access.current_profile(membership.workspace)
    rows = require_labelled_scores(profile, detector)
    point = find_lowest_load(scores_of(rows), max_missed, [row.weight for row in rows])
    if point is None:
        is_any_wrong = not all(row.aligned for row in rows)
        raise InvalidProfileError(FieldProblem("/thresholds", _OUT_OF_REACH if is_any_wrong else _NOTHING_WRONG))
    thresholds = profile.thresholds | {detector: point.threshold}
    # Based on what was read: a change that somebody else makes meanwhile is not overwritten.
    return point, versions.new_version(membership=membership, based_on=profile.version, thresholds=thresholds)
