"""Statements on `reviews_review`."""

from functools import cache
from typing import Final

from django.contrib.auth.models import User

from reviews.models import pipeline
from reviews.models.actions import Action
from reviews.models.contents import Text, ToolSet
from reviews.models.profiles import GuardProfile
from reviews.models.reviews import Review, ReviewAssignment
from reviews.models.traces import Trace
from reviews.models.workspaces import AgentKey

OPEN_FOR_MEMBER: Final = """
    r.workspace_id = %(workspace)s AND %(may_view)s AND r.closed_at IS NULL
    AND (r.snoozed_until IS NULL OR r.snoozed_until <= %(now)s)
"""
"""The condition on a review `r` that waits for a person now."""

COUNT_OPEN: Final = f"""
    SELECT count(*) FROM (SELECT FROM reviews_review AS r WHERE {OPEN_FOR_MEMBER} LIMIT %(up_to)s) AS counted
"""  # noqa: S608 - put together of constants

CLOSE: Final = """
    UPDATE reviews_review SET closed_at = %s, claimed_by_id = NULL, claimed_at = NULL, claimed_until = NULL
    WHERE action_id = %s AND closed_at IS NULL
"""


@cache
def lock_open() -> str:
    """Lock and read the open review of an action."""
    # Only the review: the account of whoever claimed it belongs to other transactions too.
    return f"""
        SELECT {pipeline.column_list(Review, "r")} FROM reviews_review AS r
        WHERE r.action_id = %s AND r.closed_at IS NULL FOR NO KEY UPDATE
    """  # noqa: S608 - names of the models


@cache
def select_with_action() -> str:
    """Read a review of a workspace with its action and the profile of that."""
    tables = {"r": Review, "a": Action, "p": GuardProfile}
    return f"""
        SELECT {", ".join(pipeline.column_list(model, alias) for alias, model in tables.items())}
        FROM reviews_review AS r JOIN reviews_action AS a ON a.id = r.action_id
            JOIN reviews_guardprofile AS p ON p.id = a.profile_id
        WHERE r.id = %s AND r.workspace_id = %s
    """  # noqa: S608 - names of the models


@cache
def select_shown() -> str:
    """Read a review of a workspace with all that its page shows of it.

    Behind it its action, trace, request, key, tools and profile, who claimed it, and whom it is meant for.
    """
    tables = {
        "r": Review, "a": Action, "t": Trace, "q": Text, "k": AgentKey, "s": ToolSet, "p": GuardProfile, "u": User,
        "m": ReviewAssignment,
    }  # fmt: skip
    return f"""
        SELECT {", ".join(pipeline.column_list(model, alias) for alias, model in tables.items())}
        FROM reviews_review AS r JOIN reviews_action AS a ON a.id = r.action_id
            JOIN reviews_trace AS t ON t.id = a.trace_id JOIN reviews_text AS q ON q.id = t.query_id
            JOIN reviews_agentkey AS k ON k.id = a.agent_key_id JOIN reviews_toolset AS s ON s.id = a.tool_set_id
            JOIN reviews_guardprofile AS p ON p.id = a.profile_id LEFT JOIN auth_user AS u ON u.id = r.claimed_by_id
            LEFT JOIN reviews_reviewassignment AS m ON m.review_id = r.id
        WHERE r.id = %s AND r.workspace_id = %s
    """  # noqa: S608 - names of the models


# What is ahead of a review in the order of the queue. The first condition repeats what the second says, for the index.
_AHEAD: Final = """
    r.priority >= %(priority)s
    AND (r.priority > %(priority)s OR (r.order_at, r.id) < (%(order_at)s, %(review)s))
"""
COUNT_AHEAD: Final = f"""
    SELECT count(*) FILTER (WHERE {_AHEAD}), count(*) FROM reviews_review AS r WHERE {OPEN_FOR_MEMBER}
"""  # noqa: S608 - put together of constants
"""Counts what waits ahead of a review, and all that waits."""


@cache
def select_previous() -> str:
    """Read what waits right ahead of a review in the order of the queue."""
    return f"""
        SELECT {pipeline.column_list(Review, "r")} FROM reviews_review AS r WHERE {OPEN_FOR_MEMBER} AND {_AHEAD}
        ORDER BY r.priority, r.order_at DESC, r.id DESC LIMIT 1
    """  # noqa: S608 - names of the models


@cache
def select_next(*, behind: bool) -> str:
    """Read the next review in the order of the queue that waits for the person; `behind` another one.

    Left out is what somebody else holds or is meant for, and what this person approved first.
    """
    free = """
        (r.claimed_by_id IS NULL OR r.claimed_by_id = %(user)s OR r.claimed_until <= %(now)s)
        AND NOT EXISTS (SELECT FROM reviews_decision AS d
            WHERE d.action_id = r.action_id AND d.awaits_second AND d.reviewer_id = %(user)s)
        AND NOT EXISTS (SELECT FROM reviews_reviewassignment AS m
            WHERE m.review_id = r.id AND (m.assignee_id = %(user)s OR m.role = %(role)s) IS NOT TRUE)
    """
    columns = pipeline.column_list(Review, "r")
    first = f"SELECT {columns} FROM reviews_review AS r WHERE {OPEN_FOR_MEMBER} AND {free}"  # noqa: S608
    in_order = "ORDER BY r.priority DESC, r.order_at, r.id LIMIT 1"
    if not behind:
        return f"{first} {in_order}"
    # The first condition repeats what the second says, for the index: what is ahead is not looked at.
    rest = """
        r.priority <= %(priority)s
        AND (r.priority < %(priority)s OR (r.order_at, r.id) > (%(order_at)s, %(after)s))
    """
    # From the top again: what was passed over earlier still waits. It is looked for only when nothing is behind.
    return f"({first} AND {rest} {in_order}) UNION ALL ({first} AND r.id <> %(after)s {in_order}) LIMIT 1"
