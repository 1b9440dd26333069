"""Load a collection into a dataset: record by record, in batches, each call once, each bad record explained."""

import hashlib
import json
import re
import time
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, Final, cast
from uuid import UUID

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction

from reviews import access, audit
from reviews.datasets import files, job_leases, job_process, loading, mappings
from reviews.datasets.file_shapes import recognise_file
from reviews.datasets.held_labels import HELD_OTHERWISE, find_untaken_labels
from reviews.datasets.reader_registry import COLLECTIONS, TABLE, is_one_file, open_collection, title_of
from reviews.errors import FieldProblem, InvalidError
from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Recorded, TraceDataError
from reviews.evaluation.file_formats.items import to_json
from reviews.evaluation.file_formats.table_rows import RowFormat
from reviews.models import Dataset, DatasetItem, ImportJob, ImportProblem, JobStatus, Origin
from reviews.provenance.core.bounds import deeper_than, find_unacceptable_parts
from reviews.provenance.core.canonical import NotCanonicalError, canonical_json
from reviews.scheduling import broker

TASK: Final = "reviews.tasks.run_import"

# One statement for some hundred rows costs a tenth of one for each; more rows gain nothing and hold more memory.
BATCH_ITEMS: Final = 500
# A batch of long conversations is stored earlier: memory must not depend on how long they are.
BATCH_BYTES: Final = 8 * 1024 * 1024
# Whoever reads a thousand reasons has seen every kind of mistake; the others are counted.
MAX_PROBLEMS: Final = 1_000
"""Bad records of which the reason is kept."""
# Every call of a conversation is kept with all that came before it; in public collections a hundredth of it.
MAX_RECORD_BYTES: Final = 32 * 1024 * 1024
"""Bytes of the items that one record becomes."""
# The largest public collection is read in three; behind it stands the bound on its size.
OPENING_SECONDS: Final = 60.0
"""Seconds in which the next record of a file is found."""
# Each costs its deadline, and whoever sends more of them sends nothing else.
MAX_STOPPED: Final = 3
"""Records that may end their process, until the whole file counts as bad."""
_TOO_MUCH: Final = "took longer than it may, or more memory"
# Often enough for a bar that moves, seldom enough to cost nothing.
_PROGRESS_SECONDS: Final = 1.0
# As the column has.
MAX_FILE_NAME_LENGTH: Final = 200

NO_CALL: Final = "The record holds no call to judge: nothing was proposed that changes anything."


def request_import(
    dataset: Dataset,
    *,
    reader: str,
    file: str = "",
    licence: str = "",
    file_name: str = "",
    file_digest: str = "",
    by: access.Principal | None = None,
) -> ImportJob:
    """A job that loads a file into the dataset. With a stored `file` a worker is asked to run it.

    Raises `InvalidError` for a collection that nobody can read.
    """
    _check_reader(reader)
    with transaction.atomic():
        job = ImportJob.objects.create(
            workspace_id=dataset.workspace_id,
            dataset=dataset,
            reader=reader,
            file=file,
            licence=licence or COLLECTIONS[reader].licence,
            file_name=file_name[:MAX_FILE_NAME_LENGTH],
            file_digest=file_digest,
            requested_by=access.account_of(by),
        )
        details = {"dataset": dataset.name, "reader": reader, "job": str(job.pk)}
        audit.record(workspace=dataset.workspace, verb="dataset.import", subject=dataset.name, by=by, details=details)
        if file:
            transaction.on_commit(lambda: broker.enqueue_task(TASK, job.pk), robust=True)
    return job


