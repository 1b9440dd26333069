"""Statements on `reviews_webhookdelivery`."""

from typing import Final

# By the status that the action has now, and the very time at which it got it: whoever lost the race for it tells
# nobody. One statement, which finds nothing to insert where the workspace has no receiver.
INSERT_FOR_ACTION: Final = """
    INSERT INTO reviews_webhookdelivery
        (id, created_at, endpoint_id, action_id, event, status, attempts, due_at, problem)
    SELECT gen_random_uuid(), %(now)s::timestamptz, e.id, a.id, %(event)s::text, 'pending', 0, %(now)s::timestamptz, ''
    FROM reviews_action AS a
    JOIN reviews_webhookendpoint AS e ON e.workspace_id = a.workspace_id AND e.disabled_at IS NULL
    WHERE a.id = %(id)s AND a.status = %(status)s AND a.settled_at IS NOT DISTINCT FROM %(settled_at)s::timestamptz
        AND e.events @> to_jsonb(%(event)s::text)
    ON CONFLICT DO NOTHING
"""
