"""Statements on `reviews_check` and, where they are alike, `reviews_plan`."""

from functools import cache
from typing import Final

from reviews.models import pipeline
from reviews.models.actions import Action
from reviews.models.checks import Check, Finding, Interpretation
from reviews.models.contents import Text, ToolSet
from reviews.models.profiles import GuardProfile
from reviews.models.traces import Trace

# Done ones are excluded in so many words, because that is the condition of the indexes.
_DUE: Final = """n.status <> 'done' AND (n.status = 'queued' OR n.status = 'running' AND n.leased_until <= %(now)s)
    AND (n.not_before IS NULL OR n.not_before <= %(now)s)"""
DUE_PLAN: Final = f"EXISTS (SELECT FROM reviews_plan AS n WHERE {_DUE})"
DUE_CHECK: Final = f"""EXISTS (SELECT FROM reviews_check AS n JOIN reviews_action AS w ON w.id = n.action_id
    WHERE {_DUE} AND (n.mode = 'shadow' OR w.status = 'checking'))"""
IS_ANYTHING_DUE: Final = f"SELECT {DUE_PLAN} OR {DUE_CHECK}"

# Only those that came to nothing. One whose process was killed and that was finished by the next had an accident.
STOPPED: Final = "c.killed > 0 AND c.verdict = 'undetermined' AND c.finished_at > %(remembered)s"
"""The condition on a check `c` that had to be stopped since then."""

# All that a detector reads, in bytes; PostgreSQL knows them without reading the texts.
_SIZE: Final = """(
    octet_length({a}.arguments::text)
    + (SELECT octet_length(s.tools::text) FROM reviews_toolset AS s WHERE s.id = {a}.tool_set_id)
    + (SELECT octet_length(q.body) FROM reviews_trace AS t JOIN reviews_text AS q ON q.id = t.query_id
       WHERE t.id = {a}.trace_id)
    + (SELECT coalesce(sum(octet_length(h.arguments::text) + coalesce(octet_length(x.body), 0)), 0)
       FROM reviews_step AS h LEFT JOIN reviews_text AS x ON x.id = h.text_id
       WHERE h.trace_id = {a}.trace_id AND h.position <= {a}.position)
    + (SELECT coalesce(sum(octet_length(x.body)), 0) FROM jsonb_array_elements({a}.sources) AS e
       JOIN reviews_text AS x ON x.workspace_id = {a}.workspace_id AND x.digest = e ->> 'digest')
)"""
COUNT_STOPPED_ALIKE: Final = f"""
    SELECT count(*) FROM reviews_check AS c
    JOIN reviews_action AS was ON was.id = c.action_id
    JOIN reviews_action AS a ON a.id = %(action)s
    WHERE {STOPPED} AND c.agent_key_id = %(agent_key)s AND c.detector = %(detector)s
        AND (was.tool = a.tool OR was.trace_id = a.trace_id)
        AND {_SIZE.format(a="was")} <= %(times)s * {_SIZE.format(a="a")}
"""  # noqa: S608 - put together of constants
"""Counts the stopped checks of calls that share tool or conversation and are at most so many times as large."""


@cache
def select_enforced() -> str:
    """Read the enforced checks of an action in their order."""
    return f"""
        SELECT {pipeline.column_list(Check, "c")} FROM reviews_check AS c
        WHERE c.action_id = %s AND c.mode = 'enforced' ORDER BY c.created_at, c.id
    """  # noqa: S608 - names of the models


@cache
def fetch_new() -> str:
    """Take the oldest enforced check of a key that nobody has begun, and read it with all that its detector reads."""
    # Not waited for on the disk, which the setting says for this transaction: a database that crashes forgets the
    # lease, and the check is taken anew. The condition on `done` is the one of the index.
    tables = {"c": Check, "a": Action, "p": GuardProfile, "t": Trace, "q": Text, "s": ToolSet}
    return f"""
        UPDATE reviews_check AS c SET status = 'running', attempts = c.attempts + 1, lease = %(lease)s,
            leased_until = least(%(lease_end)s, %(now)s + make_interval(
                secs => CASE WHEN p.judge = 'rules' THEN p.check_seconds ELSE p.check_seconds_judge END)),
            started_at = %(now)s, beside_others = %(is_shared)s OR %(is_shared_later)s AND p.judge <> 'rules'
        FROM reviews_action AS a
            JOIN reviews_guardprofile AS p ON p.id = a.profile_id
            JOIN reviews_trace AS t ON t.id = a.trace_id
            JOIN reviews_text AS q ON q.id = t.query_id
            JOIN reviews_toolset AS s ON s.id = a.tool_set_id
        WHERE a.id = c.action_id AND c.id = (
            SELECT n.id FROM reviews_check AS n JOIN reviews_action AS w ON w.id = n.action_id
            WHERE n.agent_key_id = %(agent_key)s AND n.status <> 'done' AND n.status = 'queued'
                AND n.started_at IS NULL AND n.not_before IS NULL AND n.mode = 'enforced' AND w.status = 'checking'
            ORDER BY n.created_at LIMIT 1 FOR NO KEY UPDATE OF n SKIP LOCKED
        )
        RETURNING set_config('synchronous_commit', 'off', true),
            {", ".join(pipeline.column_list(model, alias) for alias, model in tables.items())}
    """  # noqa: S608 - names of the models


_ENFORCED_OF_ACTION: Final = "c.action_id = %(id)s AND c.mode = 'enforced'"


@cache
def select_advising() -> str:
    """Read the enforced checks of an action, with their stages where a planner is advised by them."""
    # Of all stages, only those are read that the advice to a planner is made of: they hold all that was traced.
    advising = "CASE WHEN c.detector = %(gate)s AND c.verdict = %(stopped)s THEN c.stages ELSE '[]' END"
    columns = pipeline.column_list(Check, "c").replace('c."stages"', advising)
    return f"SELECT {columns} FROM reviews_check AS c WHERE {_ENFORCED_OF_ACTION} ORDER BY c.created_at, c.id"  # noqa: S608


@cache
def select_of_enforced(table: type[Finding] | type[Interpretation]) -> str:
    """Read what the enforced checks of an action have in this table, in its order."""
    return f"""
        SELECT {pipeline.column_list(table, "f")} FROM {table._meta.db_table} AS f
        JOIN reviews_check AS c ON c.id = f.check_run_id WHERE {_ENFORCED_OF_ACTION} ORDER BY f.ordinal
    """  # noqa: S608 - names of the models


# Of those that counted: a reviewer has not seen what ran in shadow. With it, the relation of its first finding that
# does not hold, but for one that only labels what was read and stops nothing.
SELECT_FIRST_OBJECTION: Final = """
    SELECT CASE WHEN EXISTS (
        SELECT FROM reviews_finding AS f WHERE f.check_run_id = c.id AND NOT f.holds AND f.untrusted_only
    ) THEN 'injection' ELSE c.misalignment END, coalesce((
        SELECT f.relation FROM reviews_finding AS f
        WHERE f.check_run_id = c.id AND NOT f.holds AND f.relation <> %s ORDER BY f.ordinal LIMIT 1), '')
    FROM reviews_check AS c
    WHERE c.action_id = %s AND c.mode = 'enforced' AND c.verdict = 'misaligned' ORDER BY c.finished_at LIMIT 1
"""

SELECT_VERDICTS: Final = """
    SELECT action_id, verdict, misalignment, established FROM reviews_check
    WHERE action_id = ANY(%s) AND mode = 'enforced' ORDER BY created_at, id
"""
