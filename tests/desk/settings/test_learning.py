"""What labels teach, on its page: the curve, a goal that becomes a threshold, and that they may be too few."""

import pytest
from django.template.loader import render_to_string

from reviews import access
from reviews.desk.review.case.verdicts import build_panel
from reviews.lab import tuning
from reviews.models import AuditEvent, Check, CheckMode, GuardProfile
from reviews.profiles import versions
from reviews.profiles.calibrations import probability_of
from reviews.provenance.detectors import InferActProb
from tests.cast import Cast
from tests.desk.desk import Desk
from tests.lab.test_tuning import audited, labelled

PAGE = "/settings/learning"
PROB = InferActProb.name


def test_too_few_labels_teach_nothing(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.shows(PAGE, "No detector has scored a call yet")
    labelled(cast, (0.55, False))
    admin_desk.shows(PAGE, PROB, "At least 20 are needed")
    goal = {"detector": PROB, "percent": "2"}
    assert admin_desk.client.post(f"{PAGE}/threshold", goal).status_code == 422


def test_a_goal_becomes_the_threshold_of_the_lowest_load(
    cast: Cast, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "MIN_LABELLED", 4)
    labelled(cast, (0.55, False), (0.6, False), (0.8, True), (0.9, True))
    body = admin_desk.shows(PAGE, "<svg", "0 of 4", "2 of 2", "as they are", "2 of 4")
    assert "style=" not in body
    assert admin_desk.client.post(f"{PAGE}/threshold", {"detector": PROB, "percent": "2"}).status_code == 302
    assert access.current_profile(cast.workspace).thresholds == {PROB: 0.8}
    assert AuditEvent.objects.filter(workspace=cast.workspace, verb="profile.changed").exists()
    assert admin_desk.client.post(f"{PAGE}/threshold", {"detector": PROB, "percent": "x"}).status_code == 422


def test_the_goal_is_of_the_detector_that_the_page_shows_unasked(
    cast: Cast, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "MIN_LABELLED", 4)
    labelled(cast, (0.55, False), (0.6, False), (0.8, True), (0.9, True))
    goal = admin_desk.shows(PAGE).split(f'action="{PAGE}/threshold"')[1].split("</form>")[0]
    assert f'name="detector" value="{PROB}"' in goal


def test_a_goal_that_no_threshold_reaches_is_told(
    cast: Cast, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "MIN_LABELLED", 4)
    labelled(cast, (1.0, False), (0.6, False), (0.8, True), (0.9, True))
    answer = admin_desk.client.post(f"{PAGE}/threshold", {"detector": PROB, "percent": "2"})
    assert answer.status_code == 422
    assert "No threshold misses so few" in answer.content.decode()


def test_scores_are_shown_as_probabilities_and_an_earlier_map_is_put_back(
    cast: Cast, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "MIN_LABELLED", 4)
    labelled(cast, (0.55, False), (0.6, False), (0.8, True), (0.9, True), mode=CheckMode.ENFORCED)
    for method in ("isotonic", "platt", ""):
        stored = admin_desk.client.post(f"{PAGE}/calibration", {"detector": PROB, "method": method})
        assert stored.status_code == 302
    assert access.current_profile(cast.workspace).calibrations == {}
    admin_desk.shows(PAGE, "Scores shown as probabilities", "platt, from 4 labels", "Put back")
    assert admin_desk.client.post(f"{PAGE}/put-back", {"version": "2", "setting": "calibrations"}).status_code == 302
    profile = access.current_profile(cast.workspace)
    assert (profile.version, profile.calibrations[PROB]["method"]) == (5, "isotonic")
    assert AuditEvent.objects.filter(workspace=cast.workspace, verb="profile.changed").count() == 4
    check = Check.objects.filter(detector=PROB).order_by("score")[0]
    assert probability_of(check, profile) == 0
    panel = render_to_string("review/panel.html", {"panel": build_panel([check], profile)})
    assert "0.0 % likely right (score 0.550)" in panel
    check.judge = "another"
    assert probability_of(check, profile) is None
    admin_desk.shows("/settings/profile/versions/5", "isotonic, from 4 labels")
    # Saved as it stands, the form takes nothing out of force.
    admin_desk.shows(PAGE, '<option value="isotonic" selected>', "css/annotate.css")
    assert admin_desk.client.post(f"{PAGE}/put-back", {"version": "99", "setting": "calibrations"}).status_code == 404


def test_what_can_no_longer_be_put_back_is_told(cast: Cast, admin_desk: Desk) -> None:
    GuardProfile.objects.filter(workspace=cast.workspace).update(calibrations={PROB: {"method": "isotonic"}})
    versions.new_version(membership=cast.admin, calibrations={})
    admin_desk.sends(f"{PAGE}/put-back", "This is no map of scores", version="1", setting="calibrations")
    assert access.current_profile(cast.workspace).version == 2


def test_weights_of_findings_are_read_and_switched_on(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.shows(PAGE, "Learn from the labels")
    address = f"{PAGE}/model"
    for wanted in ("learn", "on"):
        assert admin_desk.client.post(address, {"do": wanted}).status_code == 302
    admin_desk.shows(PAGE, "At least 50 are needed", "No model was learned yet")
    model = {"intercept": -1.0, "weights": {"guard: near_copy fails": 2.5, "guard: x holds": -0.5}}
    auc = {"calls": 70, "wrong": 20, "auc": 0.81, "interval": [0.7, 0.9]}
    versions.new_version(membership=cast.admin, suspicion=model | auc)
    admin_desk.sends(address, "Version 3 is in force", do="on")
    admin_desk.shows(PAGE, "near_copy fails", "2.500", "0.810", "between 0.700 and 0.900", "Order by deadline alone")
    assert access.current_profile(cast.workspace).orders_queue


def test_drawn_audits_stand_for_the_calls_that_nobody_saw(
    cast: Cast, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "MIN_LABELLED", 4)
    labelled(cast, (0.55, False), (0.6, False), (0.8, True), (0.9, True))
    admin_desk.shows(PAGE, "4 labelled calls<", "There are none yet")
    audited(cast, 0.95, right=False)
    # The audit stands for four wrong calls; at one half they pass as the two do that people stopped.
    admin_desk.shows(PAGE, "5 labelled calls, 1 of them audits, for 8", "6 of 6", "of 8")
