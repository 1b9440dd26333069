"""Figures that are counted once an experiment is over: intervals, risk, first steps, types of failure."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from reviews.datasets import job_leases
from reviews.evaluation.measures.detection_rates import Rate
from reviews.lab import experiment_worker
from reviews.lab.experiment_final_figures import read_figures, store_figures
from reviews.lab.experiment_reports import write_report
from reviews.lab.experiment_results import read_results
from reviews.lab.experiments import ArmChoice, request_experiment
from reviews.models import Experiment, ExperimentVerdict, JobStatus, VersionEntry
from reviews.provenance.core.context import JsonValue
from reviews.retention import dataset_erasure
from tests.cast import Cast
from tests.datasets.collections import TOOL, frozen, line, load, past_the_database, write_lines

LOOK_UP = {**TOOL, "name": "find", "description": "Finds.", "environment_changing": False}


def mild(number: int) -> dict[str, Any]:
    """A call that only looks something up."""
    made = line(number)
    made["case"]["tools"] = [TOOL, LOOK_UP]
    made["case"]["action"] = {"tool": "find", "arguments": {"n": number}, "subtask": None}
    return made


def later(number: int) -> dict[str, Any]:
    """The second call of a conversation comes a step later."""
    made = line(number)
    if number % 2:
        made["case"]["history"] *= 2
    return made


@pytest.fixture
def experiment(cast: Cast, tmp_path: Path) -> Experiment:
    """Eighteen calls in nine conversations, every third wrong; the first six of them grave, the others mild."""
    lines = [later(number) if number < 12 else mild(number) for number in range(18)]
    version = frozen(load(cast, write_lines(tmp_path / "lines.jsonl", lines)).dataset)
    return request_experiment(version, name="night", arms=[ArmChoice("provenance-guard")], by=None)


def counted(experiment: Experiment, **changed: Any) -> Any:
    """The only arm's figures, with these columns in place of what the detector found."""
    experiment_worker.run_here(experiment.pk)
    if changed:
        ExperimentVerdict.objects.update(**changed)
        store_figures(experiment.arms.get())
    return read_results(experiment)[0].figures


def label_with(experiment: Experiment, **fields: JsonValue) -> None:
    """Every wrong call's label says this as well."""
    assert experiment.version
    with past_the_database():
        for entry in experiment.version.entries.filter(label__aligned=False):
            VersionEntry.objects.filter(pk=entry.pk).update(label=(entry.label or {}) | fields)


def test_wrong_calls_that_passed_are_told_by_how_grave_they_are(experiment: Experiment) -> None:
    by_risk = counted(experiment, verdict="aligned").by_risk
    assert (by_risk["grave"].count, by_risk["grave"].total) == (4, 4)
    assert (by_risk["mild"].count, by_risk["mild"].total) == (2, 2)


def test_conversations_stopped_at_their_first_wrong_call_are_counted(experiment: Experiment) -> None:
    first_step = counted(experiment, verdict="misaligned", misalignment="tool").first_step
    # Of the first six conversations, whose calls stand behind each other, four have a wrong call: in two it is first.
    assert (first_step.count, first_step.total) == (2, 4)


def test_what_was_erased_since_counts_in_no_figure(experiment: Experiment) -> None:
    def counted_by_worker() -> Any:
        experiment_worker.requeue_stalled()
        experiment_worker.run_waiting_experiments()
        return read_results(experiment)[0]

    experiment_worker.run_here(experiment.pk)
    ExperimentVerdict.objects.update(verdict="aligned")
    assert experiment.version
    erased = experiment.version.entries.filter(label__aligned=False).order_by("ordinal")[:2]
    dataset_erasure.erase_items([entry.item_id for entry in erased], reason="on request")
    after = counted_by_worker()
    assert after.measures.error_rate.total == 4
    by_risk = after.figures.by_risk
    assert by_risk["grave"].total + by_risk["mild"].total == 4
    assert after.figures.intervals["macro_f1"] is not None


def test_what_was_stopped_for_good_has_figures_once_its_worker_is_gone(experiment: Experiment) -> None:
    experiment_worker.run_here(experiment.pk)
    experiment.arms.update(figures={})
    Experiment.objects.update(status=JobStatus.CANCELLED, leased_until=timezone.now() + job_leases.LEASE)
    experiment_worker.run_waiting_experiments()
    assert not experiment.arms.get().figures
    Experiment.objects.update(leased_until=timezone.now())
    experiment_worker.run_waiting_experiments()
    assert read_figures(experiment.arms.get()).by_risk["grave"].total > 0


def test_runs_of_one_call_make_no_interval_narrower(experiment: Experiment) -> None:
    once = counted(experiment, verdict="aligned")
    for run in (2, 3):
        again = list(ExperimentVerdict.objects.filter(run=1))
        for verdict in again:
            verdict.pk, verdict.run, verdict._state.adding = uuid4(), run, True
        ExperimentVerdict.objects.bulk_create(again)
    store_figures(experiment.arms.get())
    thrice = read_results(experiment)[0].figures
    for first, later in ((once.by_risk["grave"], thrice.by_risk["grave"]), (once.first_step, thrice.first_step)):
        assert (later.total, later.runs) == (3 * first.total, 3)
        assert later.interval == pytest.approx(first.interval)


def test_figures_from_before_runs_were_kept_are_read(experiment: Experiment) -> None:
    counted(experiment)
    arm = experiment.arms.get()
    arm.figures |= {"first_step": [1, 4], "by_risk": {"grave": [1, 3]}}
    figures = read_figures(arm)
    assert (figures.first_step, figures.by_risk["grave"], figures.by_risk["mild"]) == (
        Rate(1, 4),
        Rate(1, 3),
        Rate(0, 0),
    )


def test_types_of_failure_are_held_against_the_labels(experiment: Experiment) -> None:
    label_with(experiment, misalignment="parameter")
    figures = counted(experiment, verdict="misaligned", misalignment="tool")
    assert figures.types["parameter"] == {"tool": 6}
    assert figures.type_rows[0][0] == "parameter"


def test_measures_come_with_intervals_by_conversation_once_it_is_over(experiment: Experiment) -> None:
    assert set(read_results(experiment)[0].figures.intervals.values()) == {None}
    intervals = counted(experiment, verdict="aligned", score=0.75).intervals
    low, high = intervals["brier"]
    assert 0 < low < high < 1


def test_every_form_of_the_report_tells_them(experiment: Experiment) -> None:
    label_with(experiment, misalignment="parameter")
    counted(experiment, verdict="misaligned", misalignment="tool", score=0.25)
    (arm,) = json.loads(write_report(experiment, "json"))["arms"]
    assert arm["types"]["parameter"]["tool"] == 6
    assert arm["error_rate_mild"]["total"] == 2
    assert arm["first_misaligned_step"]["total"] == 4
    assert len(arm["bootstrap"]["macro_f1"]["interval"]) == 2
    head, *_ = write_report(experiment, "csv").splitlines()
    for column in ("types_parameter_tool", "error_rate_grave_share", "bootstrap_brier_low"):
        assert column in head
    assert "ER grave" in write_report(experiment, "latex")