def receive_upload(
    dataset: Dataset,
    content: IO[bytes],
    *,
    reader: str,
    licence: str = "",
    file_name: str = "",
    by: access.Principal | None = None,
) -> ImportJob:
    """Store what was sent and have a worker load it. The same content sent again is the same job, unless it failed.

    A table becomes a draft, of which a person says what its columns hold. Raises `InvalidError` for a collection that
    nobody can read.
    """
    if reader != TABLE:
        _check_reader(reader)
    digest = hashlib.file_digest(cast(BufferedReader, content), "sha256").hexdigest()
    content.seek(0)
    # By its content and under no name of the sender's, which is a stranger's text.
    name = f"imports/{dataset.pk}/{digest}.{'jsonl' if is_one_file(reader) else 'zip'}"
    stands = (JobStatus.DRAFT, JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.DONE)
    with transaction.atomic():
        # Of two that send the same at once the second waits here, and finds the first one's job.
        Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
        earlier = dataset.imports.filter(file=name, reader=reader, status__in=stands).order_by("created_at").last()
        if earlier is not None:
            return earlier
        sent: Any = {"licence": licence, "file_name": file_name[:MAX_FILE_NAME_LENGTH], "file_digest": digest, "by": by}
        if reader == TABLE:
            row_format = recognise_file(content).row_format or RowFormat.CSV
            file = default_storage.save(name, File(content))
            return mappings.create_draft(dataset, file=file, row_format=row_format, **sent)
        return request_import(dataset, reader=reader, file=default_storage.save(name, File(content)), **sent)


def _check_reader(reader: str) -> None:
    if reader not in COLLECTIONS:
        raise InvalidError(FieldProblem("/reader", f"There is no collection “{reader}”: {', '.join(COLLECTIONS)}."))


def run_import(job_id: UUID, path: Path | None = None) -> ImportJob | None:
    """Run the job, reading from `path` or from its stored file; None when another worker has it or it is over.

    Harmless to repeat: what is loaded already is found by its key. Nothing ends it here; a worker uses
    `run_in_own_process`.
    """
    job = job_leases.take_job(ImportJob, job_id)
    if job is None:
        return None
    try:
        _run_job(job, path, job_process.Place())
    except job_leases.JobLostError:
        return None
    return job


def run_in_own_process(job: ImportJob) -> None:
    """Run the job in a process of its own. A record that ends the process is a bad one; too many end the job."""
    try:
        while (place := job_process.run_in_process(_run_leased_job, job)) is not None:
            if place == job_process.NOWHERE:
                return _fail_job(job, f"The file {_TOO_MUCH}.")
            # Whoever goes on passes over what has a reason.
            reason = f"The record {_TOO_MUCH}."
            ImportProblem.objects.bulk_create([ImportProblem(job=job, line=place, reason=reason)])
            if job.problems.filter(reason=reason).count() >= MAX_STOPPED:
                return _fail_job(job, f"{MAX_STOPPED} records, the last one at {place}, each {_TOO_MUCH}.")
    except job_leases.JobLostError:
        return None


def _run_leased_job(job_id: UUID, lease: UUID, place: job_process.Place) -> None:
    """Go on with a job that a worker has taken, in a process of its own. Raises `JobLostError`."""
    job = job_leases.get_leased_job(ImportJob, job_id, lease)
    _run_job(job, None, place)


def _fail_job(job: ImportJob, reason: str) -> None:
    """End the job for this reason. Raises `JobLostError`."""
    job_leases.fail_job(job, reason)
    _delete_file(job)


def _delete_file(job: ImportJob) -> None:
    # What was loaded stands in the dataset; a second copy would outlive an erasure.
    if job.file:
        default_storage.delete(job.file)


def _run_job(job: ImportJob, path: Path | None, place: job_process.Place) -> None:
    """Raises `JobLostError`."""
    try:
        if path is not None:
            _load_records(job, path, place)
        elif job.file:
            unpack = not is_one_file(job.reader)
            with files.local_copy(job.file, unpack=unpack, within=place.folder, called=job.file_name) as stored:
                _load_records(job, stored, place)
        else:
            job_leases.fail_job(
                job, "The shell that ran this import ended. Run the command again: nothing is loaded twice."
            )
    except (TraceDataError, OSError) as error:
        job_leases.fail_job(job, str(error))
    except MemoryError:
        job_leases.fail_job(job, f"The file {_TOO_MUCH}.")
    if job.finished_at:
        _delete_file(job)


