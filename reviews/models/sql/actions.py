"""Statements on `reviews_action`."""

from functools import cache
from typing import Final

from reviews.models import pipeline
from reviews.models.actions import Action
from reviews.models.profiles import GuardProfile
from reviews.models.traces import Trace

OF_AGENT: Final = "a.workspace_id = %(workspace)s AND a.agent_id = %(agent)s"
"""The condition on an action `a` of this agent."""

LOCK_STATUS: Final = "SELECT status, expires_at FROM reviews_action WHERE id = %s FOR NO KEY UPDATE"

# Without a bound, any expiry is behind it.
LEAVE_STATUS: Final = """
    UPDATE reviews_action SET status = %s, settled_at = %s
    WHERE id = %s AND status = ANY(%s) AND expires_at > coalesce(%s, '-infinity'::timestamptz)
"""

# By the key as it is in force now, and by its agent.
SELECT_UNDECIDED: Final = """
    SELECT given.key_hash, given.id FROM unnest(%s::text[], %s::text[]) AS given (key_hash, id)
    JOIN reviews_agentkey AS k ON k.key_hash = given.key_hash AND k.revoked_at IS NULL
    JOIN reviews_action AS a ON a.id = given.id::uuid AND a.agent_id = k.agent_id AND a.workspace_id = k.workspace_id
    WHERE a.status = ANY(%s)
"""
# Up from a retry: the try that replaces no other. `UNION` ends also where rows were put together in a circle.
SELECT_FIRST_TRY: Final = """
    WITH RECURSIVE before AS (
        SELECT id, retry_of_id FROM reviews_action WHERE id = %s
        UNION SELECT a.id, a.retry_of_id FROM reviews_action AS a JOIN before ON a.id = before.retry_of_id
    )
    SELECT id FROM before WHERE retry_of_id IS NULL
"""
LOCK_TRIES: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
# And down from there. Keys are in the order in which tries were made.
SELECT_TRIES: Final = """
    WITH RECURSIVE tries AS (
        SELECT id FROM reviews_action WHERE id = %s
        UNION SELECT a.id FROM reviews_action AS a JOIN tries ON a.retry_of_id = tries.id
    )
    SELECT id FROM tries ORDER BY id LIMIT %s
"""
# As `SELECT_UNDECIDED` has it, from the other side.
SELECT_READERS: Final = """
    SELECT k.key_hash FROM reviews_action AS a
    JOIN reviews_agentkey AS k ON k.agent_id = a.agent_id AND k.workspace_id = a.workspace_id AND k.revoked_at IS NULL
    WHERE a.id = %s
"""


# The latest call of each agent with each tool in the period first, then the one before it of each, and so on; with
# `over` only those that are settled.
SELECT_SPREAD: Final = """
    SELECT id FROM (
        SELECT c.id, c.created_at,
            row_number() OVER (PARTITION BY c.agent_id, c.tool ORDER BY c.created_at DESC, c.id DESC) AS turn
        FROM reviews_agent AS g CROSS JOIN LATERAL (
            SELECT a.id, a.agent_id, a.tool, a.created_at FROM reviews_action AS a
            WHERE a.agent_id = g.id AND (a.settled_at IS NOT NULL OR NOT %(over)s)
                AND a.created_at >= %(since)s::timestamptz AND a.created_at < %(until)s::timestamptz AND (
                EXISTS (SELECT FROM reviews_review AS r WHERE r.action_id = a.id)
                OR EXISTS (SELECT FROM reviews_decision AS d WHERE d.action_id = a.id AND d.in_force))
            ORDER BY a.created_at DESC, a.id DESC
            LIMIT (SELECT greatest(%(least)s, %(depth)s / greatest(count(*), 1))
                   FROM reviews_agent WHERE workspace_id = %(workspace)s)
        ) AS c WHERE g.workspace_id = %(workspace)s
    ) AS spread ORDER BY turn, created_at DESC, id DESC LIMIT %(most)s
"""

SELECT_SOURCE_DIGESTS: Final = """
    SELECT DISTINCT source->>'digest' FROM reviews_action, jsonb_array_elements(sources) AS source
    WHERE workspace_id = %s AND created_at >= %s
"""


@cache
def select_with_context(where: str) -> str:
    """Read the action `%(id)s` that meets this condition on `a`, with its trace, its profile and why it waits."""
    tables = ((Action, "a"), (Trace, "t"), (GuardProfile, "p"))
    return f"""
        SELECT {", ".join(pipeline.column_list(table, alias) for table, alias in tables)}, r.reason
        FROM reviews_action AS a JOIN reviews_trace AS t ON t.id = a.trace_id
        JOIN reviews_guardprofile AS p ON p.id = a.profile_id LEFT JOIN reviews_review AS r ON r.action_id = a.id
        WHERE a.id = %(id)s AND {where}
    """  # noqa: S608 - names of the models
