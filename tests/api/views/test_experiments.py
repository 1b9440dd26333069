"""Experiments over the API: begun once, read, and their figures."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from reviews.api.views import experiments as views
from reviews.lab import experiment_worker, experiments
from reviews.models import Action, AuditEvent, DatasetVersion, Experiment
from reviews.workspaces import agent_keys
from tests.api.agent import Agent, check_problem, read
from tests.api.docs.test_openapi import check_is_a
from tests.cast import Cast, approved, flagged
from tests.datasets.collections import made_version

EXPERIMENTS = "/api/v1/experiments"


@pytest.fixture
def version(cast: Cast, tmp_path: Path) -> DatasetVersion:
    """Ten calls, of which four should be stopped."""
    return made_version(cast, tmp_path)


@pytest.fixture
def curator(cast: Cast) -> Agent:
    """A script whose key manages ground truth."""
    return Agent(agent_keys.issue_key(membership=cast.admin, name="study", manages_ground_truth=True).secret)


def wanted(version: DatasetVersion, **changed: object) -> dict[str, object]:
    arms = [{"detector": "provenance-guard"}, {"detector": "argus"}]
    return {"name": "night", "dataset": str(version.dataset_id), "version": 1, "arms": arms, **changed}


def test_an_experiment_is_begun_once_and_read_with_its_figures(
    curator: Agent, version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = curator.post(EXPERIMENTS, wanted(version, max_usd=1.5))
    assert (begun.status_code, begun.json()["max_usd"], begun.json()["estimate_usd"]) == (201, 1.5, 0.0)
    assert curator.post(EXPERIMENTS, wanted(version)).status_code == 200
    experiment_worker.run_here(Experiment.objects.get().pk)
    where = begun["Location"]
    state = read(curator.get(where))
    assert (state["status"], state["done"], state["total"]) == ("done", 20, 20)
    assert read(curator.get(EXPERIMENTS))["experiments"] == [state]
    results = read(curator.get(f"{where}/results"))
    check_is_a("ExperimentResults", results)
    assert [arm["error_rate"]["total"] for arm in results["arms"]] == [4, 4]
    assert len(results["differences"]) == 6
    monkeypatch.setattr(experiments, "engine_digest", lambda: "another")
    assert curator.post(EXPERIMENTS, wanted(version)).status_code == 201


@pytest.mark.django_db(transaction=True)
def test_sent_twice_at_once_it_is_one_experiment(
    curator: Agent, version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    find, both_looked = views._find_same, Barrier(2)

    def find_and_wait(*args: Any) -> Experiment | None:
        found = find(*args)
        # For the other one to look, too, before either begins; it cannot where one waits for the other.
        with suppress(BrokenBarrierError):
            both_looked.wait(1)
        return found

    def post() -> int:
        try:
            return int(curator.post(EXPERIMENTS, wanted(version)).status_code)
        finally:
            connection.close()

    monkeypatch.setattr(views, "_find_same", find_and_wait)
    with ThreadPoolExecutor(2) as threads:
        sent = [threads.submit(post) for _ in range(2)]
        assert sorted(each.result() for each in sent) == [200, 201]
    assert Experiment.objects.count() == 1


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_what_came_to_no_end_is_begun_anew(curator: Agent, version: DatasetVersion, status: str) -> None:
    curator.post(EXPERIMENTS, wanted(version))
    Experiment.objects.update(status=status, finished_at=version.created_at, failure="It ended.")
    assert curator.post(EXPERIMENTS, wanted(version)).status_code == 201
    assert curator.post(EXPERIMENTS, wanted(version)).status_code == 200


def test_an_experiment_is_paused_resumed_under_another_limit_and_stopped(
    curator: Agent, version: DatasetVersion
) -> None:
    where = curator.post(EXPERIMENTS, wanted(version)).json()["id"]

    def move(**change: object) -> Any:
        return curator.send("patch", f"{EXPERIMENTS}/{where}", change)

    for _ in range(2):
        assert read(move(state="paused"))["paused"] is True
    check_problem(move(state="paused", max_usd=2), 422, "/max_usd")
    resumed = read(move(state="running", max_usd=2.5))
    assert (resumed["paused"], resumed["max_usd"]) == (False, 2.5)
    check_problem(move(state="running", max_usd=3), 409)
    for _ in range(2):
        assert read(move(state="cancelled"))["status"] == "cancelled"
    check_problem(move(state="running"), 409)
    check_problem(move(state="done"), 422)
    # Each once, with who did it and what may be spent.
    moves = AuditEvent.objects.filter(verb__startswith="experiment.").order_by("sequence")
    verbs = [event.verb.removeprefix("experiment.") for event in moves]
    assert verbs == ["begun", "paused", "resumed", "stopped"]
    event = AuditEvent.objects.get(verb="experiment.resumed")
    assert (event.actor, event.details) == ("study", {"experiment": where, "max_usd": "2.50"})


@pytest.mark.parametrize(("accepted", "words"), [("text/csv", "error_rate_low"), ("application/x-tex", "tabular")])
def test_figures_come_as_a_table_to_who_accepts_one(
    curator: Agent, version: DatasetVersion, accepted: str, words: str
) -> None:
    where = curator.post(EXPERIMENTS, wanted(version))["Location"]
    response = curator.get(f"{where}/results", accept=accepted)
    assert response["Content-Type"].startswith(accepted)
    assert words in response.content.decode()


def test_what_cannot_be_tried_is_refused(cast: Cast, curator: Agent, version: DatasetVersion) -> None:
    unknown = wanted(version, arms=[{"detector": "oracle"}])
    check_problem(curator.post(EXPERIMENTS, wanted(version, kind="attack", names=["renaming"])), 422)
    check_problem(curator.post(EXPERIMENTS, unknown), 422)
    check_problem(curator.post(EXPERIMENTS, {**wanted(version), "version": 2}), 404)
    check_problem(Agent(cast.agent_secret).post(EXPERIMENTS, wanted(version)), 403)
    check_problem(Agent(cast.outside_secret).get(f"{EXPERIMENTS}/{version.pk}"), 404)


def test_recorded_calls_are_drawn_and_asked_for_again_they_are_the_same_experiment(cast: Cast, curator: Agent) -> None:
    approved(cast)
    sent = {"name": "month", "recorded": {"calls": 50}, "arms": [{"detector": "argus"}]}
    begun = curator.post(EXPERIMENTS, sent)
    assert (begun.status_code, begun.json()["dataset"], begun.json()["recorded"]["calls"]) == (201, None, 50)
    assert curator.post(EXPERIMENTS, sent).json()["id"] == begun.json()["id"]
    flagged(cast, trace_id="later")
    Action.objects.filter(trace__external_id="later").update(status="expired", settled_at=timezone.now())
    assert curator.post(EXPERIMENTS, sent).status_code == 201
    experiment_worker.run_here(Experiment.objects.earliest("created_at").pk)
    results = read(curator.get(f"{begun['Location']}/results"))
    check_is_a("ExperimentResults", results)
    assert results["arms"][0]["load"]["total"] == 1
    assert read(Agent(cast.agent_secret).get(EXPERIMENTS))["experiments"] == []


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"recorded": {}}, "/recorded"),
        ({"dataset": None}, "/dataset"),
        ({"dataset": None, "version": None, "recorded": {"since": "1999-01-01T00:00:00Z"}}, "/recorded/since"),
        ({"dataset": None, "version": None, "recorded": {"since": "2030-01-01T00:00:00Z"}}, "/recorded/until"),
        ({"dataset": None, "version": None, "recorded": {}}, "/recorded"),
        ({"arms": [{"detector": "argus", "options": {"window": 3}}]}, "/arms/0/options/window"),
        ({"arms": [{"detector": "argus", "options": {"order": "later"}}]}, "/arms/0/options/order"),
    ],
)
def test_what_cannot_be_judged_so_is_refused_in_its_place(
    curator: Agent, version: DatasetVersion, changed: dict[str, object], pointer: str
) -> None:
    check_problem(curator.post(EXPERIMENTS, wanted(version) | changed), 422, pointer)


def test_options_and_fresh_answers_make_another_experiment(curator: Agent, version: DatasetVersion) -> None:
    arms = [{"detector": "argus", "options": {"order": "paper"}}]
    for changed in ({"fresh": False}, {"arms": arms}, {"fresh": True}):
        assert [curator.post(EXPERIMENTS, wanted(version) | changed).status_code for _ in range(2)] == [201, 200]
