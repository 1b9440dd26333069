"""Copies of what was uploaded or exported go, also where the process that should delete them was killed."""

import os
import time
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from pytest_django import Settings

from reviews.datasets import curation, export_jobs
from reviews.errors import NotFoundError
from reviews.models import DatasetVersion, ExportFormat, ExportJob, ImportJob, JobStatus
from reviews.retention import dataset_erasure, leftover_files
from reviews.tasks import delete_leftover_files
from tests.cast import Cast, approved
from tests.datasets.collections import frozen

DAY, HOUR = 86_400, 3_600
OVER = (JobStatus.DONE, JobStatus.FAILED, JobStatus.CANCELLED)


@pytest.fixture
def version(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> DatasetVersion:
    monkeypatch.setattr("reviews.scheduling.broker.enqueue_task", lambda task, *args, **_: True)
    approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    return frozen(dataset)


@pytest.fixture
def scratch(settings: Settings, tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    settings.FILE_UPLOAD_TEMP_DIR = folder
    return folder


def store(name: str, *, age: float) -> str:
    """The name of a stored file that was written so many seconds ago."""
    name = default_storage.save(name, ContentFile(b"what somebody wrote"))
    written = time.time() - age
    os.utime(default_storage.path(name), (written, written))
    return name


def import_of(version: DatasetVersion, file: str, status: JobStatus) -> None:
    over = {"finished_at": timezone.now(), "failure": "It ended."} if status in OVER else {}
    lease = {"lease": version.pk, "leased_until": timezone.now()} if status == JobStatus.RUNNING else {}
    ImportJob.objects.create(
        workspace=version.dataset.workspace, dataset=version.dataset, reader="items", file=file, status=status, **over,
        **lease,
    )  # fmt: skip


@pytest.mark.django_db
@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize("status", JobStatus)
def test_an_upload_is_kept_as_long_as_its_import_is_open(version: DatasetVersion, status: JobStatus) -> None:
    file = store("imports/of-it/upload.jsonl", age=2 * HOUR)
    import_of(version, file, status)
    delete_leftover_files()
    assert default_storage.exists(file) is (status not in OVER)


@pytest.mark.django_db
@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize("name", ["imports/of-it/upload.jsonl", "exports/file.jsonl"])
def test_a_file_that_no_job_names_goes_when_it_is_old(name: str) -> None:
    old, new = store(name, age=2 * HOUR), store(name, age=0)
    assert leftover_files.delete_leftover_files() == 1
    assert (default_storage.exists(old), default_storage.exists(new)) == (False, True)


@pytest.mark.django_db
@pytest.mark.usefixtures("scratch")
def test_an_export_that_is_done_is_kept(version: DatasetVersion) -> None:
    job = export_jobs.request_export(version, form=ExportFormat.JSONL)
    export_jobs.run_export(job.pk)
    job.refresh_from_db()
    written = time.time() - DAY
    os.utime(default_storage.path(job.file), (written, written))
    assert leftover_files.delete_leftover_files() == 0
    file, _ = export_jobs.open_download(job, None)
    file.close()


@pytest.mark.django_db
def test_what_was_erased_is_handed_out_to_nobody_although_its_file_was_not_deleted(
    version: DatasetVersion, scratch: Path
) -> None:
    job = export_jobs.request_export(version, form=ExportFormat.JSONL)
    export_jobs.run_export(job.pk)
    name = ExportJob.objects.get(pk=job.pk).file
    written = time.time() - 2 * HOUR
    os.utime(default_storage.path(name), (written, written))
    # The test's transaction is never committed: as if the process were killed behind the erasure.
    dataset_erasure.erase_items(version.dataset.items.values_list("pk", flat=True), reason="on request")
    job.refresh_from_db()
    assert default_storage.exists(name)
    with pytest.raises(NotFoundError):
        export_jobs.open_download(job, None)
    assert leftover_files.delete_leftover_files() == 1
    assert not default_storage.exists(name)


@pytest.mark.django_db
def test_copies_of_killed_jobs_go_and_those_of_running_ones_stay(scratch: Path) -> None:
    for name, age in (("job-old", DAY + HOUR), ("job-new", HOUR)):
        (scratch / name).mkdir()
        (scratch / name / "copy.jsonl").write_text("what somebody wrote")
        os.utime(scratch / name, (time.time() - age,) * 2)
    (scratch / "old.upload").write_text("what somebody wrote")
    os.utime(scratch / "old.upload", (time.time() - 2 * DAY,) * 2)
    assert leftover_files.delete_leftover_files() == 2
    assert [path.name for path in scratch.iterdir()] == ["job-new"]
