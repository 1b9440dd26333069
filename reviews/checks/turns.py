"""Whose turn it is: a free process serves the agent that was served longest ago.

A message from the broker only says that there is work. Which work is decided here, in the database, so that nobody
waits behind another's backlog for longer than one check takes. Each message has one check run, whichever it was sent
for, so that messages and work stay in balance.
"""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypeVar
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Greatest
from django.utils import timezone

from reviews.checks import leases, plan_gate, run, statements
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


# Whose turn it is costs a look at every agent; its order is kept for this long and gone round. Whoever comes new waits
# no longer than that, which is less than a check with a model takes.
ROUND_SECONDS: Final = 0.25


@dataclass(frozen=True)
class _Waiting:
    """An agent key for which something waits."""

    agent_key: UUID
    plans: bool
    """Whether plans are among it."""


class _Round:
    """The agents that plans and enforced checks wait for, in the order in which this process serves them."""

    def __init__(self) -> None:
        self._in_turn: deque[_Waiting] = deque()
        self._until = 0.0

    def __iter__(self) -> Iterator[_Waiting]:
        """Each agent in its turn; behind the last one that was kept, all are looked up anew."""
        if time.monotonic() < self._until:
            yield from self._each()
        plans, checks = _due()
        self._in_turn = deque(_longest_ago(plans, checks.filter(mode=CheckMode.ENFORCED)))
        self._until = time.monotonic() + ROUND_SECONDS
        yield from self._each()

    def _each(self) -> Iterator[_Waiting]:
        while self._in_turn:
            yield self._in_turn.popleft()

    def was_served(self, waiting: _Waiting) -> None:
        """Its next turn comes behind all others."""
        self._in_turn.append(waiting)


_round = _Round()


def serve_next(*, for_idle_agents: bool = False) -> Served | None:
    """Take the check or plan whose turn it is and bring it as far as it goes. None when nothing is due.

    With `for_idle_agents`, whoever has a check or plan running is passed over.
    """
    plans, checks = _due()
    if for_idle_agents:
        plans, checks = _of_idle_agents(plans), _of_idle_agents(checks)
    enforced, shadow = checks.filter(mode=CheckMode.ENFORCED), checks.filter(mode=CheckMode.SHADOW)
    # Who is idle changes with every check, so that nobody's turn can be kept.
    in_turn = _longest_ago(plans, enforced) if for_idle_agents else _round
    # Agents wait for plans and enforced checks, and nobody for a shadow.
    for waiting in in_turn:
        own = {"agent_key": waiting.agent_key}
        # An agent asks about its plan before it makes any call of it.
        served = _serve_plan(plans.filter(**own)) if waiting.plans else None
        if for_idle_agents:
            served = served or _serve_check(enforced.filter(**own))
        elif served := served or _serve_new(waiting.agent_key) or _serve_check(enforced.filter(**own)):
            _round.was_served(waiting)
        if served:
            return served
    for waiting in _longest_ago(shadow):
        if served := _serve_check(shadow.filter(agent_key=waiting.agent_key)):
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


def _longest_ago(*rows: QuerySet[Any]) -> list[_Waiting]:
    """Agent keys for which something waits: those that were never served first, then by when they were."""
    some, plans = Q(), Q(pk__in=[])
    for each in rows:
        waits = Q(Exists(each.filter(agent_key=OuterRef("pk"))))
        some |= waits
        plans |= waits if each.model is Plan else Q()
    # Two processes that look at once may serve the same agent: each is done with one check before it looks again.
    last = Greatest(_last_start(Check.objects.all()), _last_start(Plan.objects.all()))
    in_turn = AgentKey.objects.filter(some).order_by(last.asc(nulls_first=True), "pk")
    flagged = in_turn.annotate(plans=Case(When(plans, then=True), default=False))
    return [_Waiting(pk, waits_for_plans) for pk, waits_for_plans in flagged.values_list("pk", "plans")]


def _last_start(rows: QuerySet[E]) -> Any:
    started = rows.filter(agent_key=OuterRef("pk"), started_at__isnull=False).order_by("-started_at")
    return Subquery(started.values("started_at")[:1])


def _serve_plan(rows: QuerySet[Plan]) -> Served | None:
    taken = leases.take(plan_gate.PLANS, rows.order_by("created_at"))
    return Served(taken.examined.pk, taken.carry_out(), None) if taken else None


def _serve_new(agent_key: UUID) -> Served | None:
    """The usual case of `_serve_check`: nobody has begun the agent's oldest check."""
    now, lease = timezone.now(), uuid4()
    check = statements.take_new(agent_key, lease, now, now + timedelta(seconds=settings.GUARD.check_lease_seconds))
    if check is None:
        return None
    deadline = now + timedelta(seconds=check.action.profile.seconds_of_a_check)
    return _carried_out(leases.Attempt(run.CHECKS, check, lease, deadline, why_overdue=""))


def _serve_check(rows: QuerySet[Check]) -> Served | None:
    taken = leases.take(run.CHECKS, rows.order_by("created_at"))
    return _carried_out(taken) if taken else None


def _carried_out(taken: leases.Attempt[Check]) -> Served:
    delay = taken.carry_out()
    if not taken.finished:
        run.settle(taken.examined)
    return Served(taken.examined.pk, delay, CheckMode(taken.examined.mode))
