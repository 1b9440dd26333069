"""A moment is handed on, not a duration: what is tried again must not have all of the time again."""

from __future__ import annotations

import math
import time

# By how much a wait may outlast its time-out, so that an answer that is on its way still arrives.
GRACE_SECONDS = 0.5


def deadline_after(timeout: float | None) -> float:
    """The moment, by the monotonic clock, at which so many seconds are over; infinite for None."""
    return math.inf if timeout is None else time.monotonic() + timeout


def rest_of(deadline: float) -> float | None:
    """What is left until then, nothing at least; None for an infinite one."""
    return None if deadline == math.inf else max(deadline - time.monotonic(), 0.0)


def seconds_left(deadline: float) -> float | None:
    """What is left until then for a request, and so much at least that an answer can arrive; None for an infinite one.

    An approval that comes with the deadline is then still carried out, where the guard answers.
    """
    rest = rest_of(deadline)
    return None if rest is None else max(rest, GRACE_SECONDS)
