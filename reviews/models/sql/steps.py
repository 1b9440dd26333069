"""Statements on `reviews_step`."""

from typing import Final

SELECT_HISTORY: Final = """
    SELECT s.kind, s.tool, s.arguments::text, s.subtask, t.body FROM reviews_step AS s
    LEFT JOIN reviews_text AS t ON t.id = s.text_id WHERE s.trace_id = %s AND s.position <= %s ORDER BY s.position
"""
