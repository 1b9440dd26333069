"""Exports of frozen versions: asked for, written by a worker into a file, downloaded by a link."""

import hashlib
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Collection, Iterator
from functools import partial
from io import BufferedWriter
from itertools import islice
from typing import IO, Any, BinaryIO, Final, cast
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction

from reviews import access, audit
from reviews.annotation.owed_items import owed_entries
from reviews.datasets import job_leases, job_process
from reviews.datasets.export_rows import iterate_batches
from reviews.datasets.export_writers import WRITERS
from reviews.errors import FieldProblem, ForbiddenError, InvalidError, NotFoundError
from reviews.models import DatasetVersion, ExportJob, JobStatus
from reviews.retention.pii_redaction import KINDS, Preview, preview_lines
from reviews.scheduling import broker, killable_pool
from reviews.scheduling.worker_process import worker_process

TASK: Final = "reviews.tasks.run_export"

# Fifty rows, or a piece of a file, are written in a second at most; a busy database may keep them waiting.
BATCH_SECONDS: Final = 60.0
"""Seconds in which an export must get on."""
# Often enough for a bar that moves, seldom enough to cost nothing.
_PROGRESS_SECONDS: Final = 1.0
_PIECE: Final = 256 * 1024
# Enough to see what a kind of data finds; more entries would make the page wait.
PREVIEWED: Final = 200
"""Entries that a preview of the redaction looks at."""
# The entries go to another process, and a page waits.
_PREVIEWED_BYTES: Final = 16 * 1024 * 1024


def request_export(
    version: DatasetVersion, *, form: str, redact: Collection[str] = (), by: access.Principal | None = None
) -> ExportJob:
    """A job that writes the version to a file. Raises `InvalidError`, and `ForbiddenError` as `check_blind` does."""
    if form not in WRITERS:
        raise InvalidError(FieldProblem("/format", f"There is no format “{form}”: {', '.join(WRITERS)}."))
    check_kinds(redact)
    if version.frozen_at is None:
        raise InvalidError(FieldProblem("/version", "This version is still being frozen."))
    check_blind(version, by)
    with transaction.atomic():
        job = ExportJob.objects.create(
            workspace_id=version.dataset.workspace_id,
            version=version,
            format=form,
            options={"redact": sorted(redact)},
            requested_by=access.account_of(by),
            total=version.card.get("items"),
        )
        details = {"version": version.number, "format": form, "redact": sorted(redact), "job": str(job.pk)}
        audit.record(
            workspace=version.dataset.workspace,
            verb="dataset.export",
            subject=version.dataset.name,
            by=by,
            details=details,
        )
        transaction.on_commit(lambda: broker.enqueue_task(TASK, job.pk), robust=True)
    return job


def check_blind(version: DatasetVersion, reader: access.Principal | None) -> None:
    """Raises `ForbiddenError` where a label of the version tells its reader what they still have to answer.

    None is the installation itself. No part is left out in their place: a file is the whole version, by its hash.
    """
    if reader is not None and (owed := owed_entries(reader, version).count()):
        raise ForbiddenError(
            f"A campaign still asks you about {owed} entr{'y' if owed == 1 else 'ies'} of this version, and a file"
            " tells their labels. Answer or give back those items first, or leave it to somebody who is not asked."
        )


def check_kinds(redact: Collection[str]) -> None:
    """Raises `InvalidError` for a kind of personal data that there is not."""
    if unknown := set(redact) - KINDS.keys():
        raise InvalidError(FieldProblem("/redact", f"There is no kind “{min(unknown)}”: {', '.join(KINDS)}."))


def run_export(job_id: UUID) -> ExportJob | None:
    """Write the job's file; None when another worker has it or it is over. Harmless to repeat.

    Nothing ends it here; a worker uses `run_in_own_process`.
    """
    job = job_leases.take_job(ExportJob, job_id)
    if job is None:
        return None
    try:
        _run_job(job, job_process.Place())
    except job_leases.JobLostError:
        return None
    return job


def run_in_own_process(job: ExportJob) -> None:
    """Write the file of a job that was taken in a process of its own, which ends when it does not get on."""
    try:
        if job_process.run_in_process(_run_leased_job, job) is not None:
            job_leases.fail_job(job, "Writing the file took longer than it may, or more memory.")
    except job_leases.JobLostError:
        return


def _run_leased_job(job_id: UUID, lease: UUID, place: job_process.Place) -> None:
    """Run a job that a worker has taken, in a process of its own. Raises `JobLostError`."""
    job = job_leases.get_leased_job(ExportJob, job_id, lease)
    with worker_process.killed_after(BATCH_SECONDS):
        _run_job(job, place)


def _run_job(job: ExportJob, place: job_process.Place) -> None:
    """Raises `JobLostError`."""
    try:
        # Again when an entry was erased while the file was written, which holds it then.
        while not _write_file(job, place):
            worker_process.set_kill_timer(BATCH_SECONDS)
    except OSError as error:
        job_leases.fail_job(job, f"The file could not be written: {error}")
    except job_leases.JobLostError:
        _forget_file(job)
        raise


