"""Whether one detector's advantage over another may be chance (ProvenanceGuard paper, section 5)."""

import random
from collections.abc import Sequence
from typing import Final

# The standard error of a p near 0.05 is then 0.002: the first two decimals hold.
FLIPS: Final = 10_000
# Fixed, so that the same figures give the same answer.
_SEED: Final = 0
# Sums of the same numbers in another order differ in the last digits of a float.
_TOLERANCE: Final = 1e-9


def one_sided(differences: Sequence[float], *, flips: int = FLIPS) -> float:
    """The paired permutation test's p: how often random signs make the sum at least as great as it is.

    Each difference is one case's: the other's mean mistakes less one's own.
    """
    dice, observed = random.Random(_SEED), sum(differences)  # noqa: S311  # a test, not a secret
    # A case in which both are alike adds nothing to any sum, and time to each.
    sizes = [abs(difference) for difference in differences if difference]
    at_least = 0
    for _ in range(flips):
        signs = dice.choices((1, -1), k=len(sizes))
        total = sum(sign * size for sign, size in zip(signs, sizes, strict=True))
        at_least += total >= observed - _TOLERANCE
    # The observed signs count among the draws, so that p is never 0.
    return (1 + at_least) / (1 + flips)
