"""One worker's turn at a detector's work: store each finished stage under the lease, and finish the work once.

A worker that lost its lease can no longer write. An attempt is brought forward in steps: while it waits for its judge,
its process may bring others forward (`company`).
"""

import logging
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from psycopg import Cursor
from structlog.contextvars import bound_contextvars

from reviews.judging import build
from reviews.judging.breaker import BreakerOpenError
from reviews.models import CheckStatus, Examination, GuardProfile, JudgeKind, pipeline
from reviews.provenance.core.findings import StageResult, stage_from_json, stage_to_json
from reviews.provenance.core.verdicts import Misaligned, Verdict, conclude_stages
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import Judge, JudgeMisconfiguredError, JudgeUnavailableError, RulesJudge
from reviews.provenance.prompts.prompt import prompt_versions
from reviews.records import verdicts
from reviews.records.transactions import retry_on_conflict
from reviews.scheduling import event_loop
from reviews.scheduling.in_flight import InFlightQuestions, TrackingJudge
from reviews.scheduling.worker_process import worker_process

E = TypeVar("E", bound=Examination)
R = TypeVar("R")

_log = logging.getLogger(__name__)

# A worker that dies loses at most this much of what rules found.
UNWRITTEN_SECONDS: Final = 1.0
# Stages that rules find this soon after each other are taken over at once; and those of a model, of which a killed
# worker loses no more than that. The end of a check is not waited for.
TOGETHER_SECONDS: Final = 0.1
TOGETHER_SECONDS_OF_MODEL: Final = 0.01
# What a check that ends itself at its deadline has, to write that down before the kernel ends its process.
GRACE_SECONDS: Final = 1.0


class _DeadlineError(Exception):
    """The check has used up its time."""


@dataclass(frozen=True)
class Pause:
    """What an attempt waits for."""

    awaited: "Future[Any]"
    """Done when it can go on."""
    until: float
    """When it wants to go on anyway, on the monotonic clock."""


Steps: TypeAlias = Generator[Pause, None, R]
"""Work that another may be done beside whenever it pauses, and its result."""


class LeaseLostError(Exception):
    """Another worker has taken the work over; this one stops without writing."""


@dataclass(frozen=True)
class Procedure:
    """What runs for one examination."""

    version: str
    """Of the detector."""
    stages: Callable[[Judge, tuple[StageResult, ...]], Stages]
    """Given the judge and the stages that are done: those that are left, as `Detector.stages` yields them."""


class JobKind(ABC, Generic[E]):
    """One kind of examination: how its rows are read, what runs for one, and what its verdict brings about."""

    @abstractmethod
    def all_rows(self) -> QuerySet[E]:
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

    def answer_columns(self, examined: E, verdict: Verdict) -> dict[str, Any]:
        """Columns that the row gets together with the verdict, by name.

        Runs in the transaction that finishes the examination: whatever it changes elsewhere is taken back when the
        lease turns out to be lost.
        """
        return {}

    def store_details(self, examined: E, verdict: Verdict) -> Any:
        """Store what belongs to the verdict, by statements of `pipeline` that travel with the one that finishes it.

        Returns what `on_finished` wants of them; their results may be read there only.
        """
        return None

    def settle_outcome(self, examined: E) -> None:
        """Do what is left behind an attempt, whoever finished the examination. Harmless to repeat."""

    def on_finished(self, examined: E, verdict: Verdict, stored: Any) -> None:
        """Do what follows from the verdict, once, in the transaction that has just finished the examination."""


def deadline_reason(profile: GuardProfile) -> str:
    """The reason of a check that was stopped at its deadline."""
    return f"The check took longer than {profile.seconds_of_a_check} seconds and was stopped."