def _write_file(job: ExportJob, place: job_process.Place) -> bool:
    """Write the file; returns False if what it holds was erased meanwhile. Raises `JobLostError` and `OSError`."""
    version = job.version
    if version is None:
        job_leases.fail_job(job, "There is nothing to export.")
        return True
    # An earlier worker's file is not gone on with.
    _forget_file(job)
    job_leases.renew_lease(job, done=0)
    erased = version.tombstones.count()
    # Written beside and handed over whole: nobody downloads half a file, and storage need not be a disk. Without a
    # name, so that nothing is left of it when the process is killed.
    with tempfile.TemporaryFile(dir=place.folder) as file:
        try:
            _write_rows(job, version, cast(BinaryIO, file))
        except Exception:
            # What is erased while it is read may be half gone, and is then anything but a case.
            if version.tombstones.count() == erased:
                raise
            return False
        stored = _store_file(job, cast(BufferedWriter, file))
    with transaction.atomic():
        # An erasure that is under way is waited for, and one that comes later finds the file.
        DatasetVersion.objects.select_for_update(no_key=True).get(pk=version.pk)
        if version.tombstones.count() != erased:
            return False
        job_leases.finish_job(job, **stored, done=version.card.get("items", 0))
    return True


def _write_rows(job: ExportJob, version: DatasetVersion, file: BinaryIO) -> None:
    """Write the version's rows, and now and then how many there are. Raises `JobLostError`."""
    renewed_at = time.monotonic()

    def done(rows: int) -> None:
        nonlocal renewed_at
        worker_process.set_kill_timer(BATCH_SECONDS)
        if time.monotonic() - renewed_at > _PROGRESS_SECONDS:
            job_leases.renew_lease(job, done=rows)
            renewed_at = time.monotonic()

    write, _ = WRITERS[job.format]
    write(version, job.options["redact"], file, done)
    # What is left is no work on what strangers wrote, and takes as long as the file is large.
    worker_process.set_kill_timer(0)
    file.flush()


def _store_file(job: ExportJob, file: BufferedWriter) -> dict[str, Any]:
    """Put the file into storage; returns its name, size and hash. Raises `JobLostError`."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    file.seek(0)
    # By the attempt: what a worker that lost its lease has written is not taken for this. Noted before there is such a
    # file, so that it is found and deleted even if the worker is killed behind that.
    name = default_storage.get_available_name(f"exports/{job.pk}-{job.attempts}.{WRITERS[job.format][1]}")
    job_leases.renew_lease(job, file=name)
    default_storage.save(name, File(file))
    return {"file": name, "size": size, "content_hash": digest}


def _forget_file(job: ExportJob) -> None:
    """Delete what this worker, or an earlier one, has written and nobody will ask for."""
    if job.file:
        default_storage.delete(job.file)


def open_download(job: ExportJob, reader: access.Principal | None) -> tuple[IO[bytes], str]:
    """The open file of an export that is done, and the name to save it by.

    Raises `NotFoundError` before it is done, and once its file is gone or was deleted because an entry was erased, and
    `ForbiddenError` as `check_blind` does: who reads a file need not be who asked for it, nor owe what they did then.
    """
    version = job.version
    if job.status != JobStatus.DONE or version is None:
        raise NotFoundError(job.failure or "This export is not done.")
    check_blind(version, reader)
    if not default_storage.exists(job.file):
        raise NotFoundError("The file is gone. Export the version again.")
    ending = WRITERS[job.format][1]
    # Names of datasets are people's text: what a file system or a header could misread is left out.
    name = "".join(letter if letter.isalnum() else "-" for letter in version.dataset.name)
    # Both may lie in one folder, and only one of them may be handed on.
    kind = "-redacted" if job.options["redact"] else ""
    return default_storage.open(job.file, "rb"), f"{name}-v{version.number}{kind}.{ending}"


def iterate_pieces(file: IO[bytes]) -> Iterator[bytes]:
    """What the file holds, closed at the end: memory does not grow with its size."""
    with file:
        while piece := file.read(_PIECE):
            yield piece


async def iterate_pieces_in_threads(file: IO[bytes]) -> AsyncIterator[bytes]:
    """The same for an asynchronous server, which would collect all of a plain iterator first."""
    following = sync_to_async(partial(next, iterate_pieces(file), None))
    while (piece := await following()) is not None:
        yield piece


def preview_redaction(version: DatasetVersion, redact: Collection[str]) -> Preview | None:
    """What redaction finds in the first entries; None when looking took too long. Raises `InvalidError`."""
    check_kinds(redact)
    guard = settings.GUARD
    try:
        # In another process, because texts that take minutes would keep this one, which serves pages, busy.
        pool = killable_pool.shared_pool(guard.check_megabytes)
        return pool.run_within(guard.edit_seconds, preview_lines, list(_first_lines(version)), frozenset(redact))
    except killable_pool.StoppedError:
        return None


def _first_lines(version: DatasetVersion) -> Iterator[dict[str, Any]]:
    room = _PREVIEWED_BYTES
    lines = (line for lines in iterate_batches(version) for line in lines)
    for line in islice(lines, PREVIEWED):
        yield line
        room -= len(json.dumps(line["case"]))
        if room < 0:
            return
