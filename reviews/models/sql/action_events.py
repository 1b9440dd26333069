"""Statements on `reviews_actionevent`."""

from typing import Final

# By the status that the action has now, and the very time at which it got it: whoever lost the race for it tells
# nobody. One statement, so that a webhook is sent of what the feed lists, and of nothing else.
INSERT_WITH_DELIVERIES: Final = """
    WITH event AS (
        INSERT INTO reviews_actionevent (id, created_at, action_id, workspace_id, agent_id, type)
        SELECT %(event)s::uuid, %(now)s::timestamptz, a.id, a.workspace_id, a.agent_id, %(type)s::text
        FROM reviews_action AS a
        WHERE a.id = %(id)s AND a.status = %(status)s AND a.settled_at IS NOT DISTINCT FROM %(settled_at)s::timestamptz
        ON CONFLICT DO NOTHING RETURNING action_id, workspace_id
    )
    INSERT INTO reviews_webhookdelivery
        (id, created_at, endpoint_id, action_id, event, status, attempts, due_at, problem)
    SELECT gen_random_uuid(), %(now)s::timestamptz, e.id, event.action_id, %(type)s::text, 'pending', 0,
        %(now)s::timestamptz, ''
    FROM event JOIN reviews_webhookendpoint AS e ON e.workspace_id = event.workspace_id
    WHERE e.disabled_at IS NULL AND e.events @> to_jsonb(%(type)s::text)
    ON CONFLICT DO NOTHING
"""

_BEHIND: Final = """EXISTS (
        SELECT FROM reviews_actionevent AS e WHERE {owner} AND (e.transaction, e.id) > (reader.transaction, reader.id)
            AND e.transaction < pg_snapshot_xmin(pg_current_snapshot())::text::bigint)"""
# Of each key in force, whether there is something behind a place in what it may read: as `access.events_for` and
# `records.commit_order` have it, for hundreds of readers at once. Two conditions, because each has an index of its own.
SELECT_NEWS: Final = f"""
    SELECT reader.key_hash, reader.transaction, reader.id, CASE WHEN k.reads_all_events
        THEN {_BEHIND.format(owner="e.workspace_id = k.workspace_id")}
        ELSE {_BEHIND.format(owner="e.agent_id = k.agent_id")} END
    FROM unnest(%s::text[], %s::bigint[], %s::uuid[]) AS reader (key_hash, transaction, id)
    JOIN reviews_agentkey AS k ON k.key_hash = reader.key_hash AND k.revoked_at IS NULL
"""  # noqa: S608 - names of columns
