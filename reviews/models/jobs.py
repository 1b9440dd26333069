"""Imports and exports that run in the background, with what they have done so far."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from reviews.models.base import Record
from reviews.models.campaigns import Campaign
from reviews.models.datasets import Dataset, DatasetVersion
from reviews.models.workspaces import Workspace


class JobStatus(models.TextChoices):
    """Where a job stands. `draft -> queued -> running -> done | failed`; one that is not over may be cancelled.

    So is an export that is done when something that it holds is erased.
    """

    DRAFT = "draft"
    """The file is there, and a person has not said yet what its columns hold."""
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Job(Record):
    """What imports and exports share. A worker holds a job by a lease; behind a dead one, another takes over."""

    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    status = models.CharField(max_length=16, choices=JobStatus.choices, default=JobStatus.QUEUED)
    file = models.CharField(max_length=500, blank=True)
    """The file that is read or written, below the directory for such files; empty before there is one."""
    size = models.PositiveBigIntegerField(default=0)
    """Bytes of the file."""
    done = models.PositiveBigIntegerField(default=0)
    """Records done so far."""
    total = models.PositiveBigIntegerField(null=True)
    """Records in all; null while nobody has counted them."""
    failure = models.TextField(blank=True)
    """Why the job failed, in a sentence."""
    attempts = models.PositiveIntegerField(default=0)
    lease = models.UUIDField(null=True)
    """Of the worker that runs it: what an earlier worker still writes is refused."""
    leased_until = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


def job_constraints(kind: str) -> list[models.BaseConstraint]:
    """What holds for every kind of job; names must differ between tables."""
    over = (JobStatus.DONE, JobStatus.FAILED, JobStatus.CANCELLED)
    return [
        models.CheckConstraint(condition=Q(status__in=JobStatus.values), name=f"an_{kind}_has_a_known_status"),
        # The page stops asking by the one, the sweep by the other.
        models.CheckConstraint(
            condition=Q(status__in=over, finished_at__isnull=False)
            | (~Q(status__in=over) & Q(finished_at__isnull=True)),
            name=f"an_{kind}_is_over_exactly_when_it_has_its_end",
        ),
        # Whoever waits for it must be told what to do differently.
        models.CheckConstraint(condition=~Q(status="failed") | ~Q(failure=""), name=f"a_failed_{kind}_says_why"),
        models.CheckConstraint(
            condition=~Q(status="running") | Q(lease__isnull=False, leased_until__isnull=False),
            name=f"a_running_{kind}_has_a_lease",
        ),
    ]


class ImportJob(Job):
    """Records of a file on their way into a dataset. Repeating it loads nothing twice."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="import_jobs")
    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="imports")
    reader = models.CharField(max_length=64)
    """Which format the file has."""
    licence = models.CharField(max_length=200, blank=True)
    file_name = models.CharField(max_length=200, blank=True, default="", db_default="")
    """What the sender called the file; empty for one from the shell."""
    file_digest = models.CharField(max_length=64, blank=True, default="", db_default="")
    """SHA-256 of the file as it was sent."""
    mapping = models.JSONField(default=dict, db_default={})
    """Of a table: its `format`, its `columns`, and in `fields` which of them holds what (`datasets.mappings`)."""
    loaded = models.PositiveBigIntegerField(default=0)
    """Records that became items."""
    repeated = models.PositiveBigIntegerField(default=0)
    """Records that the dataset held already."""
    rejected = models.PositiveBigIntegerField(default=0)
    """Records that could not be read, each explained in an `ImportProblem` up to a bound."""

    class Meta:
        constraints = job_constraints("import")
        indexes = [
            models.Index("workspace", F("created_at").desc(), name="import_list"),
            # The sweep looks for jobs whose worker died; partial, as nearly all are over.
            models.Index("leased_until", name="import_open", condition=Q(finished_at__isnull=True)),
        ]


class ImportProblem(Record):
    """One record that could not be loaded, or whose label was not taken, and why."""

    job = models.ForeignKey(ImportJob, models.CASCADE, related_name="problems")
    line = models.PositiveIntegerField()
    """Line or record of the file, from 1; 0 for the file as a whole."""
    reason = models.TextField()

    class Meta:
        ordering = ["line"]
        constraints = [
            # A job that is repeated behind a dead worker meets the same bad lines.
            models.UniqueConstraint(fields=["job", "line"], name="an_import_explains_a_line_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="an_import_problem_says_why"),
        ]


class ExportFormat(models.TextChoices):
    """What is written."""

    JSONL = "jsonl", "JSON lines"
    CSV = "csv", "CSV"
    PARQUET = "parquet", "Parquet"
    FOLDER = "folder", "Hugging Face folder"
    PROV = "prov", "PROV-JSON"


class ExportJob(Job):
    """A file being written: of a frozen version, of a campaign's annotations, or of operational labels."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="export_jobs")
    # At most one of the two; neither: operational labels, which are never mixed with blind ones.
    version = models.ForeignKey(DatasetVersion, models.CASCADE, null=True, related_name="exports")
    campaign = models.ForeignKey(Campaign, models.CASCADE, null=True, related_name="exports")
    format = models.CharField(max_length=16, choices=ExportFormat.choices)
    options = models.JSONField(default=dict)
    """Such as which personal data is replaced."""
    content_hash = models.CharField(max_length=64, blank=True)
    """SHA-256 of the file, once written."""

    class Meta:
        constraints = [
            *job_constraints("export"),
            models.CheckConstraint(condition=Q(format__in=ExportFormat.values), name="an_export_has_a_known_format"),
            models.CheckConstraint(
                condition=Q(version__isnull=True) | Q(campaign__isnull=True), name="an_export_is_of_one_thing"
            ),
            models.CheckConstraint(
                condition=~Q(status="done") | (~Q(file="") & ~Q(content_hash="")), name="a_done_export_has_a_file"
            ),
        ]
        indexes = [
            models.Index("workspace", F("created_at").desc(), name="export_list"),
            models.Index("leased_until", name="export_open", condition=Q(finished_at__isnull=True)),
        ]
