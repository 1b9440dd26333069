from pathlib import Path
from typing import Any

import pytest

from reviews.lab import experiment_worker
from reviews.models import DatasetVersion, Experiment, JobStatus
from tests.cast import Cast
from tests.datasets.collections import made_version
from tests.desk.desk import Desk

PAGE = "/experiments"


@pytest.fixture
def version(cast: Cast, tmp_path: Path) -> DatasetVersion:
    """Ten calls, of which four should be stopped."""
    return made_version(cast, tmp_path)


def begin(desk: Desk, version: DatasetVersion, **changed: Any) -> Any:
    """The answer to the form."""
    choices = {"name": "Night", "version": version.pk, "detectors": ["provenance-guard", "argus"], "judge": "rules"}
    return desk.client.post(f"{PAGE}/begin", {**choices, "runs": 1, **changed})


def test_without_a_frozen_version_the_page_says_what_is_needed(admin_desk: Desk) -> None:
    admin_desk.shows(PAGE, "An experiment takes a frozen version")


def test_an_experiment_is_begun_watched_paused_and_read(version: DatasetVersion, admin_desk: Desk) -> None:
    response = begin(admin_desk, version)
    experiment = Experiment.objects.get()
    address = f"{PAGE}/{experiment.pk}"
    assert response["Location"] == address
    admin_desk.shows(address, "0 of 20 verdicts", "every 2s", "about $0")
    admin_desk.client.post(f"{address}/control", {"do": "pause"})
    admin_desk.shows(address, "Paused", "Go on")
    admin_desk.client.post(f"{address}/control", {"do": "resume"})
    experiment_worker.run_here(experiment.pk)
    body = admin_desk.shows(address, "What it found", "provenance-guard, rules", "of 4", "No difference")
    assert "every 2s" not in body
    admin_desk.shows(PAGE, "Night", "20 of 20")


def test_an_experiment_is_stopped_for_good(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version)
    experiment = Experiment.objects.get()
    admin_desk.client.post(f"{PAGE}/{experiment.pk}/control", {"do": "stop"})
    experiment.refresh_from_db()
    assert experiment.status == JobStatus.CANCELLED
    assert experiment_worker.take_next_experiment() is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"detectors": []}, "This field is required"),
        ({"runs": 99}, "less than or equal to 10"),
        ({"name": ""}, "required"),
    ],
)
def test_a_choice_that_makes_no_sense_is_told_at_its_field(
    version: DatasetVersion, admin_desk: Desk, changed: dict[str, Any], message: str
) -> None:
    response = begin(admin_desk, version, **changed)
    assert response.status_code == 422
    assert message in response.content.decode()


def test_another_workspace_s_experiment_is_not_there(
    cast: Cast, version: DatasetVersion, admin_desk: Desk, client: Any
) -> None:
    begin(admin_desk, version)
    client.force_login(cast.outsider.user)
    assert client.get(f"{PAGE}/{Experiment.objects.get().pk}").status_code == 404
