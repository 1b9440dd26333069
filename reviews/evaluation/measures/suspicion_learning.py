"""Learn which findings tell wrong calls from right ones, and how well they do on conversations not learned from."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reviews.evaluation.measures.suspicion import MAX_FEATURES, SuspicionModel

FOLDS: Final = 5
# A finding that fewer calls have is chance.
_MIN_CALLS: Final = 3
# As often as intervals are drawn elsewhere here; 95 % of them lie between the two ends.
_RESAMPLES: Final = 1_000
_ENDS: Final = (2.5, 97.5)


class LabelledFindings(NamedTuple):
    """One call that a person has judged."""

    features: Collection[str]
    is_wrong: bool
    conversation: object
    weight: float = 1.0
    """For how many calls it stands."""


@dataclass(frozen=True)
class LearnedSuspicion:
    """A model with how well it ranks calls of other conversations."""

    model: SuspicionModel
    calls: int
    wrong: int
    auc: float | None
    """The chance that a wrong call ranks above a right one, cross-validated; None where it could not be tried."""
    interval: tuple[float, float] | None
    """95 %, by resampling conversations."""


def learn_suspicion(calls: Sequence[LabelledFindings]) -> LearnedSuspicion | None:
    """The model that fits these calls; None where all are right, all are wrong, or nothing was found of them."""
    wrong = np.array([call.is_wrong for call in calls], np.bool_)
    weights = np.array([call.weight for call in calls], np.float64)
    names = _common_features(calls)
    if not names or wrong.all() or not wrong.any():
        return None
    table = _make_table(calls, names)
    fitted = _fit(table, wrong, weights)
    coefficients = dict(zip(names, map(float, fitted.coef_[0]), strict=True))
    auc, interval = _try_across(table, wrong, weights, [call.conversation for call in calls])
    model = SuspicionModel(float(fitted.intercept_[0]), coefficients)
    return LearnedSuspicion(model, len(calls), int(wrong.sum()), auc, interval)


def _common_features(calls: Sequence[LabelledFindings]) -> list[str]:
    counts = Counter(feature for call in calls for feature in set(call.features))
    # What every call has tells nothing.
    telling = [(count, name) for name, count in counts.items() if _MIN_CALLS <= count < len(calls)]
    return [name for _, name in sorted(telling, key=lambda pair: (-pair[0], pair[1]))[:MAX_FEATURES]]


def _make_table(calls: Sequence[LabelledFindings], names: Sequence[str]) -> NDArray[np.float64]:
    columns = {name: column for column, name in enumerate(names)}
    table = np.zeros((len(calls), len(names)))
    for row, call in enumerate(calls):
        for feature in call.features:
            if feature in columns:
                table[row, columns[feature]] = 1
    return table


def _fit(table: NDArray[np.float64], wrong: NDArray[np.bool_], weights: NDArray[np.float64]) -> Any:
    # Here and not above: scikit-learn takes a second to import.
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    # Its usual penalty: a finding that few calls have moves little.
    return LogisticRegression(max_iter=1_000).fit(table, wrong, weights)


def _try_across(
    table: NDArray[np.float64],
    wrong: NDArray[np.bool_],
    weights: NDArray[np.float64],
    conversations: Sequence[object],
) -> tuple[float | None, tuple[float, float] | None]:
    """AUC of what models say of conversations they have not seen, with its interval."""
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    numbers = {name: number for number, name in enumerate(dict.fromkeys(conversations))}
    if len(numbers) < FOLDS:
        return None, None
    groups = np.array([numbers[name] for name in conversations])
    estimates = np.empty(len(wrong))
    for learned, tried in GroupKFold(FOLDS).split(table, wrong, groups):
        if wrong[learned].all() or not wrong[learned].any():
            return None, None
        fitted = _fit(table[learned], wrong[learned], weights[learned])
        estimates[tried] = fitted.predict_proba(table[tried])[:, 1]
    return _area(estimates, wrong, weights), _resample_area(estimates, wrong, weights, groups)


def _area(
    estimates: NDArray[np.float64], wrong: NDArray[np.bool_], weights: NDArray[np.float64] | None = None
) -> float:
    """AUC as Mann and Whitney count it, ties half; each call as often as it weighs."""
    weight = np.ones(len(estimates)) if weights is None else weights
    _, level = np.unique(estimates, return_inverse=True)
    above = np.bincount(level, weights=weight * wrong)
    below = np.bincount(level, weights=weight * ~wrong)
    outranked = np.cumsum(below) - below / 2
    return float((above * outranked).sum() / (above.sum() * below.sum()))


def _resample_area(
    estimates: NDArray[np.float64],
    wrong: NDArray[np.bool_],
    weights: NDArray[np.float64],
    groups: NDArray[np.int64],
) -> tuple[float, float] | None:
    """The interval over conversations drawn anew: calls of one conversation are no evidence of their own."""
    chance, count = np.random.default_rng(0), int(groups.max()) + 1
    areas = []
    for _ in range(_RESAMPLES):
        times = np.bincount(chance.integers(count, size=count), minlength=count)[groups]
        if times[wrong].any() and times[~wrong].any():
            areas.append(_area(estimates, wrong, weights * times))
    if not areas:
        return None
    low, high = np.percentile(areas, _ENDS)
    return float(low), float(high)
