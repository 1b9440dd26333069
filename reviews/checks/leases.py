"""Lease a detector's work to one worker, store each finished stage under the lease, and finish it once.

A killed worker's successor resumes behind the last stage, and a worker that lost its lease can no longer write. Work
that has used up its attempts ends undetermined, so that a person looks.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from reviews.judging import build, loop
from reviews.models import CheckStatus, Examination, GuardProfile, JudgeKind
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

E = TypeVar("E", bound=Examination)

_log = logging.getLogger(__name__)


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
    def load(self, pk: UUID) -> E:
        """The row with everything the other methods read."""

    @abstractmethod
    def profile_of(self, examined: E) -> GuardProfile:
        """The version of the profile it is judged under."""

    @abstractmethod
    def procedure_for(self, examined: E) -> Procedure:
        """What runs. Whatever this raises is another failed attempt."""

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
    lease, now = uuid4(), timezone.now()
    free = Q(status=CheckStatus.QUEUED) | Q(status=CheckStatus.RUNNING, leased_until__lte=now)
    due = Q(not_before__isnull=True) | Q(not_before__lte=now)
    # One statement: of two workers with the same message only one changes the row. Attempts are counted as they begin,
    # because one that kills its worker never gets to the end.
    taken = (
        work.rows()
        .filter(free & due, pk=pk)
        .update(status=CheckStatus.RUNNING, lease=lease, leased_until=_lease_end(), attempts=F("attempts") + 1)
    )
    if not taken:
        return None
    try:
        return _Attempt(work, work.load(pk), lease).carry_out()
    except LeaseLostError:
        _log.info("examination %s was taken over", pk)
        return None


def unattended(rows: QuerySet[E]) -> QuerySet[E]:
    """Of these, what is due and unfinished and nobody works on: its message is lost, or its worker died."""
    now = timezone.now()
    # Younger ones are left alone, as their message is most likely still on its way to a worker.
    fresh = now - timedelta(seconds=settings.GUARD.sweep_seconds)
    dropped = Q(status=CheckStatus.RUNNING, leased_until__lte=now)
    waiting = Q(status=CheckStatus.QUEUED) & (Q(not_before__isnull=True) | Q(not_before__lte=now))
    return rows.exclude(status=CheckStatus.DONE).filter(dropped | waiting, created_at__lte=fresh)


@dataclass(frozen=True)
class _Attempt(Generic[E]):
    """One worker's turn."""

    work: Work[E]
    examined: E
    lease: UUID

    def carry_out(self) -> float | None:
        """Run and finish the examination. Returns seconds as `attempt` does; raises `LeaseLostError`."""
        if self.examined.attempts > settings.GUARD.check_max_attempts:
            # Each attempt before ended with its worker: do not let this one take the next worker down too.
            self._give_up("The check did not survive any attempt.")
            return None
        try:
            self._finish(self._run())
        except LeaseLostError:
            raise
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
        # Stored before anything runs, so that an attempt which fails still shows what was to answer.
        self._write(detector_version=procedure.version, judge=judge.name, prompts=dict(prompt_versions))
        done = tuple(stage_from_json(stored) for stored in self.examined.stages)
        try:
            for finished in self._stages(procedure, judge, done):
                done = (*done, finished)
                self._write(stages=[stage_to_json(stage) for stage in done], leased_until=_lease_end())
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
        # A third of the lease: one renewal may come late or fail before another worker takes the check over.
        renewal_seconds = settings.GUARD.check_lease_seconds / 3
        running = procedure.stages(judge, done)
        yield from loop.run_each(running, tick=lambda: self._write(leased_until=_lease_end()), every=renewal_seconds)

    def _write(self, **values: Any) -> None:
        """Write as long as the lease is held. Raises `LeaseLostError`."""
        held = self.work.rows().filter(pk=self.examined.pk, lease=self.lease, status=CheckStatus.RUNNING)
        if not held.update(**values):
            raise LeaseLostError

    def _try_later(self, reason: str, *, least: float = 0) -> float | None:
        """Give it back until its next attempt is due, in `least` seconds or more; after the last, give up.

        Returns the seconds until then, or None.
        """
        if self.examined.attempts >= settings.GUARD.check_max_attempts:
            self._give_up(reason)
            return None
        # Doubled each time, so that an endpoint in trouble is not kept there by the checks that wait for it.
        delay: float = max(least, settings.GUARD.check_retry_seconds * 2 ** (self.examined.attempts - 1))
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
        stored = self.work.rows().values_list("stages", flat=True).get(pk=self.examined.pk)
        self._finish(conclude((*verdicts.readable(stored), StageResult("judge", undetermined=reason))))

    @transaction.atomic
    def _finish(self, verdict: Verdict) -> None:
        # The write comes before `keep`: it raises when the lease is lost, so that findings are never stored twice.
        self._write(
            status=CheckStatus.DONE,
            lease=None,
            leased_until=None,
            finished_at=timezone.now(),
            **(verdicts.row_of(verdict) | self.work.answer(self.examined, verdict)),
        )
        self.work.keep(self.examined, verdict)


def _lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.GUARD.check_lease_seconds)
