"""Calls like those whose checks had to be stopped go to a person unchecked, and their agent's others need not wait.

A check that never returns costs its agent a process until the deadline, and whatever else this agent asks waits behind
it. Twice may happen; from then on the like of it is not begun for a while.

Alike are calls of one agent, before the same detector, that share the tool or the conversation, where the later one is
not much smaller: a detector reads the arguments, which the tool shapes, and the history, which all calls of the
conversation have, and what it cannot finish lies in one of them and is seldom small. So an ordinary call of the same
tool goes on beside a huge one, and so does whatever the agent does elsewhere.
"""

from datetime import timedelta
from typing import Final

from django.utils import timezone

from reviews.models import Check, pipeline

# Once may be an accident of the machine, or the one odd call of the day.
MAX_STOPPED: Final = 2
# Long enough that a loop which proposes the same again gives nobody trouble; and whoever mends it is soon checked anew.
MEMORY: Final = timedelta(minutes=10)
# What takes too long takes too long at half its size, or nearly so; and each halving costs the agent two calls more.
NOT_MUCH_SMALLER: Final = 2

REASON: Final = (
    f"Not checked: {MAX_STOPPED} calls like it, by the same agent, could not be checked within their time in the last "
    f"{MEMORY.seconds // 60} minutes."
)

# Only those that came to nothing. One whose process was killed and that was finished by the next had an accident.
STOPPED: Final = f"""c.killed > 0 AND c.verdict = 'undetermined'
    AND c.finished_at > %s - interval '{MEMORY.total_seconds()} seconds'"""
"""The condition on a check `c`, with the present moment at its place."""

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
_LIKE: Final = f"""
    SELECT count(*) FROM reviews_check AS c
    JOIN reviews_action AS was ON was.id = c.action_id
    JOIN reviews_action AS a ON a.id = %s
    WHERE {STOPPED} AND c.agent_key_id = %s AND c.detector = %s AND (was.tool = a.tool OR was.trace_id = a.trace_id)
        AND {_SIZE.format(a="was")} <= {NOT_MUCH_SMALLER} * {_SIZE.format(a="a")}
"""  # noqa: S608 - put together of constants


def why_not_begun(check: Check) -> str:
    """Why this check must end without running, in words for a person; empty if it may run."""
    values = (check.action_id, timezone.now(), check.agent_key_id, check.detector)
    (stopped,) = pipeline.execute(_LIKE, values).fetchone() or (0,)
    return REASON if stopped >= MAX_STOPPED else ""
