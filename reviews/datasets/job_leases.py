"""Who runs an import or an export: one worker at a time, by a lease that a successor takes over when it runs out.

A message from the broker only says that there is work. Which work is decided here, as it is for checks: the workspace
that was served longest ago comes next, and none has two jobs run at once, so that nobody waits behind the uploads of
another.
"""

from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias, TypeVar
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone

from reviews.models import Experiment, ExportJob, ImportJob, JobStatus

J = TypeVar("J", ImportJob, ExportJob, Experiment)
AnyJob: TypeAlias = ImportJob | ExportJob | Experiment

# A worker renews it at least once a second while it moves; a minute bridges a slow batch and a busy database.
LEASE: Final = timedelta(seconds=60)
# A file that ends its worker three times (memory, a bug in a library) would end the fourth as well.
MAX_ATTEMPTS: Final = 3

# The worker that runs them has four threads; the sweep and the heartbeat need theirs.
MAX_AT_ONCE: Final = 2
"""Jobs that run at once for all workspaces."""
# An export cannot be interrupted and taken up again, so that one slot is always an import's, soon.
MAX_EXPORTS_AT_ONCE: Final = 1
# Short enough for a person who waits for another workspace's turn, long beside what taking up again costs.
TURN_SECONDS: Final = 10.0
"""How long an import runs while another workspace waits."""

_OPEN: Final = (JobStatus.DRAFT, JobStatus.QUEUED, JobStatus.RUNNING)
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
# Names the lock under which one worker at a time chooses a job: two would choose the same workspace's.
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended('jobs of datasets', 0))"


class JobLostError(Exception):
    """Another worker has the job, or it was cancelled: whoever ran it stops, and what it still writes is refused."""