@dataclass
class _Batch:
    """What has been read and not yet stored."""

    items: list[DatasetItem] = field(default_factory=list)
    problems: list[ImportProblem] = field(default_factory=list)
    size: int = 0

    @property
    def is_full(self) -> bool:
        return len(self.items) + len(self.problems) >= BATCH_ITEMS or self.size >= BATCH_BYTES


@dataclass
class _Counts:
    records: int
    calls: int
    rejected: int

    @classmethod
    def of_job(cls, job: ImportJob) -> "_Counts":
        """What an earlier worker has stored: each count is written behind the batch that it tells of."""
        return cls(job.done, job.loaded + job.repeated, job.rejected)


def _load_records(job: ImportJob, path: Path, place: job_process.Place) -> None:
    """Load the records behind those that are done, until all are or another workspace's turn has come.

    Raises `TraceDataError` for a file that cannot be read at all, and `JobLostError`.
    """
    batch, counts, begun_at = _Batch(), _Counts.of_job(job), time.monotonic()
    renewed_at, done = begun_at, counts.records
    bad = set(job.problems.exclude(reason=HELD_OTHERWISE).values_list("line", flat=True))
    records = place.iterate_records(open_collection(job.reader, path, job.mapping).iter_records(), OPENING_SECONDS)
    for ordinal, record in enumerate(records, start=1):
        if ordinal <= done:
            continue
        number = record.line or ordinal
        counts.records += 1
        if number in bad:
            counts.rejected += 1
            continue
        with place.working_on(number, settings.GUARD.import_record_seconds):
            _collect_record(job, record, number, batch, counts)
        if batch.is_full or time.monotonic() - renewed_at > _PROGRESS_SECONDS:
            _store_batch(job, batch)
            batch = _Batch()
            if time.monotonic() - renewed_at > _PROGRESS_SECONDS:
                job_leases.renew_lease(job, **_progress_fields(job, counts))
                renewed_at = time.monotonic()
                if (
                    renewed_at - begun_at > job_leases.TURN_SECONDS
                    and job.file
                    and job_leases.is_other_workspace_waiting(job)
                ):
                    job_leases.hand_back_job(job)
                    return
    _store_batch(job, batch)
    progress = _progress_fields(job, counts)
    job_leases.finish_job(job, total=counts.records, **progress)


def _collect_record(job: ImportJob, record: Recorded, number: int, batch: _Batch, counts: _Counts) -> None:
    """Put the record's calls, or the reason why there is none, into the batch."""
    reasons: list[str] = []
    try:
        trace = record.read()
        if not trace.cases:
            reasons.append(NO_CALL)
        items, size = _items_of_record(job, record, number, trace)
        counts.calls += len(items)
        batch.items += items
        batch.size += size
    # Besides what readers raise: a number that cannot be written, and what is nested as deep as the decoder could go.
    except (TraceDataError, ValueError, RecursionError) as error:
        reasons.append(str(error))
    except MemoryError:
        reasons.append(f"The record {_TOO_MUCH}.")
    if reasons:
        counts.rejected += 1
        if counts.rejected <= MAX_PROBLEMS:
            batch.problems.append(ImportProblem(job=job, line=number, reason=reasons[0][:_MAX_REASON_LENGTH]))


def _items_of_record(
    job: ImportJob, record: Recorded, number: int, trace: LabelledTrace
) -> tuple[list[DatasetItem], int]:
    """The unsaved items of a record and their size in bytes. Raises as `_item_of_case` does."""
    items: list[DatasetItem] = []
    total = 0
    for case in trace.cases:
        item, size = _item_of_case(job, record, number, trace, case)
        items.append(item)
        total += size
        if total > MAX_RECORD_BYTES:
            raise _UnstorableError(f"Its calls, each with all before it, take more than {MAX_RECORD_BYTES} bytes.")
    return items, total


