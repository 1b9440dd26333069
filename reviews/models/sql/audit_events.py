"""Statements on `reviews_auditevent`."""

from typing import Final

# Behind a lock on the chain, in a statement of its own, which sees what whoever held it has appended. Hashed here, so
# that nobody waits for the way of the last event to the process and back; what is hashed comes in three parts around
# the hash and the number that only the database knows.
APPEND: Final = """
    INSERT INTO reviews_auditevent (id, created_at, at, workspace_id, user_id, agent_key_id, actor, verb, subject,
        details, request_id, sequence, previous_hash, hash)
    SELECT %(id)s::uuid, %(at)s::timestamptz, %(at)s::timestamptz, %(workspace)s::uuid, %(user)s::integer,
        %(agent_key)s::uuid, %(actor)s::text, %(verb)s::text, %(subject)s::text,
        %(details)s::jsonb, %(request_id)s::text, next.sequence, next.previous_hash, encode(sha256(convert_to(
            %(before_hash)s::text || next.previous_hash || %(before_sequence)s::text || next.sequence
                || %(behind)s::text, 'UTF8')), 'hex')
    FROM (SELECT coalesce(max(last.sequence), 0) + 1, coalesce(max(last.hash), %(genesis)s::text) FROM (
        SELECT sequence, hash FROM reviews_auditevent WHERE workspace_id = %(workspace)s::uuid
        ORDER BY sequence DESC LIMIT 1
    ) AS last) AS next (sequence, previous_hash)
"""
