"""Statements on `reviews_trace`, the revisions of a conversation's past."""

from typing import Final

_LATEST_REVISION: Final = """
    FROM reviews_trace WHERE workspace_id = %s AND agent_id = %s AND external_id = %s ORDER BY revision DESC LIMIT 1
"""
# Locked, so that two submissions of one conversation append to its history one after the other.
LOCK_LATEST: Final = f"SELECT id, query_id {_LATEST_REVISION} FOR NO KEY UPDATE"
# A statement of its own behind the lock, which sees what whoever held it has appended. The place and the writer of the
# profile's row tell its content: a version never changes in service, and is read once a process.
SELECT_STATE: Final = f"""
    SELECT id, xmin::text || ctid::text,
        (SELECT array_agg(digest ORDER BY position) FROM reviews_step
         WHERE trace_id = (SELECT id {_LATEST_REVISION})),
        (SELECT id FROM reviews_action WHERE agent_id = %s AND call_key = %s AND call_key <> '')
    FROM reviews_guardprofile WHERE workspace_id = %s ORDER BY version DESC LIMIT 1
"""  # noqa: S608 - put together of constants
"""Reads the profile in force, the history of the conversation, and an action made of the same call before."""
