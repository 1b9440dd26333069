"""What the sweep picks up again: jobs and versions whose message or worker was lost."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from reviews.labels import background, exports, imports, jobs, versions
from reviews.models import ExportJob, ImportJob, JobStatus
from tests.cast import Cast
from tests.labels.collections import made_version

LONG_AGO = timezone.now() - timedelta(hours=1)


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What is handed to the broker."""
    sent: list[tuple[Any, ...]] = []
    monkeypatch.setattr("reviews.messaging.broker.enqueue", lambda *message, **_: sent.append(message))
    return sent


def waiting(cast: Cast) -> ImportJob:
    return imports.request(imports.dataset_named(cast.workspace, "study"), reader="items")


def test_a_job_that_was_never_begun_is_enqueued_again(cast: Cast, enqueued: list[tuple[Any, ...]]) -> None:
    job = waiting(cast)
    background.sweep()
    assert enqueued == []
    ImportJob.objects.update(created_at=LONG_AGO)
    background.sweep()
    assert enqueued == [(imports.TASK, job.pk)]


def test_an_export_whose_worker_died_is_taken_over(cast: Cast, tmp_path: Path, enqueued: list[tuple[Any, ...]]) -> None:
    job = exports.request(made_version(cast, tmp_path), form="jsonl")
    assert jobs.take(ExportJob, job.pk)
    background.sweep()
    assert enqueued == []
    ExportJob.objects.update(leased_until=LONG_AGO)
    background.sweep()
    assert enqueued == [(exports.TASK, job.pk)]
    done = exports.run(job.pk)
    assert done is not None
    assert (done.status, done.attempts) == (JobStatus.DONE, 2)


def test_a_job_that_ended_its_worker_too_often_fails(cast: Cast, enqueued: list[tuple[Any, ...]]) -> None:
    job = waiting(cast)
    assert jobs.take(ImportJob, job.pk)
    ImportJob.objects.update(attempts=jobs.MOST_ATTEMPTS, leased_until=LONG_AGO)
    background.sweep()
    job.refresh_from_db()
    assert (enqueued, job.status) == ([], JobStatus.FAILED)
    assert "workers died" in job.failure


def test_no_more_than_two_run_at_once(cast: Cast) -> None:
    taken = [jobs.take(ImportJob, waiting(cast).pk) for _ in range(3)]
    assert [job is not None for job in taken] == [True, True, False]


def test_a_version_that_nobody_froze_is_enqueued_again(
    cast: Cast, tmp_path: Path, enqueued: list[tuple[Any, ...]]
) -> None:
    version = versions.request(made_version(cast, tmp_path).dataset, shares={})
    assert versions.request(version.dataset, shares={}) == version
    type(version).objects.filter(pk=version.pk).update(created_at=LONG_AGO)
    background.sweep()
    assert enqueued == [(versions.TASK, version.pk)]
