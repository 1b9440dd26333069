"""Statements on `reviews_text` and `reviews_toolset`, which are found by the digest of their content."""

from typing import Final

SELECT_BODIES: Final = "SELECT digest, body FROM reviews_text WHERE workspace_id = %s AND digest = ANY(%s)"

SELECT_STORED: Final = """
    SELECT digest, id FROM reviews_text WHERE workspace_id = %s AND digest = ANY(%s)
    UNION ALL SELECT digest, id FROM reviews_toolset WHERE workspace_id = %s AND digest = %s
"""
# Texts in the order of their hashes, so that two submissions that share some wait for each other in one order. What is
# there already is found; what another submission stored meanwhile is in neither part, and read by the next statement.
INSERT_MISSING: Final = f"""
    WITH given AS (SELECT * FROM unnest(%s::uuid[], %s::text[], %s::text[]) AS given (id, digest, body)),
    texts AS (
        INSERT INTO reviews_text (id, created_at, workspace_id, digest, body)
        SELECT id, %s, %s, digest, body FROM given ORDER BY digest ON CONFLICT DO NOTHING RETURNING digest, id
    ),
    tools AS (
        INSERT INTO reviews_toolset (id, created_at, workspace_id, digest, tools) VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT DO NOTHING RETURNING digest, id
    )
    SELECT digest, id FROM texts UNION ALL SELECT digest, id FROM tools
    UNION ALL {SELECT_STORED}
"""  # noqa: S608 - put together of constants
