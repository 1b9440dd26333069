"""Lease a detector's work to one worker, store each finished stage under the lease, and finish it once.

A killed worker's successor resumes behind the last stage, and a worker that lost its lease can no longer write. Work
that has used up its attempts ends undetermined, so that a person looks.
"""

import logging
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Generic, TypeVar
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import Func, Q, QuerySet, TextField, Value
from django.utils import timezone
from structlog.contextvars import bound_contextvars

from reviews.judging import build, loop
from reviews.judging.processes import expendable
from reviews.models import CheckStatus, Examination, GuardProfile, JudgeKind, pipeline
from reviews.provenance import prompts
from reviews.provenance.core.findings import Misaligned, StageResult, Verdict, conclude, stage_from_json, stage_to_json
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import (
    BreakerOpenError,
    Judge,
    JudgeMisconfiguredError,
    JudgeUnavailableError,
    RulesJudge,
)
from reviews.records import verdicts
from reviews.records.transactions import retried

E = TypeVar("E", bound=Examination)

# Once may be an accident of the machine. Whatever kills its process twice would kill the next one, too.
MOST_KILLED: Final = 2

# Said with the row that is taken: the lease is not waited for on the disk. A database that crashes forgets it, and the
# check is taken anew.
_RELAXED: Final = Func(
    Value("synchronous_commit"), Value("off"), Value(True), function="set_config", output_field=TextField()
)

_log = logging.getLogger(__name__)


# A worker that dies loses at most this much of what rules found.
UNWRITTEN_SECONDS: Final = 1.0
# Stages that rules find this soon after each other are taken over at once.
TOGETHER_SECONDS: Final = 0.1
# What a check that ends itself at its deadline has, to write that down before the kernel ends its process.
GRACE_SECONDS: Final = 1.0


class _DeadlineError(Exception):
    """The check has used up its time."""


class LeaseLostError(Exception):
    """Another worker has taken the work over; this one stops without writing."""


@dataclass(frozen=True)
class Procedure:
    """What runs for one examination."""

    version: str
    """Of the detector."""
    stages: Callable[[Judge, tuple[StageResult, ...]], Stages]
    """Given the judge and the stages that are done: those that are left, as `Detector.stages` yields them."""


class Work(ABC, Generic[E]):
    """One kind of examination: how its rows are read, what runs for one, and what its verdict brings about."""

    @abstractmethod
    def rows(self) -> QuerySet[E]:
        """Every examination of this kind."""

    @abstractmethod
    def with_context(self, rows: QuerySet[E]) -> QuerySet[E]:
        """The rows with everything the other methods read, joined."""

    @abstractmethod
    def profile_of(self, examined: E) -> GuardProfile:
        """The version of the profile it is judged under."""

    @abstractmethod
    def procedure_for(self, examined: E) -> Procedure:
        """What runs. Whatever this raises is another failed attempt."""

    @abstractmethod
    def request_id_of(self, examined: E) -> str:
        """The request that submitted it, for log lines; empty when it is not known."""

    def answer(self, examined: E, verdict: Verdict) -> dict[str, Any]:
        """Columns that the row gets together with the verdict, by name.

        Runs in the transaction that finishes the examination: whatever it changes elsewhere is taken back when the
        lease turns out to be lost.
        """
        return {}

    def keep(self, examined: E, verdict: Verdict) -> None:
        """Store what belongs to the verdict, once, in the transaction that has just finished the examination."""


def attempt(work: Work[E], pk: UUID) -> float | None:
    """Take the examination if it is due and nobody holds it, and bring it as far as it goes. Harmless to repeat.

    Returns the seconds after which a failed attempt is due again, or None.
    """
    taken = take(work, work.rows().filter(pk=pk))
    return taken.carry_out() if taken else None


