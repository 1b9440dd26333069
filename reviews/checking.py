"""Run the workspace's detectors on an action, stage by stage, then let it pass or open a review.

A check is leased to one worker. Each finished stage is stored under the lease, so that a killed worker's successor
resumes behind it, and a worker that lost its lease can no longer write.
"""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from pydantic import ValidationError

from reviews import cases, judging, settling
from reviews.models import (
    Check,
    CheckStatus,
    Finding,
    Interpretation,
    JudgeKind,
    MisalignmentType,
    Status,
    VerdictLabel,
)
from reviews.provenance import detectors, prompts
from reviews.provenance import relations as engine
from reviews.provenance.context import Span
from reviews.provenance.detectors.base import Detector, Options
from reviews.provenance.judges import BreakerOpenError, JudgeMisconfiguredError, JudgeUnavailableError
from reviews.provenance.pointers import name_of
from reviews.provenance.relations import (
    Misaligned,
    StageResult,
    Undetermined,
    Verdict,
    conclude,
    stage_from_json,
    stage_to_json,
)

_log = logging.getLogger(__name__)


class LeaseLostError(Exception):
    """Another worker has taken the check over; this one stops without writing."""


def check(action_id: UUID) -> float | None:
    """Bring every unfinished check of the action as far as it goes, then settle the action.

    Harmless to repeat. Returns the seconds after which a failed attempt is due again, or None.
    """
    delays = [_attempt(pk) for pk in _unfinished(action_id)]
    settling.settle(action_id)
    return max((delay for delay in delays if delay is not None), default=None)


def _unfinished(action_id: UUID) -> list[UUID]:
    checks = Check.objects.exclude(status=CheckStatus.DONE).filter(action=action_id, action__status=Status.CHECKING)
    return list(checks.order_by("created_at").values_list("pk", flat=True))


def _attempt(check_id: UUID) -> float | None:
    lease = uuid4()
    if not _take(check_id, lease):
        return None
    leased = Check.objects.select_related("action__profile", "action__trace__query", "action__tool_set").get(
        pk=check_id
    )
    try:
        return _carry_out(leased, lease)
    except LeaseLostError:
        _log.info("check %s was taken over", check_id)
        return None


def _carry_out(leased: Check, lease: UUID) -> float | None:
    if leased.attempts > settings.GUARD.check_max_attempts:
        # Each attempt before ended with its worker: do not let this one take the next worker down too.
        _give_up(leased, lease, "The check did not survive any attempt.")
        return None
    try:
        _finish(leased, lease, _run(leased, lease))
    except LeaseLostError:
        raise
    except BreakerOpenError as error:
        return _try_later(leased, lease, f"The judge was not asked: {error}", least=error.retry_after)
    except JudgeUnavailableError as error:
        return _try_later(leased, lease, f"The judge could not be reached: {error}")
    except JudgeMisconfiguredError as error:
        _give_up(leased, lease, f"The judge refuses to answer: {error}")
    except Exception as error:  # noqa: BLE001 - fail closed: whatever went wrong, a person looks in the end
        _log.exception("check %s failed", leased.pk)
        return _try_later(leased, lease, f"The check failed: {type(error).__name__}.")
    return None


def _take(check_id: UUID, lease: UUID) -> bool:
    now = timezone.now()
    free = Q(status=CheckStatus.QUEUED) | Q(status=CheckStatus.RUNNING, leased_until__lte=now)
    due = Q(not_before__isnull=True) | Q(not_before__lte=now)
    taken = Check.objects.filter(free & due, pk=check_id).update(
        status=CheckStatus.RUNNING, lease=lease, leased_until=_lease_end(), attempts=F("attempts") + 1
    )
    return taken == 1


def _run(leased: Check, lease: UUID) -> Verdict:
    detector, judge = _detector(leased), judging.judge_for(leased.action.profile)
    asked_with = prompts.versions() if leased.action.profile.judge == JudgeKind.OPENAI else {}
    _write(leased, lease, detector_version=detector.version, judge=judge.name, prompts=dict(asked_with))
    done = tuple(stage_from_json(stored) for stored in leased.stages)
    if done and done[-1].final:
        return conclude(done)
    running = detector.stages(cases.case_for(leased.action), judge, done)
    for stage in judging.run_each(running, tick=lambda: _renew(leased, lease), every=_lease_time().total_seconds() / 3):
        done = (*done, stage)
        _write(leased, lease, stages=[stage_to_json(each) for each in done], leased_until=_lease_end())
    return conclude(done)


def _detector(leased: Check) -> Detector:
    profile = leased.action.profile
    return detectors.build(leased.detector, Options(unknown="pass" if profile.on_unknown == "pass" else "review"))


def _write(leased: Check, lease: UUID, /, **values: Any) -> None:
    if not Check.objects.filter(pk=leased.pk, lease=lease, status=CheckStatus.RUNNING).update(**values):
        raise LeaseLostError


