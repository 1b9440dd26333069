"""Scores made into probabilities by what people found, on calls of other conversations than it was learned from."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from reviews.evaluation.measures.thresholds import Scored

# As scikit-learn's own calibration has; fewer where there are fewer conversations.
FOLDS: Final = 5
# Nearly none: Platt's two parameters cannot fit noise, and a penalty would pull every probability to the middle.
_INVERSE_PENALTY: Final = 1e6


class Method(StrEnum):
    """How a score becomes a probability."""

    ISOTONIC = "isotonic"
    """Any rising steps (Zadrozny and Elkan 2002)."""
    PLATT = "platt"
    """A logistic curve (Platt 1999)."""


def calibrate_across(scores: Sequence[Scored], conversations: Sequence[object], method: Method) -> list[Scored] | None:
    """Each score as the probability that a map fitted on the other conversations gives it.

    None where the conversations are too few: every map needs calls that were right and calls that were wrong.
    """
    # Here and not above: scikit-learn takes a second to import, which no server needs at its start.
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    names = list(dict.fromkeys(conversations))
    if len(names) < 2:  # noqa: PLR2004 - one to learn from, one to try it on
        return None
    values = np.array([score for score, _ in scores])
    right = np.array([is_right for _, is_right in scores])
    groups = np.array([names.index(name) for name in conversations])
    calibrated = np.empty(len(values))
    for learned, tried in GroupKFold(min(FOLDS, len(names))).split(values, right, groups):
        if right[learned].all() or not right[learned].any():
            return None
        calibrated[tried] = _fit_and_apply(method, values[learned], right[learned], values[tried])
    return [(float(score), bool(is_right)) for score, is_right in zip(calibrated, right, strict=True)]


def _fit_and_apply(
    method: Method, values: NDArray[Any], right: NDArray[Any], tried: NDArray[Any]
) -> NDArray[np.float64]:
    from sklearn.isotonic import IsotonicRegression  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    probabilities: NDArray[np.float64]
    if method is Method.ISOTONIC:
        steps = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(values, right)
        probabilities = steps.predict(tried)
    else:
        curve = LogisticRegression(C=_INVERSE_PENALTY).fit(values.reshape(-1, 1), right)
        probabilities = curve.predict_proba(tried.reshape(-1, 1))[:, 1]
    return probabilities
