"""How the CPU time of some work grows with the size of what it works on."""

import gc
import math
import time
from collections.abc import Callable
from typing import Any, Final

TWICE: Final = 2.3
"""CPU time of twice the size, as a multiple: linear work with the noise of a shared machine."""
# Pairs of runs, one beside the other, so that a busy machine slows both; the least disturbed pair counts. What grows
# faster does so in each of them.
_RUNS: Final = 12


def growth(make: Callable[[int], Any], work: Callable[[Any], object], size: int) -> float:
    """CPU time of the doubled size by that of the size, of the least disturbed pair of runs."""
    small, large = make(size), make(2 * size)
    work(small)
    least = math.inf
    for _ in range(_RUNS):
        least = min(least, _cpu(work, large) / _cpu(work, small))
        if least <= TWICE:
            break
    return least


def _cpu(work: Callable[[Any], object], subject: Any) -> float:
    # A full collection looks at every object there is, which is not the work's doing.
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        work(subject)
        return time.process_time() - start
    finally:
        gc.enable()
