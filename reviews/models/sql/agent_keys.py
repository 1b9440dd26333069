"""Statements on `reviews_agentkey`: whose turn it is."""

from functools import cache

from reviews.models.checks import CheckMode
from reviews.models.sql.checks import DUE_CHECK, DUE_PLAN, STOPPED

_EXAMINATIONS = ("reviews_check", "reviews_plan")


@cache
def select_by_turn(mode: CheckMode, *, idle: bool) -> str:
    """Read the keys for which checks of this mode are due, those never served first, then by when they last were.

    With enforced checks, plans count too; with each key, whether a plan is due, whether it is suspected to end its
    process, and how many of its checks were stopped of late. `idle`: only those with nothing running.
    """
    # Nobody waits for a shadow, so that plans come with enforced checks.
    plans = DUE_PLAN.replace("WHERE", "WHERE n.agent_key_id = k.id AND") if mode == CheckMode.ENFORCED else "false"
    checks = DUE_CHECK.replace("WHERE", f"WHERE n.mode = '{mode}' AND n.agent_key_id = k.id AND")
    running = [
        f"EXISTS (SELECT FROM {table} WHERE agent_key_id = k.id AND status = 'running' AND leased_until > %(now)s)"
        for table in _EXAMINATIONS
    ]
    last = [
        f"(SELECT max(started_at) FROM {table} WHERE agent_key_id = k.id AND started_at IS NOT NULL)"  # noqa: S608 - as below
        for table in _EXAMINATIONS
    ]
    return f"""
        SELECT k.id, {plans}, {" OR ".join(map(_suspected, _EXAMINATIONS))},
            (SELECT count(*) FROM reviews_check AS c WHERE {STOPPED} AND c.agent_key_id = k.id)
        FROM reviews_agentkey AS k
        WHERE ({plans} OR {checks}) {f"AND NOT ({' OR '.join(running)})" if idle else ""}
        ORDER BY greatest({", ".join(last)}) NULLS FIRST, k.id
    """  # noqa: S608 - put together of constants


def _suspected(table: str) -> str:
    """Whether an examination of the key `k` may end its process: one is at it, or ended one of late."""
    return f"""
        EXISTS (SELECT FROM {table} WHERE agent_key_id = k.id AND status <> 'done' AND status = 'running'
            AND (leased_until <= %(now)s OR NOT beside_others AND started_at < %(long_ago)s))
        OR EXISTS (SELECT FROM {table} WHERE killed > 0 AND finished_at > %(lately)s AND agent_key_id = k.id)
    """  # noqa: S608 - put together of constants