def take(work: Work[E], rows: QuerySet[E], *, only_overdue: bool = False) -> "Attempt[E] | None":
    """Take the first of the rows that is due and that nobody holds; None when there is none.

    With `only_overdue` it is left alone if it may run again.
    """
    now = timezone.now()
    with transaction.atomic():
        # Of two workers with the same message only one finds the row, and neither waits for the other. The key stays as
        # it is, so that rows which refer to it may be stored meanwhile.
        free = due(work.with_context(rows)).annotate(relaxed=_RELAXED)
        examined = free.select_for_update(skip_locked=True, of=("self",), no_key=True).first()
        if examined is None:
            return None
        profile = work.profile_of(examined)
        why_overdue = _count_killed(examined, profile, now)
        if only_overdue and not why_overdue:
            return None
        deadline = (examined.started_at or now) + timedelta(seconds=profile.seconds_of_a_check)
        taken = Attempt(work, examined, uuid4(), deadline, why_overdue)
        examined.attempts += 1
        # Attempts are counted as they begin, because one that kills its worker never gets to the end.
        work.rows().filter(pk=examined.pk).update(
            status=CheckStatus.RUNNING,
            lease=taken.lease,
            leased_until=taken.lease_end(),
            attempts=examined.attempts,
            started_at=examined.started_at,
            killed=examined.killed,
        )
    return taken


def due(rows: QuerySet[E]) -> QuerySet[E]:
    """Of these, what may be taken now: nobody holds it, and no delay of a retry is left."""
    now = timezone.now()
    free = Q(status=CheckStatus.QUEUED) | Q(status=CheckStatus.RUNNING, leased_until__lte=now)
    in_time = Q(not_before__isnull=True) | Q(not_before__lte=now)
    # Done ones are excluded in so many words, because that is the condition of the indexes.
    return rows.exclude(status=CheckStatus.DONE).filter(free & in_time)


def taken_too_long(profile: GuardProfile) -> str:
    """The reason of a check that was stopped at its deadline."""
    return f"The check took longer than {profile.seconds_of_a_check} seconds and was stopped."


def _count_killed(examined: Examination, profile: GuardProfile, now: datetime) -> str:
    """Bring `killed` and `started_at` up to date for an attempt that begins now.

    Returns why there must be no further one, in words for a person; empty if there may.
    """
    if examined.started_at is None:
        examined.started_at = now
        # A row that was taken before deadlines were kept has attempts, but no start.
        examined.killed += examined.status == CheckStatus.RUNNING
        return ""
    ended = examined.started_at + timedelta(seconds=profile.seconds_of_a_check)
    if examined.status != CheckStatus.RUNNING:
        # It waited for a judge, or for a free process, until its time was over.
        return (examined.reason or taken_too_long(profile)) if ended <= now else ""
    # Its lease ran out: the process that held it ended without a word.
    examined.killed += 1
    if examined.leased_until and examined.leased_until >= ended:
        return taken_too_long(profile)
    if examined.killed >= MOST_KILLED:
        return "The check ended its process twice."
    if ended <= now:
        # Killed early, with a machine that was away for long: that time was not the check's.
        examined.started_at = now
    return ""


def unattended(rows: QuerySet[E]) -> QuerySet[E]:
    """Of these, what is due and unfinished and nobody works on: its message is lost, or its worker died."""
    # Younger ones are left alone, as their message is most likely still on its way to a worker.
    fresh = timezone.now() - timedelta(seconds=settings.GUARD.sweep_seconds)
    return due(rows).filter(created_at__lte=fresh)


def give_up_overdue(work: Work[E], pk: UUID) -> E | None:
    """Finish the examination as undetermined if its time is over or it was killed too often.

    Returns it if so, None if it may run again or has been taken meanwhile.
    """
    taken = take(work, work.rows().filter(pk=pk), only_overdue=True)
    if taken is None:
        return None
    taken.carry_out()
    return taken.examined


