"""Scores made into probabilities by what people found, on calls of other conversations than it was learned from."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from reviews.evaluation.measures.calibration_map import MAX_KNOTS, CalibrationMap, Method
from reviews.evaluation.measures.thresholds import Scored, Weights

# As scikit-learn's own calibration has; fewer where there are fewer conversations.
FOLDS: Final = 5
# Nearly none: Platt's two parameters cannot fit noise, and a penalty would pull every probability to the middle.
_INVERSE_PENALTY: Final = 1e6


def fit_map(scores: Sequence[Scored], method: Method, weights: Weights = None) -> CalibrationMap | None:
    """The map that fits all of these; None where calls of only one kind teach nothing."""
    values = np.array([score for score, _ in scores])
    right = np.array([is_right for _, is_right in scores])
    return _fit_map(method, values, right, _array_of(weights, values)) if right.any() and not right.all() else None


def calibrate_across(
    scores: Sequence[Scored], conversations: Sequence[object], method: Method, weights: Weights = None
) -> list[Scored] | None:
    """Each score as the probability that a map fitted on the other conversations gives it.

    None where the conversations are too few: every map needs calls that were right and calls that were wrong.
    """
    # Here and not above: scikit-learn takes a second to import, which no server needs at its start.
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    numbers = {name: number for number, name in enumerate(dict.fromkeys(conversations))}
    if len(numbers) < 2:  # noqa: PLR2004 - one to learn from, one to try it on
        return None
    values = np.array([score for score, _ in scores])
    right = np.array([is_right for _, is_right in scores])
    groups = np.array([numbers[name] for name in conversations])
    calibrated, weighed = np.empty(len(values)), _array_of(weights, values)
    for learned, tried in GroupKFold(min(FOLDS, len(numbers))).split(values, right, groups):
        if right[learned].all() or not right[learned].any():
            return None
        fitted = _fit_map(method, values[learned], right[learned], weighed[learned])
        calibrated[tried] = [fitted.apply(score) for score in values[tried]]
    return [(float(score), bool(is_right)) for score, is_right in zip(calibrated, right, strict=True)]


def _array_of(weights: Weights, values: NDArray[Any]) -> NDArray[Any]:
    return np.ones(len(values)) if weights is None else np.array(weights, np.float64)


def _fit_map(method: Method, values: NDArray[Any], right: NDArray[Any], weights: NDArray[Any]) -> CalibrationMap:
    from sklearn.isotonic import IsotonicRegression  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    if method is Method.PLATT:
        curve = LogisticRegression(C=_INVERSE_PENALTY).fit(values.reshape(-1, 1), right, weights)
        return CalibrationMap(method, slope=float(curve.coef_[0, 0]), intercept=float(curve.intercept_[0]))
    steps = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(values, right, weights)
    knots = list(zip(steps.X_thresholds_.tolist(), steps.y_thresholds_.tolist(), strict=True))
    # First and last are among them, so that both ends stay where they are.
    places = np.linspace(0, len(knots) - 1, min(len(knots), MAX_KNOTS)).round().astype(int)
    return CalibrationMap(method, tuple(knots[place] for place in places))
