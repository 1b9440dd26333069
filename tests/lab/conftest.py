from typing import Any

import pytest

from reviews.datasets import job_process
from reviews.lab import dry_run
from reviews.models import Experiment


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run of a process waits for the pool to start, and would leave the others to the next request."""
    monkeypatch.setattr(dry_run, "MAX_SECONDS", 60)


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of its own sees nothing of a transaction: `test_experiment_processes` has those."""

    def run_share(works: Any, job: Experiment) -> None:
        for work in works:
            assert work(job.pk, job.lease, job_process.Place()) is None

    monkeypatch.setattr(job_process, "run_side_by_side", run_share)
