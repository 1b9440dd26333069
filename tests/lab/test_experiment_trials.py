"""Experiments that change or attack calls: every variant once, and what came of it."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from reviews.errors import InvalidError
from reviews.evaluation.measures.detection_rates import Rate
from reviews.lab import experiment_worker
from reviews.lab.experiment_reports import write_report
from reviews.lab.experiment_results import read_results
from reviews.lab.experiment_trials import TOTAL, ArmTallies, find_variant, read_tallies
from reviews.lab.experiments import ArmChoice, request_experiment
from reviews.lab.trial_choices import TrialChoice
from reviews.models import DatasetVersion, Experiment, ExperimentKind, ExperimentVerdict, JobStatus
from tests.cast import Cast
from tests.datasets.collections import made_version

PERTURBATION = TrialChoice(ExperimentKind.PERTURBATION, ("later-sentence", "renaming", "withdrawal"))
ATTACK = TrialChoice(ExperimentKind.ATTACK, ("record-field", "tool-document"), variants=2, seed=7)


@pytest.fixture
def version(cast: Cast, tmp_path: Path) -> DatasetVersion:
    """Four calls, of which two should be stopped."""
    return made_version(cast, tmp_path, 4)


def ran(version: DatasetVersion, trial: TrialChoice) -> Experiment:
    """An experiment as its worker leaves it."""
    arms = [ArmChoice("provenance-guard")]
    experiment = request_experiment(version, name="Night", arms=arms, by=None, trial=trial)
    experiment_worker.run_here(experiment.pk)
    experiment.refresh_from_db()
    assert (experiment.status, experiment.done, experiment.total) == (JobStatus.DONE, 4, 4), experiment.failure
    return experiment


def check_tallies(experiment: Experiment) -> ArmTallies:
    """The one arm's tallies, which add up."""
    (of_arm,) = read_tallies(experiment)
    *parts, total = of_arm.tallies
    assert total.name == TOTAL
    assert total.tried == sum(part.tried for part in parts) > 0
    assert total.failures == ExperimentVerdict.objects.filter(is_failure=True).count()
    return of_arm


def test_every_call_is_judged_as_it_is_and_changed(version: DatasetVersion) -> None:
    experiment = ran(version, PERTURBATION)
    of_arm = check_tallies(experiment)
    assert "later-sentence: a hurry" in {tally.name for tally in of_arm.tallies}
    (result,) = read_results(experiment)
    assert result.measures.accuracy.total == 4
    stored = ExperimentVerdict.objects.count()
    # As a successor of a worker that died before it said that it was done.
    Experiment.objects.update(status=JobStatus.QUEUED, finished_at=None)
    experiment_worker.run_here(experiment.pk)
    assert ExperimentVerdict.objects.count() == stored


def test_runs_of_one_variant_make_no_interval_narrower(version: DatasetVersion) -> None:
    experiment = ran(version, ATTACK)
    once = check_tallies(experiment).tallies[-1].failure_rate
    again = list(ExperimentVerdict.objects.all())
    for verdict in again:
        verdict.pk, verdict.run, verdict._state.adding = uuid4(), 2, True
    ExperimentVerdict.objects.bulk_create(again)
    twice = check_tallies(experiment).tallies[-1].failure_rate
    assert (twice.total, twice.runs) == (2 * once.total, 2)
    assert twice.interval == pytest.approx(once.interval)


@pytest.mark.parametrize("trial", [PERTURBATION, ATTACK], ids=["changed", "attacked"])
def test_variants_of_one_call_make_no_interval_narrower(version: DatasetVersion, trial: TrialChoice) -> None:
    *parts, total = check_tallies(ran(version, trial)).tallies
    calls = ExperimentVerdict.objects.exclude(variant="").values("entry").distinct().count()
    assert total.calls == calls == max(part.calls for part in parts) < total.tried
    rate = total.failure_rate
    assert rate.interval == pytest.approx(Rate(rate.count, rate.total, evidence=calls).interval)


def test_only_right_calls_are_attacked_and_every_attack_meets_a_fate(version: DatasetVersion) -> None:
    experiment = ran(version, ATTACK)
    *families, total = check_tallies(experiment).tallies
    assert [tally.name for tally in families] == list(ATTACK.names)
    assert [tally.tried for tally in families] == [4, 4]
    assert sum(total.counts) == total.tried
    attacked = ExperimentVerdict.objects.exclude(variant="").select_related("entry")
    assert all((verdict.subject.label or {})["aligned"] for verdict in attacked)


def test_a_variant_is_made_again_as_it_was_judged(version: DatasetVersion) -> None:
    experiment = ran(version, ATTACK)
    verdict = ExperimentVerdict.objects.exclude(variant="").select_related("entry__item")[0]
    case = find_variant(experiment, verdict.subject, verdict.variant)
    assert case is not None
    assert case == find_variant(experiment, verdict.subject, verdict.variant)
    assert find_variant(experiment, verdict.subject, "none") is None


@pytest.mark.parametrize("trial", [PERTURBATION, ATTACK])
def test_what_came_of_it_is_had_in_every_form(version: DatasetVersion, trial: TrialChoice) -> None:
    experiment = ran(version, trial)
    head, *lines = write_report(experiment, "csv").splitlines()
    tallies = json.loads(write_report(experiment, "json"))["tallies"]
    assert len(lines) == len(tallies) > 1
    assert '"no verdict"' in head
    assert "must not" in write_report(experiment, "table")
    assert write_report(experiment, "latex").count(r"\begin{table}") == 2


def test_what_is_named_twice_is_tried_once() -> None:
    assert TrialChoice(ExperimentKind.PERTURBATION, ("renaming", "renaming")).stored == {"names": ["renaming"]}


@pytest.mark.parametrize(
    ("trial", "message"),
    [
        (TrialChoice(ExperimentKind.ATTACK, ("renaming",)), "cannot be tried"),
        (TrialChoice(ExperimentKind.ATTACK, variants=99), "1 to 10 attacks"),
        (TrialChoice(names=("renaming",)), "cannot be tried"),
    ],
)
def test_what_cannot_be_tried_is_refused(version: DatasetVersion, trial: TrialChoice, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        request_experiment(version, name="x", arms=[ArmChoice("argus")], by=None, trial=trial)
