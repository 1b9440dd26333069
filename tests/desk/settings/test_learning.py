"""What labels teach, on its page: the curve, a goal that becomes a threshold, and that they may be too few."""

import pytest

from reviews import access
from reviews.lab import learning
from reviews.models import AuditEvent
from reviews.provenance.detectors.infer_act import PROB
from tests.cast import Cast
from tests.desk.desk import Desk
from tests.lab.test_tuning import labelled

PAGE = "/settings/learning"


def test_too_few_labels_teach_nothing(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.shows(PAGE, "No detector has scored a call yet")
    labelled(cast, (0.55, False))
    admin_desk.shows(PAGE, PROB, "At least 20 are needed")
    goal = {"detector": PROB, "percent": "2"}
    assert admin_desk.client.post(f"{PAGE}/threshold", goal).status_code == 422


def test_a_goal_becomes_the_threshold_of_the_lowest_load(
    cast: Cast, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "MIN_LABELLED", 4)
    labelled(cast, (0.55, False), (0.6, False), (0.8, True), (0.9, True))
    body = admin_desk.shows(PAGE, "<svg", "0 of 4", "2 of 2", "as they are", "2 of 4")
    assert "style=" not in body
    assert admin_desk.client.post(f"{PAGE}/threshold", {"detector": PROB, "percent": "2"}).status_code == 302
    assert access.current_profile(cast.workspace).thresholds == {PROB: 0.8}
    assert AuditEvent.objects.filter(workspace=cast.workspace, verb="profile.changed").exists()
    assert admin_desk.client.post(f"{PAGE}/threshold", {"detector": PROB, "percent": "x"}).status_code == 422
