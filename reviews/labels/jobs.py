"""Who runs an import or an export: one worker at a time, by a lease that a successor takes over when it runs out."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final, TypeVar
from uuid import UUID, uuid4

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from reviews.models import ExportJob, ImportJob, JobStatus

J = TypeVar("J", ImportJob, ExportJob)

# A worker renews it at least once a second while it moves; a minute bridges a slow batch and a busy database.
LEASE: Final = timedelta(seconds=60)
# A file that ends its worker three times (memory, a bug in a library) would end the fourth as well.
MOST_ATTEMPTS: Final = 3

# The worker that runs them has four threads; the sweep and the heartbeat need theirs.
MOST_AT_ONCE: Final = 2

_OPEN: Final = (JobStatus.QUEUED, JobStatus.RUNNING)


class JobLostError(Exception):
    """Another worker has the job, or it was cancelled: whoever ran it stops, and what it still writes is refused."""


def take(model: type[J], job_id: UUID) -> J | None:
    """The job under a new lease; None when it is over, another worker runs it, or enough others run. Compare-and-set.

    One that has to wait is enqueued again by the sweep.
    """
    lease, now = uuid4(), timezone.now()
    if _running(ImportJob) + _running(ExportJob) >= MOST_AT_ONCE:
        return None
    free = Q(status=JobStatus.QUEUED) | Q(status=JobStatus.RUNNING, leased_until__lt=now)
    taken = _rows(model, job_id).filter(free, attempts__lt=MOST_ATTEMPTS)
    begun = taken.update(
        status=JobStatus.RUNNING,
        lease=lease,
        leased_until=now + LEASE,
        attempts=F("attempts") + 1,
        started_at=now,
        # Whatever an earlier worker had done is done again: each record or row once, as both are idempotent.
        done=0,
    )
    return model.objects.get(pk=job_id) if begun else None


def renew(job: J, **progress: Any) -> None:
    """Keep the job and store how far it is. Raises `JobLostError`."""
    _set(job, leased_until=timezone.now() + LEASE, **progress)


def finish(job: J, **results: Any) -> None:
    """The job is done. Raises `JobLostError`."""
    _set(job, status=JobStatus.DONE, finished_at=timezone.now(), **results)


def fail(job: J, reason: str) -> None:
    """The job has failed for this reason, a sentence. Raises `JobLostError`."""
    _set(job, status=JobStatus.FAILED, finished_at=timezone.now(), failure=reason)


def cancel(job: J) -> bool:
    """Stop a job that is not over; its worker notices at its next sign of life. Returns whether it was still open."""
    open_job = _rows(type(job), job.pk).filter(status__in=_OPEN)
    return bool(open_job.update(status=JobStatus.CANCELLED, finished_at=timezone.now()))


def lost(model: type[J]) -> Iterator[UUID]:
    """Jobs that nobody runs: never begun for a minute, or left by a dead worker. Those left too often fail here."""
    now = timezone.now()
    rows = model.objects.all()
    forgotten = Q(status=JobStatus.QUEUED, created_at__lt=now - LEASE)
    abandoned = forgotten | Q(status=JobStatus.RUNNING, leased_until__lt=now)
    rows.filter(abandoned, attempts__gte=MOST_ATTEMPTS).update(
        status=JobStatus.FAILED,
        finished_at=now,
        failure=f"{MOST_ATTEMPTS} workers died or were stopped while they ran this job.",
    )
    return rows.filter(abandoned).values_list("pk", flat=True).iterator()


def _set(job: J, **fields: Any) -> None:
    rows = _rows(type(job), job.pk).filter(lease=job.lease, status=JobStatus.RUNNING)
    if not rows.update(**fields):
        raise JobLostError
    for name, value in fields.items():
        setattr(job, name, value)


def _running(model: type[J]) -> int:
    return model.objects.filter(status=JobStatus.RUNNING, leased_until__gte=timezone.now()).count()


def _rows(model: type[J], job_id: UUID) -> QuerySet[J]:
    return model.objects.filter(pk=job_id)
