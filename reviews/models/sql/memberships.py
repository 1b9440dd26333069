"""Statements on `reviews_membership`: every request of a person begins with one."""

from functools import cache

from django.contrib.auth.models import User

from reviews.models import pipeline
from reviews.models.workspaces import Membership, Workspace


@cache
def select_all() -> str:
    """Read all memberships of a person with their workspaces, the oldest first."""
    return f"""
        SELECT {_with_workspace()} FROM reviews_membership AS m JOIN reviews_workspace AS w ON w.id = m.workspace_id
        WHERE m.user_id = %s ORDER BY m.created_at
    """  # noqa: S608 - names of the models


@cache
def select_account() -> str:
    """Read the same, and behind each the account; an account without any comes once."""
    return f"""
        SELECT {_with_workspace()}, {pipeline.column_list(User, "u")} FROM auth_user AS u
        LEFT JOIN reviews_membership AS m ON m.user_id = u.id LEFT JOIN reviews_workspace AS w ON w.id = m.workspace_id
        WHERE u.id = %s ORDER BY m.created_at
    """  # noqa: S608 - names of the models


def _with_workspace() -> str:
    return f"{pipeline.column_list(Membership, 'm')}, {pipeline.column_list(Workspace, 'w')}"
