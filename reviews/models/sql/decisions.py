"""Statements on `reviews_decision`."""

from functools import cache
from typing import Final

from reviews.models import pipeline
from reviews.models.decisions import Decision

WITHDRAW_UNTOLD: Final = """
    UPDATE reviews_decision SET held_until = NULL, awaits_second = false, withdrawn_at = %s
    WHERE action_id = %s AND (held_until IS NOT NULL OR awaits_second)
"""
"""Withdraws what was decided about an action and the agent was not told of: held, or waiting for a second person."""

SELECT_HELD: Final = """
    SELECT d.id, r.id, d.outcome, d.tool, d.held_until, NOT EXISTS (
        SELECT FROM reviews_decision AS later
        WHERE later.id > d.id AND later.reviewer_id = d.reviewer_id AND later.withdrawn_at IS NULL
    ) FROM reviews_decision AS d
    JOIN reviews_action AS a ON a.id = d.action_id LEFT JOIN reviews_review AS r ON r.action_id = d.action_id
    WHERE d.reviewer_id = %s AND d.held_until IS NOT NULL AND a.workspace_id = %s ORDER BY d.held_until DESC
"""
"""Reads what a person has decided in a workspace and may take back, the latest first, with its item.

Last comes whether the person has decided nothing since: keys are in the order of time.
"""


@cache
def select_in_force() -> str:
    """Read the decision in force about an action."""
    columns = pipeline.column_list(Decision, "d")
    return f"SELECT {columns} FROM reviews_decision AS d WHERE d.action_id = %(id)s AND d.in_force"  # noqa: S608
