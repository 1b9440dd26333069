"""Experiments in processes of their own, killed in the middle and run again."""

from pathlib import Path

import pytest

from reviews.lab.experiments import ArmChoice, request_experiment
from reviews.models import Experiment, ExperimentVerdict, JobStatus
from tests import stack
from tests.cast import RIGHT, make_cast, propose
from tests.datasets.collections import made_version
from tests.jobs import run_checks

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


def test_recorded_calls_are_drawn_and_judged_by_the_command_in_processes_of_their_own() -> None:
    cast = make_cast()
    for number in range(3):
        run_checks(propose(cast, RIGHT, trace_id=f"talk-{number}").pk)
    with stack.process("manage", "experiment", cast.workspace.slug, "month", "--recorded") as command:
        assert command.wait(timeout=60) == 0
    experiment = Experiment.objects.get()
    assert (experiment.status, experiment.done) == (JobStatus.DONE, 3)
    assert ExperimentVerdict.objects.filter(call__experiment=experiment).exclude(verdict="").count() == 3
    assert experiment.arms.get().figures["by_risk"] == {"grave": [0, 0, 1], "mild": [0, 0, 1]}