def take_next_job() -> AnyJob | None:
    """The job whose turn it is, under a new lease; None when nothing waits that may run now."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_LOCK)
        for model, job_id in _jobs_in_turn():
            job = take_job(ImportJob, job_id) if model is ImportJob else take_job(ExportJob, job_id)
            if job is not None:
                return job
    return None


def take_job(model: type[J], job_id: UUID) -> J | None:
    """The job under a new lease; None when it is over, paused, or another worker runs it. Compare-and-set."""
    lease, now = uuid4(), timezone.now()
    takeable = _job_rows(model, job_id).filter(_free_condition(now), attempts__lt=MAX_ATTEMPTS)
    if model is Experiment:
        # Not only where it is chosen: paused since, it would run, and could neither be paused nor resumed any more.
        takeable = takeable.filter(paused=False)
    begun = takeable.update(
        status=JobStatus.RUNNING,
        lease=lease,
        leased_until=now + LEASE,
        attempts=F("attempts") + 1,
        started_at=now,
    )
    return model.objects.get(pk=job_id) if begun else None


def get_leased_job(model: type[J], job_id: UUID, lease: UUID) -> J:
    """The job that runs under this lease. Raises `JobLostError`."""
    job = _job_rows(model, job_id).filter(lease=lease, status=JobStatus.RUNNING).first()
    if job is None:
        raise JobLostError
    return job


def hand_back_job(job: ImportJob | Experiment, **progress: Any) -> None:
    """Leave the job to whoever takes it next, from where it is. Raises `JobLostError`."""
    # An attempt that ends in order does not count as one that ended its worker.
    _update_leased_job(job, status=JobStatus.QUEUED, attempts=F("attempts") - 1, **progress)


def is_other_workspace_waiting(job: ImportJob) -> bool:
    """Whether some job of another workspace could run instead of this one."""
    return any(
        model.objects.exclude(workspace=job.workspace_id).filter(pk=pk).exists() for model, pk in _jobs_in_turn(job)
    )


def renew_lease(job: AnyJob, **progress: Any) -> None:
    """Keep the job and store how far it is. Raises `JobLostError`."""
    _update_leased_job(job, leased_until=timezone.now() + LEASE, **progress)


def finish_job(job: AnyJob, **results: Any) -> None:
    """The job is done. Raises `JobLostError`."""
    _update_leased_job(job, status=JobStatus.DONE, finished_at=timezone.now(), **results)


def fail_job(job: AnyJob, reason: str) -> None:
    """The job has failed for this reason, a sentence. Raises `JobLostError`."""
    _update_leased_job(job, status=JobStatus.FAILED, finished_at=timezone.now(), failure=reason)


def cancel_job(job: AnyJob) -> bool:
    """Stop a job that is not over; its worker notices at its next sign of life. Returns whether it was still open."""
    open_job = _rows_of_job(job).filter(status__in=_OPEN)
    return bool(open_job.update(status=JobStatus.CANCELLED, finished_at=timezone.now()))


def list_stalled_jobs(model: type[J]) -> Iterator[UUID]:
    """Jobs that nobody runs: never begun for a minute, or left by a dead worker. Those left too often fail here."""
    now = timezone.now()
    rows = model.objects.all()
    forgotten = Q(status=JobStatus.QUEUED, created_at__lt=now - LEASE)
    abandoned = forgotten | Q(status=JobStatus.RUNNING, leased_until__lt=now)
    rows.filter(abandoned, attempts__gte=MAX_ATTEMPTS).update(
        status=JobStatus.FAILED,
        finished_at=now,
        failure=f"{MAX_ATTEMPTS} workers died or were stopped while they ran this job.",
    )
    return rows.filter(abandoned).values_list("pk", flat=True).iterator()


def _update_leased_job(job: AnyJob, **fields: Any) -> None:
    rows = _rows_of_job(job).filter(lease=job.lease, status=JobStatus.RUNNING)
    if not rows.update(**fields):
        raise JobLostError
    for name, value in fields.items():
        setattr(job, name, value)


def _jobs_in_turn(instead_of: ImportJob | None = None) -> list[tuple[type[AnyJob], UUID]]:
    """The job of each workspace that may run now, the workspace first that was served longest ago.

    With `instead_of`, as if this job did not run.
    """
    now = timezone.now()
    running = _running_jobs(ImportJob, now), _running_jobs(ExportJob, now)
    if instead_of is not None:
        running = running[0].exclude(pk=instead_of.pk), running[1]
    busy = {workspace for rows in running for workspace in rows.values_list("workspace", flat=True)}
    imports, exports = (rows.count() for rows in running)
    if imports + exports >= MAX_AT_ONCE:
        return []
    waiting: list[tuple[UUID, datetime, UUID, type[AnyJob]]] = [
        (*row, ImportJob) for row in _oldest_of_each_workspace(ImportJob, now, busy)
    ]
    if exports < MAX_EXPORTS_AT_ONCE:
        waiting += [(*row, ExportJob) for row in _oldest_of_each_workspace(ExportJob, now, busy)]
    served = _last_served({workspace for workspace, *_ in waiting})
    waiting.sort(key=lambda row: (served.get(row[0], _LONG_AGO), row[1]))
    return [(model, pk) for _, _, pk, model in waiting]


def _oldest_of_each_workspace(
    model: type[J], now: datetime, busy: Collection[UUID]
) -> Iterable[tuple[UUID, datetime, UUID]]:
    rows = model.objects.filter(_free_condition(now), attempts__lt=MAX_ATTEMPTS).exclude(workspace__in=busy)
    if model is ImportJob:
        # Without a file it is a shell's own, for as long as that lives.
        rows = rows.exclude(file="", status=JobStatus.QUEUED, created_at__gte=now - LEASE)
    rows = rows.order_by("workspace", "created_at").distinct("workspace")
    return rows.values_list("workspace", "created_at", "pk")


def _last_served(workspaces: Collection[UUID]) -> dict[UUID, datetime]:
    """When each workspace had a job begun last; without those that never had."""
    begun: dict[UUID, datetime] = {}
    for model in (ImportJob, ExportJob):
        jobs = model.objects.filter(workspace__in=workspaces, started_at__isnull=False)
        for workspace, at in jobs.values_list("workspace").annotate(Max("started_at")):
            begun[workspace] = max(at, begun.get(workspace, at))
    return begun


def _free_condition(now: datetime) -> Q:
    return Q(status=JobStatus.QUEUED) | Q(status=JobStatus.RUNNING, leased_until__lt=now)


def _running_jobs(model: type[J], now: datetime) -> QuerySet[J]:
    """What takes a worker's slot. An import from a shell runs there."""
    rows = model.objects.filter(status=JobStatus.RUNNING, leased_until__gte=now)
    return rows.exclude(file="") if model is ImportJob else rows


def _job_rows(model: type[J], job_id: UUID) -> QuerySet[J]:
    return model.objects.filter(pk=job_id)


def _rows_of_job(job: AnyJob) -> QuerySet[ImportJob] | QuerySet[ExportJob] | QuerySet[Experiment]:
    return type(job).objects.filter(pk=job.pk)
