"""Experiments in processes of their own, killed in the middle and run again."""

from pathlib import Path

import pytest

from reviews.lab.experiments import ArmChoice, request_experiment
from reviews.models import Experiment, ExperimentVerdict, JobStatus
from tests import stack
from tests.cast import make_cast
from tests.datasets.collections import made_version

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(120)]

CALLS = 400


def verdicts() -> dict[object, object]:
    """Each stored verdict: its key, which a second one would not have, by its call."""
    return dict(ExperimentVerdict.objects.values_list("entry", "pk"))


def test_killed_with_its_processes_an_experiment_goes_on_and_judges_nothing_twice(tmp_path: Path) -> None:
    cast = make_cast()
    version = made_version(cast, tmp_path, CALLS)
    experiment = request_experiment(version, name="night", arms=[ArmChoice("provenance-guard")], by=None)
    command = ("manage", "experiment", cast.workspace.slug, "night")
    with stack.process(*command):
        stack.until(verdicts, seconds=60, what="the first verdicts")
    stored = verdicts()
    assert 0 < len(stored) < CALLS
    Experiment.objects.update(leased_until=experiment.created_at)
    with stack.process(*command) as again:
        assert again.wait(timeout=60) == 0
    experiment.refresh_from_db()
    # The attempt that was killed does not count any more once the next got further.
    assert (experiment.status, experiment.attempts, experiment.done) == (JobStatus.DONE, 1, CALLS)
    assert len(verdicts()) == ExperimentVerdict.objects.count() == CALLS
    assert stored.items() <= verdicts().items()
