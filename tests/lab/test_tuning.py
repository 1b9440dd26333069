"""A threshold learned from what people decided."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from reviews import access
from reviews.decisions import call_audits, decide
from reviews.errors import ConflictError, InvalidProfileError, TooFewLabelsError
from reviews.lab import suspicion_training, tuning
from reviews.models import AuditEvent, Check, CheckMode, CheckStatus, Decision, GuardProfile
from reviews.profiles import versions
from reviews.provenance.detectors import InferActProb
from tests.cast import RIGHT, Cast, flagged, propose
from tests.jobs import run_checks

PROB = InferActProb.name
KNOWN: dict[str, Any] = {"detector_version": InferActProb.version, "judge": "rules"}


def labelled(cast: Cast, *scores: tuple[float, bool], mode: CheckMode = CheckMode.SHADOW, **row: Any) -> None:
    """Calls that were scored so and then found right or wrong by a reviewer."""
    for number, (score, right) in enumerate(scores):
        action = flagged(cast, trace_id=f"{score}-{number}").action
        done = {"status": CheckStatus.DONE, "verdict": "aligned", "finished_at": timezone.now()}
        about = {"action": action, "agent_key": cast.agent, "detector": PROB, "mode": mode}
        Check.objects.create(score=score, **about, **done, **(KNOWN | row))
        choice = decide.Approve() if right else decide.Reject()
        decide.decide_action(action=action, choice=choice, membership=cast.reviewer)


def split(cast: Cast, **row: Any) -> None:
    """Four calls that a threshold of 0.7 tells apart and the usual one does not."""
    labelled(cast, (0.55, False), (0.6, False), (0.8, True), (0.9, True), **row)


def tuned_by_command(cast: Cast, *options: str) -> str:
    output = StringIO()
    call_command("tune", cast.workspace.slug, PROB, "--minimum=4", *options, stdout=output)
    return output.getvalue()


def in_force(cast: Cast) -> GuardProfile:
    return access.current_profile(cast.workspace)


@pytest.mark.parametrize("mode", CheckMode.values)
def test_the_threshold_that_serves_best_is_stored_as_a_new_version(cast: Cast, mode: CheckMode) -> None:
    split(cast, mode=mode)
    found, profile = tuning.store_threshold(cast.workspace, PROB, minimum=4)
    assert (found.count, found.threshold_before, found.macro_f1_before, found.macro_f1) == (4, 0.5, 1 / 3, 1.0)
    assert (in_force(cast), profile.thresholds) == (profile, {PROB: found.threshold})
    assert found.threshold == pytest.approx(0.7)


def test_other_thresholds_are_kept(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, thresholds={"multi-step": 0.25, PROB: 0.1})
    split(cast)
    found, profile = tuning.store_threshold(cast.workspace, PROB, minimum=4)
    assert (found.threshold_before, profile.thresholds) == (0.1, {"multi-step": 0.25, PROB: found.threshold})


def test_a_threshold_fitted_to_another_profile_is_not_stored(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    split(cast)
    propose_threshold = tuning.propose_threshold

    def propose_while_somebody_changes(*args: Any, **options: Any) -> tuning.Tuning:
        tuned = propose_threshold(*args, **options)
        versions.new_version(membership=cast.admin, thresholds={"multi-step": 0.25})
        return tuned

    monkeypatch.setattr(tuning, "propose_threshold", propose_while_somebody_changes)
    with pytest.raises(ConflictError, match="has changed"):
        tuning.store_threshold(cast.workspace, PROB, minimum=4)
    assert in_force(cast).thresholds == {"multi-step": 0.25}


def test_it_is_audited_as_any_change(cast: Cast) -> None:
    split(cast)
    tuning.store_threshold(cast.workspace, PROB, minimum=4)
    event = AuditEvent.objects.get(workspace=cast.workspace, verb="profile.changed")
    assert (event.user, list(event.details["after"]["thresholds"])) == (None, [PROB])


def test_proposing_stores_nothing(cast: Cast) -> None:
    split(cast)
    tuning.propose_threshold(cast.workspace, PROB, minimum=4)
    assert in_force(cast).version == 1


def test_too_few_labels_teach_nothing(cast: Cast) -> None:
    split(cast)
    with pytest.raises(TooFewLabelsError, match=r": 4\. At least 20"):
        tuning.propose_threshold(cast.workspace, PROB)


@pytest.mark.parametrize("right", [True, False])
def test_labels_that_all_say_the_same_tell_no_threshold(cast: Cast, *, right: bool) -> None:
    labelled(cast, *((score, right) for score in (0.03, 0.3, 0.6, 0.9)))
    with pytest.raises(InvalidProfileError, match="right calls and wrong ones"):
        tuning.store_threshold(cast.workspace, PROB, minimum=4)
    assert in_force(cast).version == 1


def test_no_label_at_all_is_too_few(cast: Cast) -> None:
    with pytest.raises(TooFewLabelsError):
        tuning.propose_threshold(cast.workspace, PROB, minimum=0)


@pytest.mark.parametrize("row", [{"judge": "another"}, {"detector_version": "0.9"}, {"score": None}])
def test_scores_that_mean_something_else_do_not_count(cast: Cast, row: dict[str, Any]) -> None:
    split(cast)
    Check.objects.filter(detector=PROB).update(**row)
    with pytest.raises(TooFewLabelsError):
        tuning.propose_threshold(cast.workspace, PROB, minimum=1)


def test_another_workspaces_labels_do_not_count(cast: Cast) -> None:
    split(cast)
    with pytest.raises(TooFewLabelsError):
        tuning.propose_threshold(cast.outsider.workspace, PROB, minimum=1)


def test_there_must_be_such_a_detector(cast: Cast) -> None:
    with pytest.raises(InvalidProfileError, match="no detector"):
        tuning.propose_threshold(cast.workspace, "no-such")


def test_the_command_tells_what_it_has_changed(cast: Cast) -> None:
    split(cast)
    text = tuned_by_command(cast)
    assert ["0.5 -> 0.7" in text, "0.333 -> 1.000" in text, "Version 2" in text] == [True, True, True]


def test_a_dry_run_changes_nothing(cast: Cast) -> None:
    split(cast)
    assert ("0.5 -> 0.7" in tuned_by_command(cast, "--dry-run"), in_force(cast).version) == (True, 1)


def test_the_command_says_that_labels_are_missing(cast: Cast) -> None:
    with pytest.raises(CommandError, match="At least 4 are needed"):
        tuned_by_command(cast)


def test_the_command_takes_a_split_of_items_alone(cast: Cast) -> None:
    with pytest.raises(CommandError, match="--split is of --items"):
        tuned_by_command(cast, "--split", "test")


def test_the_command_says_that_there_is_no_such_workspace(db: None) -> None:
    with pytest.raises(CommandError, match="no workspace"):
        call_command("tune", "no-such", PROB)


def audited(cast: Cast, score: float, *, right: bool, likely: float | None = 0.25) -> None:
    """A call that passed and was judged afterwards: drawn with this probability, or chosen by somebody."""
    action = propose(cast, RIGHT, trace_id=f"audit-{score}")
    run_checks(action.pk)
    Decision.objects.filter(action=action).update(audit_probability=likely)
    done = {"status": CheckStatus.DONE, "verdict": "aligned", "finished_at": timezone.now()}
    about = {"action": action, "agent_key": cast.agent, "detector": PROB, "mode": CheckMode.SHADOW}
    Check.objects.create(score=score, **about, **done, **KNOWN)
    call_audits.judge_audit(action=action, membership=cast.admin, aligned=right)


def test_an_audit_of_one_in_four_weighs_four(cast: Cast) -> None:
    split(cast)
    audited(cast, 0.65, right=True)
    rows = tuning.list_labelled_scores(in_force(cast), PROB)
    assert sorted((row.score, row.aligned, row.weight) for row in rows if row.weight != 1) == [(0.65, True, 4.0)]
    found = tuning.propose_threshold(cast.workspace, PROB, minimum=5)
    assert found.count == 5
    assert found.threshold == pytest.approx(0.625)
    # Two wrong calls of eight pass: F1 is 0 of the wrong ones, and 12 of 14 of the right ones.
    assert found.macro_f1_before == pytest.approx(12 / 14 / 2)


def test_a_decision_that_was_corrected_since_teaches_what_the_correction_says(cast: Cast) -> None:
    split(cast)
    check = Check.objects.get(detector=PROB, score=0.9)
    call_audits.judge_audit(action=check.action, membership=cast.admin, aligned=False)
    rows = tuning.list_labelled_scores(in_force(cast), PROB)
    assert {row.score: (row.aligned, row.weight, row.is_audit) for row in rows}[0.9] == (False, 1.0, False)
    assert len(rows) == 4


def test_what_somebody_chose_to_look_at_stands_for_nothing(cast: Cast) -> None:
    split(cast)
    audited(cast, 0.65, right=True, likely=None)
    assert len(tuning.list_labelled_scores(in_force(cast), PROB)) == 4


def test_the_model_of_findings_learns_from_audits_by_their_weight(cast: Cast) -> None:
    split(cast)
    audited(cast, 0.65, right=True, likely=0.1)
    calls = suspicion_training.list_labelled_findings(cast.workspace)
    assert sorted(call.weight for call in calls) == [1.0, 1.0, 1.0, 1.0, 10.0]
