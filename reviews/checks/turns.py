"""Whose turn it is: a free process serves the agent that was served longest ago.

A message from the broker only says that there is work. Which work is decided here, in the database, so that nobody
waits behind another's backlog for longer than one check takes. Each message has one check run, whichever it was sent
for, so that messages and work stay in balance.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Greatest
from django.utils import timezone

from reviews.checks import leases, plan_gate, run
from reviews.models import AgentKey, Check, CheckMode, CheckStatus, Examination, Plan

E = TypeVar("E", bound=Examination)


@dataclass(frozen=True)
class Served:
    """A check or a plan that had its turn."""

    pk: UUID
    delay: float | None
    """Seconds after which a failed attempt is due again."""
    mode: CheckMode | None
    """Of the check; None for a plan."""


def serve_next(*, for_idle_agents: bool = False) -> Served | None:
    """Take the check or plan whose turn it is and bring it as far as it goes. None when nothing is due.

    With `for_idle_agents`, whoever has a check or plan running is passed over.
    """
    plans, checks = _due()
    if for_idle_agents:
        plans, checks = _of_idle_agents(plans), _of_idle_agents(checks)
    enforced, shadow = checks.filter(mode=CheckMode.ENFORCED), checks.filter(mode=CheckMode.SHADOW)
    # Agents wait for plans and enforced checks, and nobody for a shadow.
    for agent_key in _longest_ago(plans, enforced):
        # An agent asks about its plan before it makes any call of it.
        if served := _serve_plan(plans.filter(agent_key=agent_key)) or _serve_check(
            enforced.filter(agent_key=agent_key)
        ):
            return served
    for agent_key in _longest_ago(shadow):
        if served := _serve_check(shadow.filter(agent_key=agent_key)):
            return served
    return None


def anything_waits() -> bool:
    """Whether a check or plan is due that nobody has taken."""
    return any(rows.exists() for rows in _due())


def _due() -> tuple[QuerySet[Plan], QuerySet[Check]]:
    return leases.due(Plan.objects.all()), leases.due(Check.objects.filter(run.WORTH_RUNNING))


def _of_idle_agents(rows: QuerySet[E]) -> QuerySet[E]:
    now = timezone.now()
    for examinations in (Check.objects.all(), Plan.objects.all()):
        running = examinations.filter(agent_key=OuterRef("agent_key"), status=CheckStatus.RUNNING, leased_until__gt=now)
        rows = rows.exclude(Exists(running))
    return rows


def _longest_ago(*waiting: QuerySet[Any]) -> Iterator[UUID]:
    """Agent keys for which something waits: those that were never served first, then by when they were."""
    some = Q()
    for rows in waiting:
        some |= Q(Exists(rows.filter(agent_key=OuterRef("pk"))))
    # Two processes that look at once may serve the same agent: each is done with one check before it looks again.
    last = Greatest(_last_start(Check.objects.all()), _last_start(Plan.objects.all()))
    in_turn = AgentKey.objects.filter(some).order_by(last.asc(nulls_first=True), "pk")
    yield from in_turn.values_list("pk", flat=True)


def _last_start(rows: QuerySet[E]) -> Any:
    started = rows.filter(agent_key=OuterRef("pk"), started_at__isnull=False).order_by("-started_at")
    return Subquery(started.values("started_at")[:1])


def _serve_plan(rows: QuerySet[Plan]) -> Served | None:
    taken = leases.take(plan_gate.PLANS, rows.order_by("created_at"))
    return Served(taken.examined.pk, taken.carry_out(), None) if taken else None


def _serve_check(rows: QuerySet[Check]) -> Served | None:
    taken = leases.take(run.CHECKS, rows.order_by("created_at"))
    if taken is None:
        return None
    delay = taken.carry_out()
    run.settle(taken.examined)
    return Served(taken.examined.pk, delay, CheckMode(taken.examined.mode))
