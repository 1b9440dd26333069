"""Imports and exports in a real worker: what ends their process ends nothing else."""

import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from reviews.datasets import curation, export_jobs, imports, job_leases, versions
from reviews.models import Dataset, DatasetVersion, ExportJob, ImportJob, JobStatus, Workspace
from tests import stack
from tests.cast import make_cast
from tests.datasets.collections import line
from tests.datasets.poison import ENDLESS, GREEDY

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(120)]

# Hundreds of times what an innocent record takes, so that a busy machine stops none of them.
RECORD_SECONDS = 1


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the worker finds uploads and leaves exports."""
    folder = tmp_path_factory.mktemp("stored")
    (folder / "scratch").mkdir()
    return folder


@pytest.fixture(scope="module")
def shared_worker(django_db_setup: None, stored: Path) -> Iterator[int]:
    """The worker of imports and exports, with readers that some lines poison. Its start takes seconds."""
    overrides = {
        "DJANGO_SETTINGS_MODULE": "tests.datasets.poisoned_settings",
        "FILES_FOLDER": str(stored),
        "IMPORT_RECORD_SECONDS": str(RECORD_SECONDS),
        # Enough for a process of ours, so that hoarding more fails before this machine notices.
        "CHECK_MEGABYTES": "1024",
    }
    with stack.worker(queues="default", pool="threads", **overrides) as child:
        yield child.pid


@pytest.fixture
def worker(shared_worker: int, stored: Path, settings: Settings, files_of_the_test: None) -> Iterator[int]:
    """The worker, with nothing to do before the test and behind it."""
    settings.MEDIA_ROOT = stored
    yield shared_worker
    for job in ImportJob.objects.filter(finished_at=None):
        job_leases.cancel_job(job)
    stack.until(lambda: not busy(shared_worker), seconds=40, what="the end of what the test has left")
    for file in filter(Path.is_file, stored.rglob("*")):
        file.unlink()


def upload(workspace: Workspace, *lines: dict[str, Any], name: str = "study") -> ImportJob:
    content = io.BytesIO("".join(f"{json.dumps(each)}\n" for each in lines).encode())
    return imports.receive_upload(curation.get_or_create_dataset(workspace, name), content, reader="items")


def poisoned(number: int, poison: str = ENDLESS) -> dict[str, Any]:
    return line(number, group=poison)


def over(job: ImportJob | ExportJob) -> Callable[[], bool]:
    def look() -> bool:
        job.refresh_from_db()
        return job.finished_at is not None

    return look


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("poison", [ENDLESS, GREEDY])
def test_a_record_that_ends_its_process_is_a_bad_one_and_the_rest_is_loaded(poison: str, stored: Path) -> None:
    job = upload(make_cast().workspace, line(0), poisoned(1, poison), line(2))
    stack.until(over(job), seconds=60, what="the end of the import")
    assert (job.status, job.done, job.loaded, job.rejected) == (JobStatus.DONE, 3, 2, 1)
    (problem,) = job.problems.all()
    assert (problem.line, "longer than it may" in problem.reason) == (2, True)
    # The end of the job is committed before its files go.
    stack.until(lambda: not any(files for _, _, files in os.walk(stored)), what="the end of every file")


@pytest.mark.usefixtures("worker")
def test_a_file_of_records_that_each_end_their_process_fails() -> None:
    job = upload(make_cast().workspace, *map(poisoned, range(9)), line(9))
    stack.until(over(job), seconds=60, what="the end of the import")
    assert (job.status, job.problems.count()) == (JobStatus.FAILED, imports.MAX_STOPPED)
    assert "each took longer" in job.failure


@pytest.mark.usefixtures("worker")
def test_one_workspaces_uploads_keep_no_other_waiting() -> None:
    hostile, other = make_cast().workspace, Workspace.objects.create(name="Other", slug="other")
    uploads = [upload(hostile, *map(poisoned, range(9)), name=f"slow {number}") for number in range(3)]
    stack.until(lambda: ImportJob.objects.filter(status=JobStatus.RUNNING), what="a slow import", seconds=60)
    job = upload(other, line(0))
    stack.until(over(job), seconds=60, what="the end of an innocent import")
    assert job.loaded == 1
    # Three records of the first upload take their whole deadline.
    assert [bool(over(slow)() or slow.started_at) for slow in uploads] == [True, False, False]


def test_a_cancelled_import_ends_its_process(worker: int) -> None:
    job = upload(make_cast().workspace, line(0), *map(poisoned, range(1, 4)))
    stack.until(lambda: busy(worker), seconds=60, what="the process of the import")
    assert job_leases.cancel_job(job)
    stack.until(lambda: not busy(worker), seconds=40, what="the end of the process")
    job.refresh_from_db()
    assert job.status == JobStatus.CANCELLED


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("form", ["jsonl", "parquet", "folder"])
def test_an_export_is_written_in_a_process_of_its_own(form: str) -> None:
    job = upload(make_cast().workspace, line(0), line(1))
    stack.until(over(job), seconds=60, what="the end of the import")
    version = versions.request_version(Dataset.objects.get(), shares={})
    stack.until(lambda: DatasetVersion.objects.filter(frozen_at__isnull=False), seconds=60, what="a frozen version")
    version.refresh_from_db()
    export = export_jobs.request_export(version, form=form)
    stack.until(over(export), seconds=60, what="the end of the export")
    assert (export.status, export.failure) == (JobStatus.DONE, "")


def busy(worker: int) -> bool:
    """Whether there is a process that the worker's forking one has forked."""
    return any(map(stack.children_of, stack.children_of(worker)))
