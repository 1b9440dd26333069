"""Whether one detector's advantage over another may be chance (ProvenanceGuard paper, section 5)."""

import random
from collections.abc import Sequence
from typing import Final

FLIPS: Final = 10_000
_SEED: Final = 0
"""The same answer for the same figures."""


def one_sided(differences: Sequence[float], *, flips: int = FLIPS) -> float:
    """The paired permutation test's p: how often random signs make the sum at least as great as it is.

    Each difference is one case's: the other's mean mistakes less one's own. The observed signs count among the draws,
    so that p is never 0.
    """
    dice, observed = random.Random(_SEED), sum(differences)  # noqa: S311  # a test, not a secret
    weighed = [abs(each) for each in differences if each]
    drawn = (
        sum(sign * each for sign, each in zip(dice.choices((1, -1), k=len(weighed)), weighed, strict=True))
        for _ in range(flips)
    )
    return (1 + sum(total >= observed - 1e-9 for total in drawn)) / (1 + flips)
