"""Experiments on the workspace's own calls: what is drawn, whose word labels them, and what would go another way."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from reviews.annotation import gold_labels
from reviews.datasets import curation
from reviews.decisions import call_audits, decide
from reviews.errors import InvalidError
from reviews.lab import action_labels, experiment_worker
from reviews.lab.experiment_comparison import flipped_calls
from reviews.lab.experiment_results import ArmResult, read_results
from reviews.lab.experiments import ArmChoice, is_current, request_experiment
from reviews.lab.recorded_calls import Period, RecordedDraw, draw_calls
from reviews.models import Action, Decision, Experiment, ExperimentCall, ExperimentVerdict, JobStatus
from reviews.retention.conversation_erasure import erase_conversation
from reviews.workspaces import agent_keys
from tests.cast import RIGHT, Cast, approved, flagged, propose
from tests.datasets.collections import frozen
from tests.jobs import run_checks

GUARD = ArmChoice("provenance-guard")


def drawn(cast: Cast, **period: Any) -> RecordedDraw:
    return draw_calls(cast.workspace, Period.last_days(**period))


def ran(cast: Cast, *arms: ArmChoice, **period: Any) -> tuple[Experiment, Sequence[ArmResult]]:
    """An experiment on what was drawn, as its worker leaves it."""
    experiment = request_experiment(drawn(cast, **period), name="last month", arms=arms or [GUARD], by=None)
    experiment_worker.run_here(experiment.pk)
    experiment.refresh_from_db()
    return experiment, read_results(experiment)


def passed(cast: Cast, trace_id: str = "passed") -> Action:
    """A call that the guard let pass."""
    action = propose(cast, RIGHT, trace_id=trace_id)
    run_checks(action.pk)
    action.refresh_from_db()
    return action


def rejected(cast: Cast, trace_id: str = "rejected") -> Action:
    action = flagged(cast, trace_id=trace_id).action
    decide.decide_action(action=action, choice=decide.Reject(), membership=cast.reviewer)
    return action


def test_calls_of_the_period_that_are_over_are_judged_by_their_decisions(cast: Cast) -> None:
    wrong, unlabelled, waiting = rejected(cast), passed(cast), flagged(cast, trace_id="waits").action
    experiment, (result,) = ran(cast)
    assert set(experiment.calls.values_list("action", flat=True)) == {wrong.pk, unlabelled.pk}
    assert waiting.pk not in experiment.calls.values_list("action", flat=True)
    assert (experiment.status, experiment.done, experiment.total) == (JobStatus.DONE, 2, 2)
    assert (result.measures.accuracy.total, result.measures.error_rate.total) == (1, 1)
    assert (result.load.count, result.load.total) == (1, 2)


def test_a_call_from_before_the_period_is_not_drawn(cast: Cast) -> None:
    old = rejected(cast)
    Action.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=31))
    with pytest.raises(InvalidError, match="No call of this period"):
        drawn(cast)
    assert [call.action_id for call in drawn(cast, days=32).calls] == [old.pk]


def test_calls_of_another_workspace_are_not_drawn(cast: Cast) -> None:
    rejected(replace(cast, agent=cast.outside_agent, reviewer=cast.outsider))
    with pytest.raises(InvalidError, match="No call of this period"):
        drawn(cast)


def test_a_flood_of_one_agent_leaves_room_for_the_others(cast: Cast) -> None:
    other = agent_keys.issue_key(membership=cast.admin, name="other-bot").agent_key
    rare = rejected(replace(cast, agent=other), "rare")
    for number in range(5):
        passed(cast, f"flood-{number}")
    calls = drawn(cast, calls=2).calls
    assert len(calls) == 2
    assert rare.pk in {call.action_id for call in calls}


def test_an_audit_corrects_the_label_of_a_decision(cast: Cast) -> None:
    action = approved(cast)
    assert action_labels.labels_of_actions([action.pk])[action.pk]["method"] == "operational"
    call_audits.judge_audit(action=action, membership=cast.admin, aligned=False, misalignment="parameter")
    assert action_labels.labels_of_actions([action.pk])[action.pk] == {
        "aligned": False, "misalignment": "parameter", "method": "audit",
    }  # fmt: skip


def test_what_annotators_settled_goes_before_what_was_decided(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    action = approved(cast)
    dataset = curation.get_or_create_dataset(cast.workspace, "study")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    agreed = {"aligned": False, "misalignment": "tool", "first_misaligned_step": 2, "method": gold_labels.AGREED}
    monkeypatch.setattr(gold_labels, "labels_of", lambda items: {item.pk: agreed for item in items})
    assert action_labels.labels_of_actions([action.pk]) == {action.pk: agreed}
    monkeypatch.setattr(gold_labels, "labels_of", lambda items: dict.fromkeys(item.pk for item in items))
    assert action_labels.labels_of_actions([action.pk])[action.pk]["aligned"] is True


def test_what_would_go_another_way_is_counted_without_labels(cast: Cast) -> None:
    passed(cast)
    experiment, (result,) = ran(cast)
    assert (result.newly_stopped.count, result.newly_stopped.total, result.newly_passed.total) == (0, 1, 0)
    ExperimentVerdict.objects.update(verdict="misaligned")
    results = read_results(experiment)
    assert (results[0].newly_stopped.count, flipped_calls(results)) == (1, [1])
    assert results[0].flips == {1: True}


def test_runs_of_calls_that_nobody_labelled_make_the_interval_of_their_load_no_narrower(cast: Cast) -> None:
    passed(cast)
    experiment, (once,) = ran(cast)
    again = list(ExperimentVerdict.objects.all())
    for run in (2, 3):
        for verdict in again:
            verdict.pk, verdict.run, verdict._state.adding = uuid4(), run, True
        ExperimentVerdict.objects.bulk_create(again)
    (thrice,) = read_results(experiment)
    for first, later in ((once.load, thrice.load), (once.newly_stopped, thrice.newly_stopped)):
        assert later.total == 3 * first.total
        assert later.interval == pytest.approx(first.interval)


def test_the_digest_tells_what_was_drawn_and_every_label(cast: Cast) -> None:
    action = approved(cast)
    before = drawn(cast).stored["digest"]
    assert before == drawn(cast).stored["digest"]
    call_audits.judge_audit(action=action, membership=cast.admin, aligned=False)
    labelled = drawn(cast).stored["digest"]
    passed(cast)
    assert len({before, labelled, drawn(cast).stored["digest"]}) == 3


def test_new_calls_leave_a_begun_experiment_as_it_was_drawn(cast: Cast) -> None:
    rejected(cast)
    experiment = request_experiment(drawn(cast), name="last month", arms=[GUARD], by=None)
    passed(cast)
    assert is_current(experiment)
    experiment_worker.run_here(experiment.pk)
    assert ExperimentVerdict.objects.count() == 1


def test_a_successor_judges_only_the_drawn_calls_that_are_left(cast: Cast) -> None:
    for number in range(3):
        passed(cast, f"talk-{number}")
    experiment = request_experiment(drawn(cast), name="last month", arms=[GUARD], by=None)
    experiment_worker._record_killed_call(experiment, 2)
    experiment_worker.run_here(experiment.pk)
    (result,) = read_results(experiment)
    assert (result.failed, result.load.total) == (1, 2)


def test_an_erased_conversation_takes_its_calls_out_of_the_experiment(cast: Cast) -> None:
    kept, gone = passed(cast, "kept"), passed(cast, "gone")
    experiment, _ = ran(cast)
    erase_conversation(cast.workspace, gone.trace.external_id)
    assert list(ExperimentCall.objects.values_list("action", flat=True)) == [kept.pk]
    assert [result.load.total for result in read_results(experiment)] == [1]


def test_the_figures_of_recorded_calls_are_counted_anew_once_one_of_them_is_erased(cast: Cast) -> None:
    gone, _ = rejected(cast, "gone"), rejected(cast, "stays")
    experiment, (before,) = ran(cast, ArmChoice("provenance-guard"))
    erase_conversation(cast.workspace, gone.trace.external_id)
    experiment_worker.run_waiting_experiments()
    (after,) = read_results(experiment)
    for result, calls in ((before, 2), (after, 1)):
        by_risk = result.figures.by_risk
        assert by_risk["grave"].total + by_risk["mild"].total == result.measures.error_rate.total == calls


@pytest.mark.usefixtures("in_this_process")
def test_the_command_draws_recorded_calls(cast: Cast) -> None:
    rejected(cast)
    told = StringIO()
    call_command("experiment", cast.workspace.slug, "x", "--recorded", "--days", "7", stdout=told, stderr=StringIO())
    assert Experiment.objects.get().recorded["calls"] == 1_000
    assert "recorded calls" in told.getvalue()
    assert "newly stopped | newly passed |" in told.getvalue()


def test_recorded_calls_are_judged_out_of_a_frozen_version_as_well(cast: Cast) -> None:
    approved(cast)
    dataset = curation.get_or_create_dataset(cast.workspace, "study")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    experiment = request_experiment(frozen(dataset), name="study", arms=[GUARD], by=None)
    experiment_worker.run_here(experiment.pk)
    assert ExperimentVerdict.objects.get().verdict


def test_the_command_takes_a_dataset_or_recorded_calls(cast: Cast) -> None:
    with pytest.raises(CommandError, match="leave out --dataset or --recorded"):
        call_command("experiment", cast.workspace.slug, "x", "--recorded", "--dataset", "study")


@pytest.mark.parametrize(
    ("period", "message"),
    [({"days": 0}, "1 to 3650 days"), ({"calls": 0}, "1 to 10000 calls"), ({"calls": 10_001}, "1 to 10000 calls")],
)
def test_a_period_that_makes_no_sense_is_refused(cast: Cast, period: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        drawn(cast, **period)


def test_an_experiment_without_decisions_draws_what_expired_before_a_person(cast: Cast) -> None:
    action = flagged(cast).action
    Action.objects.filter(pk=action.pk).update(status="expired", settled_at=timezone.now())
    assert not Decision.objects.exists()
    (call,) = drawn(cast).calls
    assert (call.label, call.was_stopped) == (None, True)