# By identity: a process keeps several, and no two are the same.
@dataclass(frozen=True, eq=False)
class Attempt(Generic[E]):
    """One worker's turn."""

    kind: JobKind[E]
    examined: E
    lease: UUID
    deadline: datetime
    """When it is stopped, whatever it is doing."""
    give_up_reason: str
    """Why it must end without running; empty if it may run."""
    in_flight: InFlightQuestions = field(default_factory=InFlightQuestions)
    """The questions to its judge that are under way."""
    unwritten: dict[str, Any] = field(default_factory=dict)
    """Columns that the next write stores too."""
    _clock: list[float] = field(default_factory=lambda: [time.monotonic()])
    """When the row was written last, on the monotonic clock."""

    @property
    def is_finished(self) -> bool:
        """Whether this attempt has brought the examination to its end, with all that follows from its verdict."""
        return self.examined.status == CheckStatus.DONE

    def carry_out(self) -> float | None:
        """Bring the examination as far as it goes. Returns seconds as `leases.attempt` does."""
        steps = self.run_in_steps()
        # The kernel ends this process where nothing else can: in a library that never returns.
        with self.bind_log_context(), worker_process.killed_after(self.seconds_left() + GRACE_SECONDS):
            while True:
                try:
                    pause = next(steps)
                except StopIteration as ended:
                    return cast("float | None", ended.value)
                wait([pause.awaited], timeout=pause.until - time.monotonic())

    def run_in_steps(self) -> Steps[float | None]:
        """Bring the examination as far as it goes, in steps, each run under `bind_log_context`. Results as above."""
        try:
            return (yield from self._carry_out())
        except LeaseLostError:
            _log.info("examination %s was taken over", self.examined.pk)
            return None

    def bind_log_context(self) -> AbstractContextManager[object]:
        """Have log lines say whose they are."""
        # From the row and not from the message: whose turn it is, the database says, and messages may be lost.
        return bound_contextvars(request_id=self.kind.request_id_of(self.examined), examination=str(self.examined.pk))

    def settle_outcome(self) -> None:
        """Do what is left, whoever finished the examination. Harmless to repeat."""
        self.kind.settle_outcome(self.examined)

    def lease_end(self) -> datetime:
        """Until when a lease that is renewed now is held: never longer than the deadline."""
        lease = timezone.now() + timedelta(seconds=settings.GUARD.check_lease_seconds)
        return lease if self.give_up_reason else min(lease, self.deadline)

    def seconds_left(self) -> float:
        """Until it is stopped; negative behind its deadline."""
        # What must end without running has its time behind it, and needs some to be written down.
        if self.give_up_reason:
            return settings.GUARD.check_lease_seconds
        return (self.deadline - timezone.now()).total_seconds()

    def _renew_lease(self) -> None:
        """Renew the lease. Raises `LeaseLostError`, and `_DeadlineError` when there is no time left to renew it for."""
        if timezone.now() >= self.deadline:
            raise _DeadlineError
        self._write_columns(leased_until=self.lease_end())

    def _store_columns(self, *, is_paid: bool, **values: Any) -> None:
        """Store these columns: now if they were dear or the last write is a while ago, else with the next write."""
        self.unwritten.update(values)
        if is_paid or time.monotonic() - self._clock[0] >= UNWRITTEN_SECONDS:
            self._write_columns(leased_until=self.lease_end())

    def _carry_out(self) -> Steps[float | None]:
        if self.give_up_reason:
            _log.warning("examination %s is given up: %s", self.examined.pk, self.give_up_reason)
            self._give_up(self.give_up_reason)
            return None
        if self.examined.attempts > settings.GUARD.check_max_attempts:
            # Each attempt before ended with its worker: do not let this one take the next worker down too.
            self._give_up("The check did not survive any attempt.")
            return None
        try:
            self._finish_examination((yield from self._run_detector()))
        except LeaseLostError:
            raise
        except _DeadlineError:
            self._give_up(deadline_reason(self.kind.profile_of(self.examined)))
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

    def _run_detector(self) -> Steps[Verdict]:
        profile = self.kind.profile_of(self.examined)
        procedure = self.kind.procedure_for(self.examined)
        judge = build.judge_for(profile, partial(TrackingJudge, in_flight=self.in_flight))
        versions = prompt_versions() if profile.judge == JudgeKind.OPENAI else {}
        # What a model says was paid for. What rules say costs a successor a moment, and each write a wait for the disk.
        is_paid = not isinstance(judge, RulesJudge)
        # With whatever is written first, so that an attempt which fails still shows what was to answer.
        self._store_columns(is_paid=False, detector_version=procedure.version, judge=judge.name, prompts=dict(versions))
        done = [stage_from_json(stored) for stored in self.examined.stages]

        def store_stages(stages: Sequence[StageResult]) -> None:
            self._store_columns(is_paid=is_paid, stages=[stage_to_json(stage) for stage in stages])

        try:
            yield from self._consume_stages(procedure, judge, done, store_stages)
        except JudgeUnavailableError:
            if isinstance(judge, RulesJudge):
                raise
            # Nobody needs to wait for the judge's return to hear what rules refute. What they cannot tell is not
            # stored: the judge is asked about it at the next attempt.
            yield from self._consume_stages(procedure, RulesJudge(), done, lambda _: None)
            by_rules = conclude_stages(tuple(done))
            if not isinstance(by_rules, Misaligned):
                raise
            return by_rules
        return conclude_stages(tuple(done))

    def _consume_stages(
        self,
        procedure: Procedure,
        judge: Judge,
        done: list[StageResult],
        store: Callable[[Sequence[StageResult]], None],
    ) -> Steps[None]:
        """Add the stages that are left to `done` as they finish, and store them.

        Raises `LeaseLostError`, `_DeadlineError` and what the judge raises.
        """
        if done and done[-1].final:
            return
        # A third of the lease: one renewal may come late or fail before another worker takes the check over. Shortened
        # so that the last falls on the deadline, where a check that only waits ends without being killed.
        remaining, longest = max(self.seconds_left(), GRACE_SECONDS), settings.GUARD.check_lease_seconds / 3
        interval = remaining / math.ceil(remaining / longest)
        batch_window = TOGETHER_SECONDS if isinstance(judge, RulesJudge) else TOGETHER_SECONDS_OF_MODEL
        stages = event_loop.StageStream(procedure.stages(judge, tuple(done)), batch_window=batch_window)
        try:
            while not stages.ended:
                awaited = stages.next_batch()
                while not awaited.done():
                    yield Pause(awaited, time.monotonic() + interval)
                    if not awaited.done():
                        self._renew_lease()
                some, error = awaited.result()
                done += some
                # With the verdict, where that is next.
                if some and (error is not None or not stages.ended):
                    store(done)
                if error is not None:
                    raise error
        except (LeaseLostError, _DeadlineError):
            # A question is given up cleanly. Anything else may run on in a thread, hold locks, and never end.
            if not self.in_flight.count and worker_process.mark_tainted():
                self.unwritten["killed"] = self.examined.killed + 1
            raise
        finally:
            stages.close()

    def _write_columns(self, **values: Any) -> None:
        """Write as long as the lease is held. Raises `LeaseLostError`."""
        self._confirm_lease(self._begin_write(**values))

    def _begin_write(self, **values: Any) -> Cursor[Any]:
        own_lease = {"id": self.examined.pk, "lease": self.lease, "status": CheckStatus.RUNNING}
        return pipeline.begin_update(type(self.examined), {**self.unwritten, **values}, **own_lease)

    def _confirm_lease(self, update: Cursor[Any]) -> None:
        """Behind the write. Raises `LeaseLostError`."""
        if not update.rowcount:
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
        if delay >= self.seconds_left():
            self._give_up(reason)
            return None
        self._write_columns(
            status=CheckStatus.QUEUED,
            lease=None,
            leased_until=None,
            not_before=timezone.now() + timedelta(seconds=delay),
            reason=reason,
        )
        return delay

    def _give_up(self, reason: str) -> None:
        """Finish it as undetermined, behind the stored stages that can be read, so that a person looks."""
        stored = self.unwritten.get("stages") or self.kind.all_rows().values_list("stages", flat=True).get(
            pk=self.examined.pk
        )
        self._finish_examination(
            conclude_stages((*verdicts.read_stages(stored), StageResult("judge", undetermined=reason)))
        )

    @retry_on_conflict
    def _finish_examination(self, verdict: Verdict) -> None:
        unwritten = dict(self.unwritten)
        try:
            self._store_verdict(verdict)
        except BaseException:
            # Taken back with the transaction.
            self.unwritten.update(unwritten)
            raise
        self.examined.status = CheckStatus.DONE

    @transaction.atomic
    def _store_verdict(self, verdict: Verdict) -> None:
        values = verdicts.verdict_columns(verdict) | self.kind.answer_columns(self.examined, verdict)
        # One round trip. Where the lease is lost, all of it is taken back, so that findings are never stored twice.
        with pipeline.batch():
            update = self._begin_write(
                status=CheckStatus.DONE, lease=None, leased_until=None, finished_at=timezone.now(), **values
            )
            stored = self.kind.store_details(self.examined, verdict)
        self._confirm_lease(update)
        self.kind.on_finished(self.examined, verdict, stored)