@dataclass(frozen=True)
class Attempt(Generic[E]):
    """One worker's turn."""

    work: Work[E]
    examined: E
    lease: UUID
    deadline: datetime
    """When it is stopped, whatever it is doing."""
    why_overdue: str
    """Why it must end without running; empty if it may run."""
    unwritten: dict[str, Any] = field(default_factory=dict)
    """Columns that the next write stores too."""
    _clock: list[float] = field(default_factory=lambda: [time.monotonic()])
    """When the row was written last, on the monotonic clock."""

    @property
    def finished(self) -> bool:
        """Whether this attempt has brought the examination to its end, with all that follows from its verdict."""
        return self.examined.status == CheckStatus.DONE

    def carry_out(self) -> float | None:
        """Bring the examination as far as it goes. Returns seconds as `attempt` does."""
        # From the row and not from the message: whose turn it is, the database says, and messages may be lost.
        named = {"request_id": self.work.request_id_of(self.examined), "examination": str(self.examined.pk)}
        try:
            # The kernel ends this process where nothing else can: in a library that never returns.
            with bound_contextvars(**named), expendable.killed_after(self._seconds_left() + GRACE_SECONDS):
                return self._carry_out()
        except LeaseLostError:
            _log.info("examination %s was taken over", self.examined.pk)
            return None

    def lease_end(self) -> datetime:
        """Until when a lease that is renewed now is held: never longer than the deadline."""
        lease = timezone.now() + timedelta(seconds=settings.GUARD.check_lease_seconds)
        return lease if self.why_overdue else min(lease, self.deadline)

    def _seconds_left(self) -> float:
        # What must end without running has its time behind it, and needs some to be written down.
        if self.why_overdue:
            return settings.GUARD.check_lease_seconds
        return (self.deadline - timezone.now()).total_seconds()

    def _renew(self) -> None:
        """Renew the lease. Raises `LeaseLostError`, and `_DeadlineError` when there is no time left to renew it for."""
        if timezone.now() >= self.deadline:
            raise _DeadlineError
        self._write(leased_until=self.lease_end())

    def _note(self, *, dear: bool, **values: Any) -> None:
        """Store these columns: now if they were dear or the last write is a while ago, else with the next write."""
        self.unwritten.update(values)
        if dear or time.monotonic() - self._clock[0] >= UNWRITTEN_SECONDS:
            self._write(leased_until=self.lease_end())

    def _carry_out(self) -> float | None:
        if self.why_overdue:
            _log.warning("examination %s is given up: %s", self.examined.pk, self.why_overdue)
            self._give_up(self.why_overdue)
            return None
        if self.examined.attempts > settings.GUARD.check_max_attempts:
            # Each attempt before ended with its worker: do not let this one take the next worker down too.
            self._give_up("The check did not survive any attempt.")
            return None
        try:
            self._finish(self._run())
        except LeaseLostError:
            raise
        except _DeadlineError:
            self._give_up(taken_too_long(self.work.profile_of(self.examined)))
        except BreakerOpenError as error:
            return self._try_later(f"The judge was not asked: {error}", least=error.retry_after)
        except JudgeUnavailableError as error:
            return self._try_later(f"The judge could not be reached: {error}")
        except JudgeMisconfiguredError as error:
            self._give_up(f"The judge refuses to answer: {error}")
        except Exception as error:  # noqa: BLE001 - fail closed: whatever went wrong, a person looks in the end
            _log.exception("examination %s failed", self.examined.pk)
            return self._try_later(f"The check failed: {type(error).__name__}.")
        return None

    def _run(self) -> Verdict:
        profile = self.work.profile_of(self.examined)
        procedure, judge = self.work.procedure_for(self.examined), build.judge_for(profile)
        prompt_versions = prompts.versions() if profile.judge == JudgeKind.OPENAI else {}
        # What a model says was paid for. What rules say costs a successor a moment, and each write a wait for the disk.
        dear = not isinstance(judge, RulesJudge)
        # Stored before a model is asked, so that an attempt which fails still shows what was to answer.
        self._note(dear=dear, detector_version=procedure.version, judge=judge.name, prompts=dict(prompt_versions))
        done = tuple(stage_from_json(stored) for stored in self.examined.stages)
        try:
            for finished in self._stages(procedure, judge, done):
                done = (*done, finished)
                self._note(dear=dear, stages=[stage_to_json(stage) for stage in done])
        except JudgeUnavailableError:
            if isinstance(judge, RulesJudge):
                raise
            # Nobody needs to wait for the judge's return to hear what rules refute. What they cannot tell is not
            # stored: the judge is asked about it at the next attempt.
            by_rules = conclude((*done, *self._stages(procedure, RulesJudge(), done)))
            if not isinstance(by_rules, Misaligned):
                raise
            return by_rules
        return conclude(done)

    def _stages(self, procedure: Procedure, judge: Judge, done: tuple[StageResult, ...]) -> Iterator[StageResult]:
        """The stages that are left behind `done`, as they finish. Raises `LeaseLostError` and what the judge raises."""
        if done and done[-1].final:
            return
        # A third of the lease: one renewal may come late or fail before another worker takes the check over. Shortened
        # so that the last falls on the deadline, where a check that only waits ends without being killed.
        left, longest = max(self._seconds_left(), GRACE_SECONDS), settings.GUARD.check_lease_seconds / 3
        running = procedure.stages(judge, done)
        try:
            together = TOGETHER_SECONDS if isinstance(judge, RulesJudge) else 0
            every = left / math.ceil(left / longest)
            yield from loop.run_each(running, tick=self._renew, every=every, together=together)
        except (LeaseLostError, _DeadlineError):
            expendable.spoil()
            raise

    def _write(self, **values: Any) -> None:
        """Write as long as the lease is held. Raises `LeaseLostError`."""
        held = {"id": self.examined.pk, "lease": self.lease, "status": CheckStatus.RUNNING}
        if not pipeline.update(type(self.examined), {**self.unwritten, **values}, **held):
            raise LeaseLostError
        self.unwritten.clear()
        self._clock[0] = time.monotonic()

    def _try_later(self, reason: str, *, least: float = 0) -> float | None:
        """Give it back until its next attempt is due, in `least` seconds or more; give up after the last.

        The last is also one behind which no time is left.

        Returns the seconds until then, or None.
        """
        if self.examined.attempts >= settings.GUARD.check_max_attempts:
            self._give_up(reason)
            return None
        # Doubled each time, so that an endpoint in trouble is not kept there by the checks that wait for it.
        delay: float = max(least, settings.GUARD.check_retry_seconds * 2 ** (self.examined.attempts - 1))
        if delay >= self._seconds_left():
            self._give_up(reason)
            return None
        self._write(
            status=CheckStatus.QUEUED,
            lease=None,
            leased_until=None,
            not_before=timezone.now() + timedelta(seconds=delay),
            reason=reason,
        )
        return delay

    def _give_up(self, reason: str) -> None:
        """Finish it as undetermined, behind the stored stages that can be read, so that a person looks."""
        stored = self.unwritten.get("stages") or self.work.rows().values_list("stages", flat=True).get(
            pk=self.examined.pk
        )
        self._finish(conclude((*verdicts.readable(stored), StageResult("judge", undetermined=reason))))

    @retried
    def _finish(self, verdict: Verdict) -> None:
        unwritten = dict(self.unwritten)
        try:
            self._store(verdict)
        except BaseException:
            # Taken back with the transaction.
            self.unwritten.update(unwritten)
            raise
        self.examined.status = CheckStatus.DONE

    @transaction.atomic
    def _store(self, verdict: Verdict) -> None:
        # The write comes before `keep`: it raises when the lease is lost, so that findings are never stored twice.
        self._write(
            status=CheckStatus.DONE,
            lease=None,
            leased_until=None,
            finished_at=timezone.now(),
            **(verdicts.row_of(verdict) | self.work.answer(self.examined, verdict)),
        )
        self.work.keep(self.examined, verdict)
