"""Statements on `reviews_membership`: every request of a person begins with one."""

from functools import cache

from reviews.models import pipeline
from reviews.models.workspaces import Membership, Workspace


@cache
def select_current() -> str:
    """Read a person's membership in this workspace, or in the oldest of theirs."""
    # The oldest, so that being added to another workspace does not change what a person sees by default.
    return f"""
        {_with_workspace()}
        WHERE m.user_id = %(user)s AND (%(workspace)s::uuid IS NULL OR m.workspace_id = %(workspace)s)
        ORDER BY m.created_at LIMIT 1
    """


@cache
def select_all() -> str:
    """Read all memberships of a person, the oldest first."""
    return f"{_with_workspace()} WHERE m.user_id = %s ORDER BY m.created_at"


def _with_workspace() -> str:
    return f"""
        SELECT {pipeline.column_list(Membership, "m")}, {pipeline.column_list(Workspace, "w")}
        FROM reviews_membership AS m JOIN reviews_workspace AS w ON w.id = m.workspace_id
    """  # noqa: S608 - names of the models