def _renew(leased: Check, lease: UUID) -> None:
    _write(leased, lease, leased_until=_lease_end())


def _lease_end() -> datetime:
    return timezone.now() + _lease_time()


def _lease_time() -> timedelta:
    return timedelta(seconds=settings.GUARD.check_lease_seconds)


def _try_later(leased: Check, lease: UUID, reason: str, *, least: float = 0) -> float | None:
    """Give the check back until its next attempt is due, in `least` seconds or more; after the last, give up."""
    if leased.attempts >= settings.GUARD.check_max_attempts:
        _give_up(leased, lease, reason)
        return None
    delay: float = max(least, settings.GUARD.check_retry_seconds * 2 ** (leased.attempts - 1))
    Check.objects.filter(pk=leased.pk, lease=lease).update(
        status=CheckStatus.QUEUED,
        lease=None,
        leased_until=None,
        not_before=timezone.now() + timedelta(seconds=delay),
        reason=reason,
    )
    return delay


def _give_up(leased: Check, lease: UUID, reason: str) -> None:
    """Undetermined, behind whatever stages can be read: a person looks."""
    stored = Check.objects.values_list("stages", flat=True).get(pk=leased.pk)
    _finish(leased, lease, conclude((*_readable(stored), StageResult("judge", undetermined=reason))))


def _readable(stored: list[Any]) -> Iterator[StageResult]:
    for each in stored:
        try:
            yield stage_from_json(each)
        except ValidationError:
            # It may be what made every attempt fail, and must not make this end fail too.
            _log.exception("a stored stage cannot be read")


@transaction.atomic
def _finish(leased: Check, lease: UUID, verdict: Verdict) -> None:
    _write(
        leased,
        lease,
        status=CheckStatus.DONE,
        lease=None,
        leased_until=None,
        verdict=VerdictLabel(verdict.label),
        misalignment=MisalignmentType(verdict.type) if isinstance(verdict, Misaligned) else "",
        reason=reason_of(verdict),
        stages=[stage_to_json(stage) for stage in verdict.stages],
        usage={
            "calls": verdict.usage.calls,
            "prompt_tokens": verdict.usage.prompt_tokens,
            "completion_tokens": verdict.usage.completion_tokens,
            "cost_usd": verdict.usage.cost_usd,
        },
        seconds=verdict.seconds,
        finished_at=timezone.now(),
    )
    _store_findings(leased, verdict)


def _store_findings(leased: Check, verdict: Verdict) -> None:
    findings = [(stage.stage, finding) for stage in verdict.stages for finding in stage.findings]
    Finding.objects.bulk_create(
        Finding(
            check_run=leased,
            ordinal=ordinal,
            stage=stage,
            relation=finding.relation,
            subject=finding.subject,
            holds=finding.holds,
            rationale=finding.rationale,
            decided_by=finding.decided_by,
            grounding=finding.grounding or "",
            score=finding.score,
            evidence=[span_to_json(span) for span in finding.evidence],
            sources=list(finding.sources),
            trust=finding.trust,
            untrusted_only=finding.untrusted_only,
            nearest=span_to_json(finding.nearest) if finding.nearest else None,
        )
        for ordinal, (stage, finding) in enumerate(findings)
    )
    Interpretation.objects.bulk_create(
        Interpretation(
            check_run=leased,
            ordinal=ordinal,
            reading=reading.reading,
            tool=reading.tool,
            arguments=reading.arguments,
            evidence=[span_to_json(span) for span in reading.evidence],
        )
        for ordinal, reading in enumerate(verdict.interpretations)
    )


def span_to_json(span: Span) -> dict[str, Any]:
    """A span as findings keep it."""
    return {"source": span.source, "start": span.start, "end": span.end, "quote": span.quote}


def reason_of(verdict: Verdict) -> str:
    """Why it stopped, in one line; empty for an aligned action."""
    match verdict:
        case Undetermined():
            return verdict.reason
        case Misaligned():
            rejecting = (stage for stage in verdict.stages if stage.misalignment == verdict.type)
            findings = (finding for stage in rejecting for finding in stage.findings)
            failed = next((finding for finding in findings if finding.holds is False), None)
            return _named(failed) if failed else _competing(verdict)
        case _:
            return ""


def _competing(verdict: Misaligned) -> str:
    unsure = [_named(finding) for finding in verdict.findings if finding.holds is None]
    if verdict.interpretations and not unsure:
        return f"The request can be read in {len(verdict.interpretations)} ways."
    return unsure[0] if unsure else f"Misaligned at the {verdict.type} level."


def _named(finding: engine.Finding) -> str:
    """The rationale, with the argument it speaks of: a row of the queue shows no call."""
    pointed = finding.subject.startswith("/")
    return f"{name_of(finding.subject)}: {finding.rationale}" if pointed else finding.rationale
