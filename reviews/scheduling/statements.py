"""What a check costs the database in the usual case, by SQL of our own (`models.pipeline`).

The ORM's way to the same rows remains for what is rare: a check that was tried before.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from reviews.models import Action, Check, CheckMode, GuardProfile, Text, ToolSet, Trace, pipeline
from reviews.scheduling import quarantine
from reviews.scheduling.process_sharing import Sharing


def take_new(agent_key: UUID, lease: UUID, now: datetime, lease_end: datetime, sharing: Sharing) -> Check | None:
    """Take the agent's oldest enforced check that nobody has begun, with all that its detector reads; None without one.

    The lease lasts until `lease_end`, and no longer than the profile gives a check.
    """
    beside_others = (sharing == Sharing.ACTIVE, sharing == Sharing.AFTER_FIRST_WAIT)
    cursor = pipeline.execute(_taking(), (lease, lease_end, now, now, *beside_others, agent_key))
    row = cursor.fetchone()
    if row is None:
        return None
    # The first column only made the commit a light one.
    values = iter(row[1:])
    check, action = pipeline.taken_from(values, Check), pipeline.taken_from(values, Action)
    action.profile = pipeline.taken_from(values, GuardProfile)
    action.trace = pipeline.taken_from(values, Trace)
    action.trace.query = pipeline.taken_from(values, Text)
    action.tool_set = pipeline.taken_from(values, ToolSet)
    check.action = action
    return check


@dataclass(frozen=True)
class Locked:
    """An action that is locked until the transaction ends."""

    _action: Cursor[Any]
    _checks: Cursor[Any]

    def read(self) -> tuple[Any, list[Check]]:
        """Its status and expiry, and its enforced checks; once, behind the batch."""
        return self._action.fetchone(), [pipeline.taken_from(iter(row), Check) for row in self._checks.fetchall()]


def lock_with_checks(action_id: UUID) -> Locked:
    """Lock the action; belongs into a batch."""
    action = pipeline.execute(
        "SELECT status, expires_at FROM reviews_action WHERE id = %s FOR NO KEY UPDATE", (action_id,)
    )
    # Behind the lock, so that whichever check ends last sees the ends of all others.
    return Locked(action, pipeline.execute(_checks(), (action_id,)))


def in_turn(
    now: datetime, mode: CheckMode, *, idle: bool, suspected: "Suspected"
) -> list[tuple[UUID, bool, bool, bool]]:
    """The agent keys for which checks of this mode are due, those never served first, then by when they last were.

    With enforced checks, plans count too; with each key, whether one is due, whether it is suspected, and whether so
    many of its checks had to be stopped that some calls are in quarantine. `idle`: only those with nothing running.
    """
    sql = _in_turn(mode, suspected, idle=idle)
    return pipeline.execute(sql, (now,) * sql.count("%s")).fetchall()


def anything_is_due(now: datetime) -> bool:
    """Whether a check or plan is due that nobody has taken."""
    sql = f"SELECT {_DUE_PLAN} OR {_DUE_CHECK}"
    (due,) = pipeline.execute(sql, (now,) * sql.count("%s")).fetchone() or (False,)
    return bool(due)


def is_over(check_id: UUID) -> bool:
    """Whether nobody has to look at this check again: its action is settled, or it ran in shadow and is done."""
    return pipeline.execute(_WANTED, (check_id,)).fetchone() is None


# As `leases.due` says it. Done ones are excluded in so many words, because that is the condition of the indexes.
_DUE: Final = """n.status <> 'done' AND (n.status = 'queued' OR n.status = 'running' AND n.leased_until <= %s)
    AND (n.not_before IS NULL OR n.not_before <= %s)"""
_DUE_PLAN: Final = f"EXISTS (SELECT FROM reviews_plan AS n WHERE {_DUE})"
_DUE_CHECK: Final = f"""EXISTS (SELECT FROM reviews_check AS n JOIN reviews_action AS w ON w.id = n.action_id
    WHERE {_DUE} AND (n.mode = 'shadow' OR w.status = 'checking'))"""
_WANTED: Final = """
    SELECT FROM reviews_check AS c JOIN reviews_action AS a ON a.id = c.action_id
    WHERE c.id = %s AND CASE WHEN c.mode = 'shadow' THEN c.status <> 'done' ELSE a.status = 'checking' END
