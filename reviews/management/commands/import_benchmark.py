"""Load a collection of recorded calls into a dataset of ground truth."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.datasets import curation, imports
from reviews.datasets.reader_registry import COLLECTIONS
from reviews.errors import ReviewError
from reviews.management.tenants import workspace_named
from reviews.models import ImportJob, JobStatus


class Command(BaseCommand):
    """Load a file or folder into a dataset. Repeating it loads nothing twice; a bad record is told and passed over."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", choices=list(COLLECTIONS), help="which collection it is")
        parser.add_argument("path", type=Path, help="the file or folder, as its authors published it")
        parser.add_argument("--workspace", required=True, help="the workspace's slug")
        parser.add_argument("--dataset", help="the dataset, found or made by this name (default: the collection's)")
        parser.add_argument("--licence", default="", help="where the collection does not name its own")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = workspace_named(options["workspace"])
        if not options["path"].exists():
            raise CommandError(f"{options['path']} does not exist.")
        try:
            dataset = curation.get_or_create_dataset(workspace, options["dataset"] or options["name"])
            job = imports.request_import(dataset, reader=options["name"], licence=options["licence"])
            imports.run_import(job.pk, options["path"])
        except ReviewError as error:
            raise CommandError(str(error)) from error
        job.refresh_from_db()
        self._print_job(job)

    def _print_job(self, job: ImportJob) -> None:
        for problem in job.problems.all():
            self.stdout.write(f"{problem.line}: {problem.reason}")
        if job.status != JobStatus.DONE:
            raise CommandError(job.failure or f"The import was {job.status}.")
        self.stdout.write(
            f"{job.done} records: {job.loaded} calls loaded into “{job.dataset.name}”,"
            f" {job.repeated} it held already, {job.rejected} records without a call it could take."
        )
