"""Draw the workspace's recorded calls of a period for an experiment: over agents and tools, the latest of each first.

People's labels come along; a call that nobody judged shows only how much there would be to review, and where the guard
would decide otherwise. Drawn are calls that are over: of one that still waits nobody may see what a detector says.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from reviews.errors import FieldProblem, InvalidError
from reviews.lab.action_labels import labels_of_actions
from reviews.models import (
    Action,
    Check,
    CheckStatus,
    DecidedBy,
    Decision,
    ExperimentCall,
    Outcome,
    Review,
    Workspace,
    pipeline,
)
from reviews.models.sql import actions as sql
from reviews.provenance.core.canonical import content_digest

DEFAULT_DAYS: Final = 30
DEFAULT_CALLS: Final = 1_000
# As many as the page of a frozen version is measured with.
MAX_CALLS: Final = 10_000
MAX_DAYS: Final = 3_650
# Four calls looked at for each that is drawn: a tool that is seldom called lies behind those that are called all day.
_DEPTH_A_CALL: Final = 4
_MIN_OF_AN_AGENT: Final = 20


@dataclass(frozen=True)
class Period:
    """Which recorded calls are drawn."""

    since: datetime
    until: datetime
    """The first moment that does not belong to it."""
    calls: int = DEFAULT_CALLS
    """At most so many."""

    @classmethod
    def last_days(cls, days: int = DEFAULT_DAYS, calls: int = DEFAULT_CALLS) -> "Period":
        """From so many days ago until now. Raises `InvalidError`."""
        if not 1 <= days <= MAX_DAYS:
            raise InvalidError(FieldProblem("/recorded/since", f"A period has 1 to {MAX_DAYS} days."))
        now = timezone.now()
        return cls(now - timedelta(days=days), now, calls)


@dataclass(frozen=True)
class RecordedDraw:
    """Recorded calls with their labels, as they were when they were drawn."""

    workspace: Workspace
    period: Period
    calls: Sequence[ExperimentCall] = field(default_factory=list)
    """Unsaved, and of no experiment yet."""

    @property
    def stored(self) -> dict[str, Any]:
        """As an experiment keeps it: the digest stands for the calls, their labels and what became of them."""
        drawn = [[str(call.action_id), call.label, call.was_stopped] for call in self.calls]
        return {
            "since": self.period.since.isoformat(),
            "until": self.period.until.isoformat(),
            "calls": self.period.calls,
            "digest": content_digest(drawn),
        }


def draw_calls(workspace: Workspace, period: Period, *, labelled: bool = True) -> RecordedDraw:
    """At most so many calls of the period that are over. Raises `InvalidError` where there is none.

    Not `labelled`, they are only counted: what is known of them is not read.
    """
    if period.since >= period.until:
        raise InvalidError(FieldProblem("/recorded/until", "A period ends after it begins."))
    if not 1 <= period.calls <= MAX_CALLS:
        raise InvalidError(FieldProblem("/recorded/calls", f"1 to {MAX_CALLS} calls can be drawn."))
    bounds = {
        "depth": _DEPTH_A_CALL * period.calls, "least": _MIN_OF_AN_AGENT, "most": period.calls,
        "workspace": workspace.pk, "since": period.since, "until": period.until, "over": True,
    }  # fmt: skip
    drawn = [key for (key,) in pipeline.execute(sql.SELECT_SPREAD, bounds).fetchall()]
    if not drawn:
        raise InvalidError(FieldProblem("/recorded", "No call of this period was decided or brought before a person."))
    # Calls of one conversation stand beside each other: who judges them reads its sources once.
    rows = Action.objects.filter(pk__in=drawn).order_by("trace", "created_at", "pk")
    actions = list(rows.values_list("pk", flat=True))
    labels, stopped = (labels_of_actions(actions), _read_stopped(actions)) if labelled else ({}, {})
    calls = [
        ExperimentCall(ordinal=ordinal, action_id=action, label=labels.get(action), was_stopped=stopped.get(action))
        for ordinal, action in enumerate(actions, start=1)
    ]
    return RecordedDraw(workspace, period, calls)


def _read_stopped(actions: Sequence[UUID]) -> dict[UUID, bool]:
    """Whether the guard stopped each of the calls; without those that no detector looked at."""
    checks = Check.objects.enforced().filter(action__in=actions, status=CheckStatus.DONE)
    reviewed = Review.objects.filter(action__in=actions)
    sent_back = Decision.objects.filter(action__in=actions, decided_by=DecidedBy.POLICY, outcome=Outcome.REJECT)
    stopped = {action for rows in (reviewed, sent_back) for action in rows.values_list("action", flat=True)}
    return {action: action in stopped for action in checks.values_list("action", flat=True)}
