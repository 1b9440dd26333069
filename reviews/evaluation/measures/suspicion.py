"""How likely a call is wrong by what detectors found of it: a logistic model that a person can read, as it is kept.

How it is learned is `suspicion_learning`, which needs what computes.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

# As many findings as a page lists.
MAX_FEATURES: Final = 100
# Characters of a feature: detector, rule and what became of it.
MAX_FEATURE_LENGTH: Final = 160
# Beyond that a probability is 0 or 1 to all digits, and the power would overflow.
_MAX_LOG_ODDS: Final = 700.0


@dataclass(frozen=True)
class SuspicionModel:
    """Log odds that add up: one weight for each finding that stands there."""

    intercept: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)
    """By feature: above 0 speaks for a wrong call, below 0 for a right one."""

    def estimate(self, features: Collection[str]) -> float:
        """The probability, 0 to 1, that a call with these findings is wrong."""
        log_odds = self.intercept + sum(self.weights.get(feature, 0.0) for feature in set(features))
        return 1 / (1 + math.exp(-min(max(log_odds, -_MAX_LOG_ODDS), _MAX_LOG_ODDS)))

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """A model as a profile keeps it. Raises `ValueError` for what is none."""
        try:
            model = cls(float(stored["intercept"]), {str(name): float(w) for name, w in stored["weights"].items()})
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"This is no model of findings: {error!r}") from error
        is_finite = all(map(math.isfinite, (model.intercept, *model.weights.values())))
        is_short = len(model.weights) <= MAX_FEATURES and all(len(name) <= MAX_FEATURE_LENGTH for name in model.weights)
        if not (is_finite and is_short):
            raise ValueError("This model has weights that are no numbers, or too many of them.")
        return model


def name_feature(detector: str, rule: str, holds: bool | None) -> str:
    """A finding as a feature: who found it, by what, and what became of it."""
    outcome = {True: "holds", False: "fails", None: "is open"}[holds]
    return f"{detector}: {rule} {outcome}"[:MAX_FEATURE_LENGTH]
