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


@cache
def select_in_force() -> str:
    """Read the decision in force about an action."""
    columns = pipeline.column_list(Decision, "d")
    return f"SELECT {columns} FROM reviews_decision AS d WHERE d.action_id = %(id)s AND d.in_force"  # noqa: S608