class _UnstorableError(ValueError):
    """A record that is well-formed and that the database cannot keep."""


# As JSON writes it, the one character that PostgreSQL's text cannot hold.
_NUL: Final = "\\u0000"
# As JSON writes it, a number that may be too large to be exact: as a fraction it has a canonical form, and once the
# database has made an integer of it none any more.
_LARGE: Final = re.compile(r"(?:[:,] |\[)-?(?:\d{16}|\d(?:\.\d+)?e\+)")
# A reason may quote what was wrong; a page lists many.
_MAX_REASON_LENGTH: Final = 500
# As the columns are declared.
_COLUMNS: Final = {"conversation": 300, "tool": 200, "source": 300}


def _item_of_case(
    job: ImportJob, record: Recorded, number: int, trace: LabelledTrace, case: LabelledCase
) -> tuple[DatasetItem, int]:
    """The unsaved item and its size in bytes. Raises `NotCanonicalError` and `_UnstorableError`."""
    line = to_json(trace, case)
    form = _canonical_case(line)
    item = DatasetItem(
        dataset_id=job.dataset_id,
        origin=Origin.IMPORTED,
        case=line["case"],
        content_key=hashlib.sha256(form).hexdigest(),
        conversation=trace.id,
        tool=case.case.action.tool,
        source=_name_source(job, record),
        licence=job.licence,
        source_line=number,
        given_label=line["label"],
        metadata={"id": case.id, "group": trace.group, "outcome": trace.outcome.value},
        import_job=job,
    )
    for name, longest in _COLUMNS.items():
        if len(getattr(item, name)) > longest:
            raise _UnstorableError(f"The name of the {name} is longer than {longest} characters.")
    return item, len(form)


def _name_source(job: ImportJob, record: Recorded) -> str:
    """The collection and the record in it; of a table the file is the collection."""
    if job.reader == TABLE and job.file_name:
        return f"{job.file_name}: {record.place.rpartition(', ')[2]}"
    return f"{title_of(job.reader)}: {record.place}"


def _canonical_case(line: dict[str, Any]) -> bytes:
    """The line's case as it is hashed. Raises `_UnstorableError` for a line that the database cannot keep."""
    text, most = json.dumps(line, ensure_ascii=False), settings.GUARD.max_nesting
    try:
        # Half a surrogate pair is no UTF-8.
        text.encode()
        if _NUL not in text and not _LARGE.search(text) and not deeper_than(line, most):
            return canonical_json(line["case"])
    except (UnicodeEncodeError, NotCanonicalError):
        pass
    # Looking at every part costs as much as all else: it is done only where a look from afar has found a sign.
    for pointer, message in find_unacceptable_parts(line, max_nesting=most, exact=True):
        raise _UnstorableError(f"{pointer}: {message}")
    return canonical_json(line["case"])


def _store_batch(job: ImportJob, batch: _Batch) -> None:
    """At once. What another import has stored meanwhile, or this one before, stays as it is."""
    loading.load_items(batch.items)
    untaken = list(find_untaken_labels(job, batch.items))
    room = max(0, MAX_PROBLEMS - job.problems.filter(reason=HELD_OTHERWISE).count()) if untaken else 0
    # A record whose several calls are told of is kept once, and one that could not be read by that.
    ImportProblem.objects.bulk_create([*batch.problems, *untaken[:room]], ignore_conflicts=True)


def _progress_fields(job: ImportJob, counts: _Counts) -> dict[str, int]:
    # Counted and not added up: a successor of a dead worker meets what that one had loaded.
    loaded = DatasetItem.objects.filter(import_job=job).count()
    return {
        "done": counts.records,
        "loaded": loaded,
        # Before the last batch is stored this many at most.
        "repeated": max(0, counts.calls - loaded),
        "rejected": counts.rejected,
    }
