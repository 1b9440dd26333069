"""Whose turn it is: a free process serves the agent that was served longest ago.

A message from the broker only says that there is work. Which work is decided here, in the database, so that nobody
waits behind another's backlog for longer than one check takes. Each message has one check run, whichever it was sent
for, so that messages and work stay in balance.
"""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, TypeAlias, TypeVar
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from reviews.models import (
    Action,
    Check,
    CheckMode,
    CheckStatus,
    Examination,
    GuardProfile,
    Plan,
    Text,
    ToolSet,
    Trace,
    pipeline,
)
from reviews.models.sql import agent_keys
from reviews.models.sql import checks as sql_checks
from reviews.scheduling import attempts, leases, quarantine
from reviews.scheduling.attempts import JobKind
from reviews.scheduling.process_sharing import Sharing

E = TypeVar("E", bound=Examination)

# A hundred times what an ordinary check by rules takes. Whoever needed it is served by the other processes for a while.
LONG: Final = timedelta(seconds=2)
LATELY: Final = timedelta(minutes=1)


ClaimedJob: TypeAlias = attempts.Attempt[Check] | attempts.Attempt[Plan]


@dataclass(frozen=True)
class ServedJob:
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
    suspected: bool
    """Whether something of it may end its process, as another check or plan of this agent does or has done of late."""
    quarantined: bool
    """Whether calls like some that it made are not begun (`quarantine`)."""


class _Round:
    """The agents that plans and enforced checks wait for, in the order in which this process serves them."""

    def __init__(self) -> None:
        self._in_turn: deque[_Waiting] = deque()
        self._until = 0.0

    def __iter__(self) -> Iterator[_Waiting]:
        """Each agent in its turn; behind the last one that was kept, all are looked up anew."""
        if time.monotonic() < self._until:
            yield from self._pop_each()
        # Two processes that look at once may serve the same agent: each is done with one check before its next.
        self._in_turn = deque(_served_longest_ago(CheckMode.ENFORCED))
        self._until = time.monotonic() + ROUND_SECONDS
        yield from self._pop_each()

    def _pop_each(self) -> Iterator[_Waiting]:
        while self._in_turn:
            yield self._in_turn.popleft()

    def put_last(self, waiting: _Waiting) -> None:
        """Its next turn comes behind all others."""
        self._in_turn.append(waiting)


