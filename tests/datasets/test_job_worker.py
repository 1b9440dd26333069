"""What the sweep picks up again: jobs and versions whose message or worker was lost."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from reviews.datasets import curation, export_jobs, imports, job_leases, job_worker, versions
from reviews.models import DatasetVersion, ExportJob, ImportJob, JobStatus, Workspace
from tests.cast import Cast
from tests.datasets.collections import line, made_version, write_lines

pytestmark = pytest.mark.django_db
LONG_AGO = timezone.now() - timedelta(hours=1)


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What is handed to the broker."""
    sent: list[tuple[Any, ...]] = []
    monkeypatch.setattr("reviews.scheduling.broker.enqueue_task", lambda *message, **_: sent.append(message))
    return sent


def waiting(cast: Cast) -> ImportJob:
    return imports.request_import(curation.get_or_create_dataset(cast.workspace, "study"), reader="items")


def test_a_job_that_was_never_begun_is_enqueued_again(cast: Cast, enqueued: list[tuple[Any, ...]]) -> None:
    job = waiting(cast)
    job_worker.requeue_stalled()
    assert enqueued == []
    ImportJob.objects.update(created_at=LONG_AGO)
    job_worker.requeue_stalled()
    assert enqueued == [(imports.TASK, job.pk)]


def test_an_export_whose_worker_died_is_taken_over(cast: Cast, tmp_path: Path, enqueued: list[tuple[Any, ...]]) -> None:
    job = export_jobs.request_export(made_version(cast, tmp_path), form="jsonl")
    assert job_leases.take_job(ExportJob, job.pk)
    job_worker.requeue_stalled()
    assert enqueued == []
    ExportJob.objects.update(leased_until=LONG_AGO)
    job_worker.requeue_stalled()
    assert enqueued == [(export_jobs.TASK, job.pk)]
    done = export_jobs.run_export(job.pk)
    assert done is not None
    assert (done.status, done.attempts) == (JobStatus.DONE, 2)


def test_a_job_that_ended_its_worker_too_often_fails(cast: Cast, enqueued: list[tuple[Any, ...]]) -> None:
    job = waiting(cast)
    assert job_leases.take_job(ImportJob, job.pk)
    ImportJob.objects.update(attempts=job_leases.MAX_ATTEMPTS, leased_until=LONG_AGO)
    job_worker.requeue_stalled()
    job.refresh_from_db()
    assert (enqueued, job.status) == ([], JobStatus.FAILED)
    assert "workers died" in job.failure


def uploaded(workspace: Workspace) -> ImportJob:
    return imports.request_import(
        curation.get_or_create_dataset(workspace, "study"), reader="items", file=f"imports/{uuid4()}.jsonl"
    )


def workspaces(count: int) -> list[Workspace]:
    return [Workspace.objects.create(name=f"W{number}", slug=f"w{number}") for number in range(count)]


def test_no_more_than_two_run_at_once() -> None:
    for workspace in workspaces(3):
        uploaded(workspace)
    assert [job_leases.take_next_job() is not None for _ in range(3)] == [True, True, False]


def test_one_workspace_never_has_both_slots() -> None:
    busy, other = workspaces(2)
    for _ in range(3):
        uploaded(busy)
    first, second = job_leases.take_next_job(), job_leases.take_next_job()
    assert first is not None
    assert (first.workspace, second) == (busy, None)
    job = uploaded(other)
    assert job_leases.take_next_job() == job


def test_the_workspace_served_longest_ago_comes_next() -> None:
    busy, other = workspaces(2)
    theirs = [uploaded(busy) for _ in range(3)]
    job = uploaded(other)
    order = []
    while (taken := job_leases.take_next_job()) is not None:
        job_leases.finish_job(taken)
        order.append(taken)
    assert order == [theirs[0], job, *theirs[1:]]


def test_exports_leave_a_slot_to_imports(cast: Cast, tmp_path: Path) -> None:
    export_jobs.request_export(made_version(cast, tmp_path), form="jsonl")
    other, uploading = workspaces(2)
    version = DatasetVersion.objects.get()
    ExportJob.objects.create(workspace=other, version=version, format="jsonl", options={"redact": []})
    assert isinstance(job_leases.take_next_job(), ExportJob)
    assert job_leases.take_next_job() is None
    assert job_leases.take_next_job() is None
    job = uploaded(uploading)
    assert job_leases.take_next_job() == job


def test_an_import_of_a_shell_takes_no_slot_of_the_workers(cast: Cast) -> None:
    assert job_leases.take_job(ImportJob, waiting(cast).pk)
    job = uploaded(cast.workspace)
    assert job_leases.take_next_job() == job


def test_a_long_import_gives_way_and_goes_on_where_it_was(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_leases, "TURN_SECONDS", 0)
    monkeypatch.setattr(imports, "_PROGRESS_SECONDS", 0)
    lines = [line(0), line(1), "{", line(1), line(2)]
    with write_lines(tmp_path / "lines.jsonl", lines).open("rb") as file:
        long = imports.receive_upload(curation.get_or_create_dataset(cast.workspace, "study"), file, reader="items")
    others = [uploaded(workspace) for workspace in workspaces(len(lines) + 1)]
    turns = []
    while long.status == JobStatus.QUEUED:
        imports.run_import(long.pk)
        long.refresh_from_db()
        turns.append(long.done)
        job_leases.cancel_job(others.pop())
    assert turns == [1, 2, 3, 4, 5, 5]
    assert (long.status, long.loaded, long.repeated, long.rejected) == (JobStatus.DONE, 3, 1, 1)
    assert (long.attempts, [problem.line for problem in long.problems.all()]) == (1, [3])


def test_a_version_that_nobody_froze_is_enqueued_again(
    cast: Cast, tmp_path: Path, enqueued: list[tuple[Any, ...]]
) -> None:
    version = versions.request_version(made_version(cast, tmp_path).dataset, shares={})
    assert versions.request_version(version.dataset, shares={}) == version
    type(version).objects.filter(pk=version.pk).update(created_at=LONG_AGO)
    job_worker.requeue_stalled()
    assert enqueued == [(versions.TASK, version.pk)]