"""


@dataclass(frozen=True)
class Suspected:
    """Of which agents a check may end its process: one is at it, or ended one."""

    long: timedelta
    """What a check by itself takes at least to be at it."""
    lately: timedelta
    """How long an ended process is remembered."""

    def sql(self, table: str) -> str:
        """The condition on the key `k`, with the present moment at each place."""
        long, lately = (f"%s - interval '{length.total_seconds()} seconds'" for length in (self.long, self.lately))
        return f"""
            EXISTS (SELECT FROM {table} WHERE agent_key_id = k.id AND status <> 'done' AND status = 'running'
                AND (leased_until <= %s OR NOT beside_others AND started_at < {long}))
            OR EXISTS (SELECT FROM {table} WHERE killed > 0 AND finished_at > {lately} AND agent_key_id = k.id)
        """  # noqa: S608 - put together of constants


@cache
def _in_turn(mode: CheckMode, suspected: Suspected, *, idle: bool) -> str:
    # Nobody waits for a shadow, so that plans come with enforced checks.
    plans = _DUE_PLAN.replace("WHERE", "WHERE n.agent_key_id = k.id AND") if mode == CheckMode.ENFORCED else "false"
    checks = _DUE_CHECK.replace("WHERE", f"WHERE n.mode = '{mode}' AND n.agent_key_id = k.id AND")
    running = [
        f"EXISTS (SELECT FROM {table} WHERE agent_key_id = k.id AND status = 'running' AND leased_until > %s)"
        for table in ("reviews_check", "reviews_plan")
    ]
    last = [
        f"(SELECT max(started_at) FROM {table} WHERE agent_key_id = k.id AND started_at IS NOT NULL)"  # noqa: S608 - as below
        for table in ("reviews_check", "reviews_plan")
    ]
    return f"""
        SELECT k.id, {plans}, {suspected.sql("reviews_check")} OR {suspected.sql("reviews_plan")},
            (SELECT count(*) FROM reviews_check AS c WHERE {quarantine.STOPPED} AND c.agent_key_id = k.id)
                >= {quarantine.MAX_STOPPED}
        FROM reviews_agentkey AS k
        WHERE ({plans} OR {checks}) {f"AND NOT ({' OR '.join(running)})" if idle else ""}
        ORDER BY greatest({", ".join(last)}) NULLS FIRST, k.id
    """  # noqa: S608 - put together of constants


@cache
def _checks() -> str:
    return f"""
        SELECT {pipeline.columns(Check, "c")} FROM reviews_check AS c
        WHERE c.action_id = %s AND c.mode = 'enforced' ORDER BY c.created_at, c.id
    """  # noqa: S608 - put together of the models' own names


@cache
def _taking() -> str:
    # Not waited for on the disk, which the setting says for this transaction: a database that crashes forgets the
    # lease, and the check is taken anew. The condition on `done` is the one of the index.
    tables = {"c": Check, "a": Action, "p": GuardProfile, "t": Trace, "q": Text, "s": ToolSet}
    return f"""
        UPDATE reviews_check AS c SET status = 'running', attempts = c.attempts + 1, lease = %s,
            leased_until = least(%s, %s + make_interval(
                secs => CASE WHEN p.judge = 'rules' THEN p.check_seconds ELSE p.check_seconds_judge END)),
            started_at = %s, beside_others = %s OR %s AND p.judge <> 'rules'
        FROM reviews_action AS a
            JOIN reviews_guardprofile AS p ON p.id = a.profile_id
            JOIN reviews_trace AS t ON t.id = a.trace_id
            JOIN reviews_text AS q ON q.id = t.query_id
            JOIN reviews_toolset AS s ON s.id = a.tool_set_id
        WHERE a.id = c.action_id AND c.id = (
            SELECT n.id FROM reviews_check AS n JOIN reviews_action AS w ON w.id = n.action_id
            WHERE n.agent_key_id = %s AND n.status <> 'done' AND n.status = 'queued' AND n.started_at IS NULL
                AND n.not_before IS NULL AND n.mode = 'enforced' AND w.status = 'checking'
            ORDER BY n.created_at LIMIT 1 FOR NO KEY UPDATE OF n SKIP LOCKED
        )
        RETURNING set_config('synchronous_commit', 'off', true),
            {", ".join(pipeline.columns(model, alias) for alias, model in tables.items())}
    """  # noqa: S608 - put together of the models' own names