class FairScheduler:
    """Fetches the check or plan whose turn it is, for one process."""

    def __init__(self, *, checks: JobKind[Check], plans: JobKind[Plan]) -> None:
        self._checks, self._plans = checks, plans
        self._round = _Round()

    def serve_next(self, *, for_idle_agents: bool = False) -> ServedJob | None:
        """Fetch the job whose turn it is and bring it as far as it goes. None when nothing is due.

        With `for_idle_agents`, whoever has a check or plan running is passed over.
        """
        job = self.fetch_job(for_idle_agents=for_idle_agents)
        return settle_served(job, job.carry_out()) if job else None

    def fetch_job(self, *, for_idle_agents: bool = False, sharing: Sharing = Sharing.NONE) -> ClaimedJob | None:
        """Take the check or plan whose turn it is. None when nothing is due that may be taken.

        With `for_idle_agents`, whoever has a check or plan running is passed over.
        """
        # Who is idle changes with every check, so that nobody's turn can be kept.
        for waiting in _served_longest_ago(CheckMode.ENFORCED, idle=True) if for_idle_agents else self._round:
            if job := self._fetch_of(waiting, CheckMode.ENFORCED, idle=for_idle_agents, sharing=sharing):
                if not for_idle_agents:
                    self._round.put_last(waiting)
                return job
        # Agents wait for plans and enforced checks, and nobody for a shadow.
        for waiting in _served_longest_ago(CheckMode.SHADOW, idle=for_idle_agents):
            if job := self._fetch_of(waiting, CheckMode.SHADOW, idle=for_idle_agents, sharing=sharing):
                return job
        return None

    def _fetch_of(self, waiting: _Waiting, mode: CheckMode, *, idle: bool, sharing: Sharing) -> ClaimedJob | None:
        """Take what this agent waits for; with `idle`, as long as it has nothing running. None when nothing is left.

        What is in quarantine is taken to be ended.
        """
        job = self._fetch_any_of(waiting, mode, idle=idle, sharing=sharing)
        if job is None or not waiting.quarantined or job.give_up_reason or isinstance(job.examined, Plan):
            return job
        return replace(job, give_up_reason=quarantine.why_not_begun(job.examined))

    def _fetch_any_of(self, waiting: _Waiting, mode: CheckMode, *, idle: bool, sharing: Sharing) -> ClaimedJob | None:
        # An agent with one endless call has more of them, and each would end the process of others once.
        if waiting.suspected and sharing == Sharing.ACTIVE:
            return None
        sharing = Sharing.NONE if waiting.suspected else sharing
        # An agent asks about its plan before it makes any call of it.
        if waiting.plans:
            plans = leases.due_rows(Plan.objects.filter(agent_key=waiting.agent_key)).order_by("created_at")
            if plan := leases.fetch_job(self._plans, _of_idle_agents(plans) if idle else plans, sharing=sharing):
                return plan
        if mode == CheckMode.ENFORCED and not idle and (new := self._fetch_new_check(waiting.agent_key, sharing)):
            return new
        checks = leases.due_rows(Check.objects.worth_running().filter(agent_key=waiting.agent_key, mode=mode))
        checks = checks.order_by("created_at")
        return leases.fetch_job(self._checks, _of_idle_agents(checks) if idle else checks, sharing=sharing)

    def _fetch_new_check(self, agent_key: UUID, sharing: Sharing) -> attempts.Attempt[Check] | None:
        """The usual case: nobody has begun the agent's oldest check."""
        now, lease = timezone.now(), uuid4()
        parameters = {
            "agent_key": agent_key,
            "now": now,
            "lease": lease,
            "lease_end": now + timedelta(seconds=settings.GUARD.check_lease_seconds),
            "is_shared": sharing == Sharing.ACTIVE,
            "is_shared_later": sharing == Sharing.AFTER_FIRST_WAIT,
        }
        row = pipeline.execute(sql_checks.fetch_new(), parameters).fetchone()
        if row is None:
            return None
        # The first column only made the commit a light one.
        check = _check_from(iter(row[1:]))
        deadline = now + timedelta(seconds=check.action.profile.seconds_of_a_check)
        return attempts.Attempt(self._checks, check, lease, deadline, give_up_reason="")


def settle_served(job: ClaimedJob, delay: float | None) -> ServedJob:
    """Do what is left behind an attempt that has come as far as it could."""
    if not job.is_finished:
        job.settle_outcome()
    examined = job.examined
    return ServedJob(examined.pk, delay, CheckMode(examined.mode) if isinstance(examined, Check) else None)


def is_anything_due() -> bool:
    """Whether a check or plan is due that nobody has taken."""
    (due,) = pipeline.execute(sql_checks.IS_ANYTHING_DUE, {"now": timezone.now()}).fetchone() or (False,)
    return bool(due)


def _check_from(values: Iterator[Any]) -> Check:
    """The check with all that its detector reads."""
    check, action = pipeline.read_row(values, Check), pipeline.read_row(values, Action)
    action.profile = pipeline.read_row(values, GuardProfile)
    action.trace = pipeline.read_row(values, Trace)
    action.trace.query = pipeline.read_row(values, Text)
    action.tool_set = pipeline.read_row(values, ToolSet)
    check.action = action
    return check


def _served_longest_ago(mode: CheckMode, *, idle: bool = False) -> list[_Waiting]:
    now = timezone.now()
    moments = {
        "now": now,
        "long_ago": now - LONG,
        "lately": now - LATELY,
        "remembered": now - quarantine.MEMORY,
    }
    rows = pipeline.execute(agent_keys.select_by_turn(mode, idle=idle), moments).fetchall()
    return [
        _Waiting(agent_key, plans=plans, suspected=suspected, quarantined=stopped >= quarantine.MAX_STOPPED)
        for agent_key, plans, suspected, stopped in rows
    ]


def _of_idle_agents(rows: QuerySet[E]) -> QuerySet[E]:
    """Of these, what agents ask that have nothing running and have kept no process long of late."""
    # Between two of its calls a hostile agent has nothing running for a moment. One whose process was killed counts as
    # running until somebody has written its end down.
    long = Q(finished_at__gt=timezone.now() - LATELY) & Q(finished_at__gt=F("started_at") + LONG)
    for examinations in (Check.objects.all(), Plan.objects.all()):
        busy = examinations.filter(Q(status=CheckStatus.RUNNING) | long, agent_key=OuterRef("agent_key"))
        rows = rows.exclude(Exists(busy))
    return rows
