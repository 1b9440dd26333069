"""Which database errors pass by themselves, and how a use case is run again after one that does."""

import functools
import logging
import random
import time
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

from django.db import DatabaseError, InterfaceError, OperationalError, connection

P = ParamSpec("P")
R = TypeVar("R")

# Deadlock detected, and a snapshot that is too old to be written over: PostgreSQL has taken the transaction back, and
# the same work is expected to succeed when it is done again.
_CONFLICTS: Final = frozenset({"40P01", "40001"})
# Connection trouble, no resources left (connections, memory, disk), and a server that starts or stops. An error
# without a code comes from the client: no connection could be had, or it broke.
_AWAY: Final = ("08", "53", "57P")
ATTEMPTS: Final = 6
"""Of one use case. Locks are taken in one order, so even a second attempt is rare."""
# Above the few milliseconds for which a use case holds its locks; doubled each time, 0.6 s in all at most.
FIRST_PAUSE_SECONDS: Final = 0.02

_log = logging.getLogger(__name__)


def retry_on_conflict(use_case: Callable[P, R]) -> Callable[P, R]:
    """The use case, done again as a whole when it collides with another; the last collision is raised.

    It must hold its transactions itself, and leave nothing behind when it fails but what they take back. Inside
    somebody else's transaction it is not repeated: that one has to be, because the collision has ended it.
    """

    @functools.wraps(use_case)
    def repeated(*args: P.args, **kwargs: P.kwargs) -> R:
        for attempt in range(1, ATTEMPTS):
            try:
                return use_case(*args, **kwargs)
            except OperationalError as error:
                if connection.in_atomic_block or not is_conflict(error):
                    raise
                _log.info("%s collided with another transaction, attempt %d", use_case.__qualname__, attempt)
                # Jitter: two that collided and wait equally long would collide again.
                time.sleep(FIRST_PAUSE_SECONDS * 2 ** (attempt - 1) * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
        return use_case(*args, **kwargs)

    return repeated


def is_conflict(error: DatabaseError) -> bool:
    """Whether two transactions collided, so that the same work may succeed at once."""
    return _sqlstate(error) in _CONFLICTS


def is_away(error: BaseException) -> bool:
    """Whether the database cannot be reached, or has no room for the connection."""
    if isinstance(error, OperationalError):
        code = _sqlstate(error)
        return code is None or code.startswith(_AWAY)
    return isinstance(error, InterfaceError)


def _sqlstate(error: DatabaseError) -> str | None:
    """The SQLSTATE that the server gave; None when the error is the client's own."""
    code: str | None = getattr(error.__cause__, "sqlstate", None)
    return code
