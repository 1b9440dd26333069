"""Between which values a measure lies, by what came out when cases were drawn anew."""

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Interval: TypeAlias = tuple[float, float] | None

SEED: Final = 20_260_101
"""Any number: it makes the same cases give the same interval."""
# Of a 95 % interval.
_PERCENTILES: Final = (2.5, 97.5)
# An interval of fewer defined draws would be one of the few that happened to have two kinds of cases.
_MIN_DEFINED: Final = 0.5
# Sums of the same numbers in another order differ in the last digits of a float.
_TOLERANCE: Final = 1e-9


def percentile_interval(draws: Floats) -> Interval:
    """The 95 % percentile interval of a measure over draws; not a number is a draw without one.

    None where most draws have none, or all have the same: as of cases that are all alike, be they two, no draw of which
    tells how far another case may be off.
    """
    defined = draws[~np.isnan(draws)]
    if len(defined) < _MIN_DEFINED * len(draws) or np.ptp(defined) < _TOLERANCE:
        return None
    low, high = np.percentile(defined, _PERCENTILES)
    return float(low), float(high)
