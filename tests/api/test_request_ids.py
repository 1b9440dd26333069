"""A request has one name, which its answer, its problem, and the rows it writes all tell."""

import logging
from uuid import UUID

import pytest
from django.test import Client

from reviews import audit
from reviews.models import Action, AuditEvent
from tests.api.agent import ACTIONS, NATIVE, Agent
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def test_a_request_keeps_the_name_its_client_gave() -> None:
    assert Client().get("/healthz", headers={"X-Request-ID": "edge-7f.3"})["X-Request-ID"] == "edge-7f.3"


@pytest.mark.parametrize("given", [None, "", "two words", "x" * 65, 'a"}{"level":"info'])
def test_a_request_without_a_usable_name_gets_one(given: str | None) -> None:
    headers = {} if given is None else {"X-Request-ID": given}
    assert UUID(Client().get("/healthz", headers=headers)["X-Request-ID"]).version == 7


def test_a_problem_names_the_request(agent: Agent) -> None:
    response = agent.post(ACTIONS, {"query": 1}, X_Request_ID="mine")
    assert response.status_code == 422
    assert response.json()["request_id"] == "mine"


def test_an_action_and_its_audit_entry_name_their_requests(agent: Agent, cast: Cast) -> None:
    submitted = agent.post(ACTIONS, NATIVE, X_Request_ID="submitting").json()
    agent.post(f"{ACTIONS}/{submitted['id']}/cancel", None, X_Request_ID="cancelling")
    assert Action.objects.get().request_id == "submitting"
    assert AuditEvent.objects.get(verb="action.cancelled").request_id == "cancelling"
    assert audit.first_broken(cast.workspace) is None


def test_the_name_in_the_audit_cannot_be_changed_unseen(agent: Agent, cast: Cast) -> None:
    submitted = agent.post(ACTIONS, NATIVE).json()
    agent.post(f"{ACTIONS}/{submitted['id']}/cancel", None, X_Request_ID="cancelling")
    AuditEvent.objects.filter(verb="action.cancelled").update(request_id="another")
    assert audit.first_broken(cast.workspace) is not None


def test_nothing_of_a_request_is_left_behind_for_the_next(agent: Agent) -> None:
    agent.post(ACTIONS, {"query": 1}, X_Request_ID="mine")
    assert agent.post(ACTIONS, {"query": 1}).json()["request_id"] != "mine"


def test_a_request_that_fails_is_logged_with_its_pattern(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> bool:
        raise OSError("away")

    monkeypatch.setattr("reviews.api.views.health.CHECKS", {"database": fail})
    with caplog.at_level(logging.WARNING, "reviews.requests"):
        Client().get("/readyz")
    (record,) = [record for record in caplog.records if record.name == "reviews.requests"]
    assert isinstance(record.msg, dict)
    assert (record.msg["route"], record.msg["status"]) == ("readyz", 503)
    assert UUID(record.msg["request_id"])
