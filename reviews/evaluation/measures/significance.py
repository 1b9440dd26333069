"""Whether one detector's advantage over another may be chance (ProvenanceGuard paper, section 5).

A difference is one case's: the other detector's mistakes less one's own, as the mean over the runs of that case.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

K = TypeVar("K", bound=Hashable)

# The standard error of a p near 0.05 is then 0.002: the first two decimals hold.
FLIPS: Final = 10_000
# Fixed, so that the same figures give the same answer.
_SEED: Final = 0
# Sums of the same numbers in another order differ in the last digits of a float.
_TOLERANCE: Final = 1e-9
# Behind them two means of the same counts may differ; thousands of such errors stay far below a mean's own steps.
_DIGITS: Final = 12
# Draws made at once: some megabytes for hundreds of cases.
_CHUNK: Final = 1_000


def permutation_p_value(differences: Sequence[float], *, flips: int = FLIPS) -> float:
    """The one-sided paired permutation test's p: how often random signs make the sum at least as great as it is.

    Exact where all signs are fewer than `flips`; otherwise that many are drawn, the same for the same differences.
    """
    observed = math.fsum(differences) - _TOLERANCE
    # A case in which both are alike adds nothing to any sum, and time to each.
    sizes = np.abs(np.asarray([difference for difference in differences if difference], dtype=np.float64))
    if 2 ** len(sizes) <= flips:
        return float(np.mean(_signed_sums(sizes, _all_signs(len(sizes))) >= observed))
    # How many of n differences of one size get a plus is binomial: means over a few runs have few sizes.
    sizes, counts = np.unique(sizes.round(_DIGITS), return_counts=True)
    dice = np.random.default_rng(_SEED)
    at_least = 0
    for begun in range(0, flips, _CHUNK):
        pluses = dice.binomial(counts, 1 / 2, size=(min(_CHUNK, flips - begun), len(sizes)))
        at_least += int(np.count_nonzero((2 * pluses - counts) @ sizes >= observed))
    # The observed signs count among the draws, so that p is never 0.
    return (1 + at_least) / (1 + flips)


def _signed_sums(sizes: NDArray[np.float64], signs: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The sum under each row of signs, where 1 is plus and 0 minus."""
    sums: NDArray[np.float64] = 2 * (signs @ sizes) - sizes.sum()
    return sums


def _all_signs(count: int) -> NDArray[np.uint8]:
    numbers = np.arange(2**count)[:, np.newaxis]
    return (numbers >> np.arange(count) & 1).astype(np.uint8)


def mcnemar_p_value(only_first: int, only_second: int) -> float:
    """McNemar's exact two-sided p that two detectors make as many mistakes (McNemar 1947), of a single run.

    Takes the cases in which only the one and only the other was wrong.
    """
    # Here and not above: scipy takes a second to import, which no server needs to spend at its start.
    from scipy.stats import binomtest  # noqa: PLC0415

    discordant = only_first + only_second
    return float(binomtest(only_first, discordant).pvalue) if discordant else 1.0


def too_few_p_value(count: int, total: int, share: float) -> float:
    """The exact one-sided binomial p that so few of so many are had by chance where this share or more is to be had."""
    from scipy.stats import binomtest  # noqa: PLC0415 - as above

    return float(binomtest(count, total, share, alternative="less").pvalue) if total else 1.0


def adjust_by_holm(p_values: Mapping[K, float]) -> dict[K, float]:
    """The p of many comparisons made together, so that one in twenty families errs at 0.05 and no more (Holm 1979)."""
    adjusted: dict[K, float] = {}
    greatest = 0.0
    ascending = sorted(p_values, key=p_values.__getitem__)
    for rank, key in enumerate(ascending):
        # Never below a smaller p's: the order of the comparisons must stay.
        greatest = max(greatest, min(1.0, (len(ascending) - rank) * p_values[key]))
        adjusted[key] = greatest
    return adjusted
