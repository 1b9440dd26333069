"""One action with all that its answer says, read in one round trip.

As `serializers.actions.readable` reads it, which serves lists. Here by prepared statements, because agents that wait
for an action ask for it again and again.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any, TypeVar
from uuid import UUID

from reviews import access
from reviews.models import (
    Action,
    AgentKey,
    Check,
    Decision,
    Finding,
    GuardProfile,
    Interpretation,
    Trace,
    VerdictLabel,
    pipeline,
)
from reviews.provenance.detectors.intent_guard import detector

F = TypeVar("F", Finding, Interpretation)


def action_for(agent_key: AgentKey, action_id: UUID) -> Action | None:
    """The action, if the key's agent owns it."""
    where, parameters = access.actions_where(agent_key)
    return _read(action_id, where, parameters)


def any_action(action_id: UUID) -> Action | None:
    """The action, for whoever sees to it that its readers alone get it (`access.readers_of`)."""
    return _read(action_id, "true", {})


def _read(action_id: UUID, where: str, parameters: dict[str, Any]) -> Action | None:
    parameters = {"id": action_id, "gate": detector.NAME, "stopped": VerdictLabel.MISALIGNED, **parameters}
    with pipeline.batch():
        found = pipeline.execute(_action(where), parameters)
        checks, findings, readings, decisions = [pipeline.execute(sql, parameters) for sql in _around()]
    row = found.fetchone()
    if row is None:
        return None
    values = iter(row)
    action = pipeline.taken_from(values, Action)
    action.trace, action.profile = pipeline.taken_from(values, Trace), pipeline.taken_from(values, GuardProfile)
    found_by, read_by = _by_check(findings.fetchall(), Finding), _by_check(readings.fetchall(), Interpretation)
    enforced = [pipeline.taken_from(iter(check), Check) for check in checks.fetchall()]
    for check in enforced:
        check.advising = check.stages  # type: ignore[attr-defined]
        check.found, check.readings = found_by[check.pk], read_by[check.pk]  # type: ignore[attr-defined]
    action.enforced_checks = enforced  # type: ignore[attr-defined]
    in_force = [pipeline.taken_from(iter(decision), Decision) for decision in decisions.fetchall()]
    action.decisions_in_force = in_force  # type: ignore[attr-defined]
    return action


def _by_check(rows: Iterable[pipeline.Row], table: type[F]) -> dict[UUID, list[F]]:
    by_check: dict[UUID, list[F]] = defaultdict(list)
    for row in rows:
        stored = pipeline.taken_from(iter(row), table)
        by_check[stored.check_run_id].append(stored)
    return by_check


@cache
def _action(where: str) -> str:
    tables = ((Action, "a"), (Trace, "t"), (GuardProfile, "p"))
    return f"""
        SELECT {", ".join(pipeline.columns(table, alias) for table, alias in tables)} FROM reviews_action AS a
        JOIN reviews_trace AS t ON t.id = a.trace_id JOIN reviews_guardprofile AS p ON p.id = a.profile_id
        WHERE a.id = %(id)s AND {where}
    """  # noqa: S608 - names of the models


@cache
def _around() -> tuple[str, str, str, str]:
    """Checks, findings, readings, and the decision."""
    enforced = "c.action_id = %(id)s AND c.mode = 'enforced'"
    # Of all stages, only those are read that the advice to a planner is made of: they hold all that was traced.
    advising = "CASE WHEN c.detector = %(gate)s AND c.verdict = %(stopped)s THEN c.stages ELSE '[]' END"
    checks = pipeline.columns(Check, "c").replace('c."stages"', advising)
    of_check = f"JOIN reviews_check AS c ON c.id = f.check_run_id WHERE {enforced} ORDER BY f.ordinal"
    in_force = "d.action_id = %(id)s AND d.in_force"
    # S608: put together of names of the models and of constants.
    return (
        f"SELECT {checks} FROM reviews_check AS c WHERE {enforced} ORDER BY c.created_at",  # noqa: S608
        f"SELECT {pipeline.columns(Finding, 'f')} FROM reviews_finding AS f {of_check}",  # noqa: S608
        f"SELECT {pipeline.columns(Interpretation, 'f')} FROM reviews_interpretation AS f {of_check}",  # noqa: S608
        f"SELECT {pipeline.columns(Decision, 'd')} FROM reviews_decision AS d WHERE {in_force}",  # noqa: S608
    )
