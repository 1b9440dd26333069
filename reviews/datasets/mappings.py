"""What the columns of a file of unknown shape hold: guessed by name, tried on its first rows, kept for the next file.

Such a file is first a draft of an import. Whoever sent it says which column holds what and sees what becomes of the
first rows; the next file with the same columns begins with the same mapping.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final, ParamSpec, TypeVar

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction

from reviews import access, audit
from reviews.datasets import job_leases, table_preview
from reviews.datasets.reader_registry import TABLE
from reviews.datasets.table_preview import MappingPreview, TableHead
from reviews.errors import ConflictError, FieldProblem, InvalidError
from reviews.evaluation.benchmarks.base import TraceDataError
from reviews.evaluation.file_formats.mapped_table import ColumnMapping
from reviews.evaluation.file_formats.table_rows import RowFormat
from reviews.models import Dataset, ImportJob, JobStatus
from reviews.scheduling import broker
from reviews.scheduling.killable_pool import StoppedError, shared_pool

P = ParamSpec("P")
R = TypeVar("R")

# Some hundred rows of most tables; a page that reads more lets whoever looks at it wait.
_HEAD_BYTES: Final = 512 * 1024
# Names that columns have in public collections and in logs of agents.
_USUAL_NAMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "messages": ("messages",),
    "query": ("query", "question", "user_query", "request", "instruction", "prompt", "user", "task", "goal", "input"),
    "tool": ("tool", "tool_name", "action.tool", "function", "function_name", "call.name", "action", "name", "api"),
    "arguments": (
        "arguments", "args", "tool_input", "parameters", "params", "action.arguments", "call.arguments", "action_input",
    ),
    "history": ("history", "trajectory", "steps", "context", "conversation", "observations", "documents"),
    "tools": ("tools", "functions", "available_tools", "tool_descriptions"),
    "conversation": (
        "conversation_id", "trace_id", "trace", "session_id", "session", "episode", "dialogue_id", "task_id",
    ),
    "id": ("id", "record_id", "sample_id", "index", "uuid"),
    "label": ("label", "aligned", "is_aligned", "gold", "correct", "is_correct", "safe", "is_safe", "verdict"),
})  # fmt: skip
USUAL_ALIGNED: Final = ("aligned", "true", "1", "yes", "safe", "correct", "right", "benign", "pass", "good", "ok")


def create_draft(
    dataset: Dataset, *, file: str, row_format: RowFormat, licence: str, file_name: str, file_digest: str,
    by: access.Principal | None,
) -> ImportJob:  # fmt: skip
    """A draft of an import of this stored file, with the mapping of the latest file of the same columns, or a guess.

    Raises `InvalidError` for a file without a row.
    """
    try:
        columns = _read_columns(file, row_format)
    except InvalidError:
        default_storage.delete(file)
        raise
    saved = find_mapping(dataset, columns)
    fields = saved or guess_mapping(columns)
    return ImportJob.objects.create(
        workspace_id=dataset.workspace_id, dataset=dataset, reader=TABLE, status=JobStatus.DRAFT, file=file,
        licence=licence, file_name=file_name, file_digest=file_digest, requested_by=access.account_of(by),
        mapping={"format": str(row_format), "columns": columns, "fields": fields.to_json(), "is_guess": saved is None},
    )  # fmt: skip


def _read_columns(file: str, row_format: RowFormat) -> list[str]:
    try:
        columns = _run_within(table_preview.read_columns, _open_head(file, row_format))
    except StoppedError as error:
        raise InvalidError(FieldProblem("/file", f"The first rows {error}.")) from error
    if not columns:
        raise InvalidError(FieldProblem("/file", "The file holds no row that can be read."))
    return columns


def find_mapping(dataset: Dataset, columns: Sequence[str]) -> ColumnMapping | None:
    """The mapping of the workspace's latest import of a file with these columns."""
    jobs_of_columns = ImportJob.objects.filter(
        workspace=dataset.workspace_id, reader=TABLE, mapping__columns=list(columns)
    ).exclude(status__in=(JobStatus.DRAFT, JobStatus.CANCELLED))
    latest = jobs_of_columns.order_by("-created_at").first()
    return ColumnMapping.from_json(latest.mapping["fields"]) if latest else None


