"""One action with all that its answer says, read in one round trip.

As `serializers.actions.prefetch_readable` reads it, which serves lists. Here by prepared statements, because agents
that wait for an action ask for it again and again.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias
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
from reviews.models.sql import actions as sql
from reviews.models.sql import checks as sql_checks
from reviews.models.sql import decisions as sql_decisions
from reviews.provenance.detectors.intent_guard import detector
from reviews.records.enforced_checks import by_check

Rows: TypeAlias = Sequence[pipeline.Row]


def action_for(agent_key: AgentKey, action_id: UUID) -> Action | None:
    """The action, if the key's agent owns it."""
    where, parameters = access.actions_where(agent_key)
    return _begin_reading(action_id, where, parameters)()


def any_action(action_id: UUID) -> Callable[[], Action | None]:
    """The action, for whoever sees to it that its readers alone get it (`access.readers_of`).

    By statements that may travel with others: what is returned gives it behind the batch.
    """
    return _begin_reading(action_id, "true", {})


def _begin_reading(action_id: UUID, where: str, parameters: dict[str, Any]) -> Callable[[], Action | None]:
    parameters = {"id": action_id, "gate": detector.NAME, "stopped": VerdictLabel.MISALIGNED, **parameters}
    with pipeline.batch():
        actions = pipeline.execute(sql.select_with_context(where), parameters)
        related = [pipeline.execute(statement, parameters) for statement in _related_statements()]

    def read_action() -> Action | None:
        row = actions.fetchone()
        return None if row is None else _read_related(iter(row), *(cursor.fetchall() for cursor in related))

    return read_action


def _read_related(values: Iterator[Any], checks: Rows, findings: Rows, readings: Rows, decisions: Rows) -> Action:
    """The action of these columns with the rows of `_related_statements`."""
    action = pipeline.read_row(values, Action)
    action.trace, action.profile = pipeline.read_row(values, Trace), pipeline.read_row(values, GuardProfile)
    action.review_reason = next(values)  # type: ignore[attr-defined]
    found_by, read_by = by_check(findings, Finding), by_check(readings, Interpretation)
    enforced = [pipeline.read_row(iter(check), Check) for check in checks]
    for check in enforced:
        check.advising = check.stages  # type: ignore[attr-defined]
        check.found, check.readings = found_by[check.pk], read_by[check.pk]  # type: ignore[attr-defined]
    action.enforced_checks = enforced  # type: ignore[attr-defined]
    in_force = [pipeline.read_row(iter(decision), Decision) for decision in decisions]
    action.decisions_in_force = in_force  # type: ignore[attr-defined]
    return action


def _related_statements() -> tuple[str, str, str, str]:
    """Checks, findings, readings, and the decision."""
    of_check = sql_checks.select_of_enforced
    return sql_checks.select_advising(), of_check(Finding), of_check(Interpretation), sql_decisions.select_in_force()
