"""What makes a score a probability, as it is kept. `calibration_learning` learns it, and needs what computes."""

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Self

# Twice as many as percents: nobody reads a finer probability, and a profile stays small.
MAX_KNOTS: Final = 200
# Digits of a stored number behind its point.
_DIGITS: Final = 6


class Method(StrEnum):
    """How a score becomes a probability."""

    ISOTONIC = "isotonic"
    """Any rising steps (Zadrozny and Elkan 2002)."""
    PLATT = "platt"
    """A logistic curve (Platt 1999)."""


@dataclass(frozen=True)
class CalibrationMap:
    """What makes a score the probability that the call is right."""

    method: Method
    knots: tuple[tuple[float, float], ...] = ()
    """Of isotonic: scores with their probabilities, both rising; between two of them the line that joins them."""
    slope: float = 0.0
    intercept: float = 0.0
    """Of Platt: of the log odds over the score."""

    def apply(self, score: float) -> float:
        """The probability, 0 to 1."""
        if self.method is Method.PLATT:
            # Beyond that it is 0 or 1 to all digits, and the power would overflow.
            return 1 / (1 + math.exp(min(max(-(self.slope * score + self.intercept), -700.0), 700.0)))
        at = bisect_right(self.knots, score, key=lambda knot: knot[0])
        if at in (0, len(self.knots)):
            return self.knots[0][1] if at == 0 else self.knots[-1][1]
        (lower, low), (upper, high) = self.knots[at - 1 : at + 1]
        return low + (high - low) * (score - lower) / (upper - lower)

    @property
    def stored(self) -> dict[str, Any]:
        """As JSON."""
        if self.method is Method.PLATT:
            return {"method": str(self.method), "slope": self.slope, "intercept": self.intercept}
        # Scores that are the same to so many digits are one.
        knots = {round(score, _DIGITS): round(probability, _DIGITS) for score, probability in self.knots}
        return {"method": str(self.method), "knots": [list(knot) for knot in knots.items()]}

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """The inverse of `stored`. Raises `ValueError` for what is no map."""
        try:
            method = Method(stored["method"])
            if method is Method.PLATT:
                fitted = cls(method, slope=float(stored["slope"]), intercept=float(stored["intercept"]))
            else:
                fitted = cls(method, tuple((float(score), float(share)) for score, share in stored["knots"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"This is no map of scores: {error!r}") from error
        if not fitted._is_sound:
            raise ValueError("This map does not rise from one probability to another.")
        return fitted

    @property
    def _is_sound(self) -> bool:
        if self.method is Method.PLATT:
            return math.isfinite(self.slope) and math.isfinite(self.intercept)
        scores, shares = [knot[0] for knot in self.knots], [knot[1] for knot in self.knots]
        is_rising = all(map(math.isfinite, scores)) and scores == sorted(set(scores)) and shares == sorted(shares)
        return 0 < len(scores) <= MAX_KNOTS and is_rising and 0 <= shares[0] <= shares[-1] <= 1