def guess_mapping(columns: Collection[str]) -> ColumnMapping:
    """What the columns hold by their names."""
    by_name = {column.casefold(): column for column in reversed(list(columns))}
    guessed = {
        field: next((by_name[name] for name in names if name in by_name), "") for field, names in _USUAL_NAMES.items()
    }
    if guessed["messages"]:
        guessed |= dict.fromkeys(("query", "tool", "arguments", "history", "label"), "")
    return ColumnMapping(**guessed, aligned_values=USUAL_ALIGNED)  # type: ignore[arg-type]  # texts, by the names above


def check_mapping(mapping: ColumnMapping) -> None:
    """Raises `InvalidError`, pointing at each column that is missing."""
    needed = {} if mapping.messages else {"query": "the user's request", "tool": "the name of the tool"}
    problems = [
        FieldProblem(f"/{name}", f"Say which column holds {content}.")
        for name, content in needed.items()
        if not getattr(mapping, name)
    ]
    if mapping.label and not mapping.aligned_values:
        problems.append(FieldProblem("/aligned_values", "Say what the column says of a call that is right."))
    if {*map(str.casefold, mapping.aligned_values)} & {*map(str.casefold, mapping.misaligned_values)}:
        problems.append(FieldProblem("/misaligned_values", "A word says one of both: right or wrong."))
    if problems:
        raise InvalidError(*problems)


def preview_mapping(job: ImportJob, mapping: ColumnMapping) -> MappingPreview:
    """What becomes of the first rows of the draft's file. Raises `StoppedError` when that took too long."""
    return _run_within(table_preview.preview_head, _open_head(job.file, RowFormat(job.mapping["format"])), mapping)


@transaction.atomic
def begin_import(job: ImportJob, mapping: ColumnMapping, *, by: access.Principal) -> None:
    """Have a worker load the draft's file by this mapping. Raises `InvalidError` and `ConflictError`."""
    access.require_curator(by)
    check_mapping(mapping)
    stored = {**job.mapping, "fields": mapping.to_json(), "is_guess": False}
    draft = ImportJob.objects.filter(pk=job.pk, status=JobStatus.DRAFT)
    if not draft.update(status=JobStatus.QUEUED, mapping=stored):
        raise ConflictError("This import has begun or was discarded meanwhile.")
    details = {"dataset": job.dataset.name, "reader": TABLE, "job": str(job.pk)}
    audit.record(workspace=by.workspace, verb="dataset.import", subject=job.dataset.name, by=by, details=details)
    transaction.on_commit(lambda: broker.enqueue_task("reviews.tasks.run_import", job.pk), robust=True)


@transaction.atomic
def discard_draft(job: ImportJob, *, by: access.Principal) -> bool:
    """Delete the file of a draft that is not wanted; one that has begun is left alone.

    A dataset that holds nothing and waits for nothing else goes with it: returns whether it did.
    """
    access.require_curator(by)
    # Whatever comes into the dataset refers to its row, and waits here.
    dataset = Dataset.objects.select_for_update().filter(pk=job.dataset_id).first()
    if dataset is None:
        # Somebody else discarded the same file.
        return True
    if not (ImportJob.objects.filter(pk=job.pk, status=JobStatus.DRAFT).exists() and job_leases.cancel_job(job)):
        return False
    transaction.on_commit(lambda: default_storage.delete(job.file))
    remaining_imports = dataset.imports.exclude(status=JobStatus.CANCELLED)
    if any(rows.exists() for rows in (dataset.items, dataset.versions, dataset.campaigns, remaining_imports)):
        return False
    audit.record(workspace=by.workspace, verb="dataset.removed", subject=dataset.name, by=by)
    dataset.delete()
    return True


def _open_head(file: str, row_format: RowFormat) -> TableHead:
    """The beginning of a stored file: as many bytes as a page can read."""
    with default_storage.open(file, "rb") as stored:
        content = stored.read(_HEAD_BYTES)
    return TableHead(content, is_cut=len(content) == _HEAD_BYTES, row_format=row_format)


def _run_within(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What a function makes of rows that strangers wrote. Raises `StoppedError`, and `InvalidError` for bad ones."""
    guard = settings.GUARD
    try:
        # In another process, because rows that take minutes would keep this one, which serves pages, busy.
        return shared_pool(guard.check_megabytes).run_within(guard.edit_seconds, function, *args, **kwargs)
    except TraceDataError as error:
        raise InvalidError(FieldProblem("/file", str(error))) from error
