"""Filters of the API's listings with a large table behind them: what the database takes for a page."""

from typing import Any, Final

import pytest
from django.db import connection, models

from reviews import access
from reviews.models import Action
from reviews.records import commit_order
from tests.bench.report import report
from tests.bench.test_pages import columns_of_copy
from tests.cast import make_cast, propose

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600), pytest.mark.django_db(transaction=True)]

ACTIONS: Final = 300_000
PAGE: Final = 51
METADATA: Final = """jsonb_build_object('team', 'team-' || n % 50, 'run', n, 'session', md5((n / 20)::text))"""


def test_rare_matches_among_300000_actions_of_one_agent() -> None:
    cast = make_cast()
    propose(cast)
    _grow()
    listed = access.actions_for(cast.agent).order_by("-created_at", "-id")
    filters: dict[str, dict[str, Any]] = {
        "metadata of one action": {"metadata__contains": {"run": 200_000}},
        "metadata of none": {"metadata__contains": {"run": -1}},
        "metadata of each 50th": {"metadata__contains": {"team": "team-7"}},
        "tool_call_id of one action": {"tool_call_id": "call-200000"},
    }
    with_indexes = {name: _milliseconds(listed.filter(**lookups)) for name, lookups in filters.items()}
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX action_by_metadata, action_by_tool_call_id")
    for name, lookups in filters.items():
        without = _milliseconds(listed.filter(**lookups))
        report(f"actions by {name}", ours=with_indexes[name], unit="ms", goal=5, lower=True, without=without)
    behind = commit_order.rows_behind(access.events_for(cast.agent), commit_order.Position(1, commit_order.START.id))
    report("a page of events", ours=_milliseconds(behind), unit="ms", goal=5, lower=True)


def _grow() -> None:
    """Copies of the one action, each a second older and with names of its own, and an event of each."""
    changes = {
        "id": "uuidv7()",
        "call_key": "''",
        "status": "'cancelled'",
        "settled_at": "now()",
        "metadata": METADATA,
        "tool_call_id": "'call-' || n",
        "created_at": "now() - n * interval '1 second'",
    }
    action = columns_of_copy(Action, **changes)
    sql = f"""
        WITH made AS (
            INSERT INTO reviews_action ({", ".join(action)})
            SELECT {", ".join(action.values())}
            FROM (SELECT * FROM reviews_action LIMIT 1) AS o, generate_series(1, {ACTIONS}) AS n
            RETURNING id, created_at, workspace_id, agent_id
        )
        INSERT INTO reviews_actionevent (id, created_at, transaction, action_id, workspace_id, agent_id, type)
        SELECT uuidv7(), created_at, 2, id, workspace_id, agent_id, 'action.cancelled' FROM made
    """  # noqa: S608 - put together of the models' own names
    with connection.cursor() as cursor:
        # Without a look at every row that each copy refers to.
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(sql)
        cursor.execute("RESET session_replication_role")
        cursor.execute("VACUUM ANALYZE reviews_action, reviews_actionevent")
        cursor.execute("CHECKPOINT")


def _milliseconds(rows: models.QuerySet[Any]) -> float:
    """What the database takes for a page: the quickest of five, as what disturbs it only ever adds."""
    plans = [rows[:PAGE].explain(analyze=True) for _ in range(5)]
    return min(float(plan.rpartition("Execution Time: ")[2].split()[0]) for plan in plans)
