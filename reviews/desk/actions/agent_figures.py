"""What an agent does and what becomes of it, by its latest calls: as exact with a million of them as with a hundred."""

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from django.db.models import Exists, OuterRef, Prefetch
from django.utils import timezone

from reviews import access
from reviews.models import Action, Agent, DecidedBy, Decision, Membership, Outcome, Review

LOOKED_AT: Final = 1_000
"""Latest calls that the shares are made of: a bounded look, and enough that they tell of now and not of last year."""
LISTED: Final = 10
DAYS: Final = 14


@dataclass(frozen=True)
class Day:
    """Calls of one day."""

    day: date
    calls: int
    height: float
    """Of its bar, 0 to 100."""


@dataclass(frozen=True)
class AgentFigures:
    """Of the latest calls."""

    calls: int
    """How many were looked at; fewer than `LOOKED_AT` are all there are."""
    complete: bool
    """Whether they are all there are."""
    stopped: int
    """How many went before a person."""
    decided: int
    """How many a person has decided."""
    approved: int
    """How many of those as proposed."""
    days: list[Day]
    latest: list[Action]
    """With `in_force`, the decision that stands, in a list."""

    @property
    def stopped_share(self) -> float | None:
        """Percent that stopped; None without calls."""
        return 100 * self.stopped / self.calls if self.calls else None

    @property
    def approval_rate(self) -> float | None:
        """Percent of a person's decisions that approve the call as proposed; None without any."""
        return 100 * self.approved / self.decided if self.decided else None


def figures_of(membership: Membership, agent: Agent) -> AgentFigures:
    """The figures of this agent, in a fixed number of queries."""
    actions = access.actions_for(membership).filter(agent=agent).order_by("-created_at", "-id")
    by_person = Decision.objects.filter(action=OuterRef("pk"), in_force=True, decided_by=DecidedBy.REVIEWER)
    looked_at = actions.select_related(None).annotate(
        stopped=Exists(Review.objects.filter(action=OuterRef("pk"))),
        decided=Exists(by_person),
        approved=Exists(by_person.filter(outcome=Outcome.APPROVE)),
    )
    rows = list(looked_at.values_list("created_at", "stopped", "decided", "approved", named=True)[: LOOKED_AT + 1])
    complete, rows = len(rows) <= LOOKED_AT, rows[:LOOKED_AT]
    in_force = Prefetch(
        "decisions", Decision.objects.filter(in_force=True).select_related("reviewer"), to_attr="in_force"
    )
    return AgentFigures(
        calls=len(rows),
        complete=complete,
        stopped=sum(row.stopped for row in rows),
        decided=sum(row.decided for row in rows),
        approved=sum(row.approved for row in rows),
        days=_latest_days(Counter(row.created_at.date() for row in rows)),
        latest=list(actions.prefetch_related(in_force)[:LISTED]),
    )


def _latest_days(calls: Counter[date]) -> list[Day]:
    """The latest days, today last."""
    today = timezone.now().date()
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    most = max((calls[day] for day in days), default=0) or 1
    return [Day(day, calls[day], 100 * calls[day] / most) for day in days]
