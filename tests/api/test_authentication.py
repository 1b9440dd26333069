"""Who may call: whoever shows a key that is in force, for what it is for."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import AgentKey
from reviews.workspaces import agent_keys
from tests.api.agent import ACTIONS, NATIVE, Agent, check_problem, read
from tests.cast import Cast


def check_unauthorized(agent: Agent) -> None:
    response = agent.get(ACTIONS)
    check_problem(response, 401, slug="unauthorized")
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_a_request_without_key_is_refused(stranger: Agent) -> None:
    check_unauthorized(stranger)


@pytest.mark.parametrize("secret", ["pgr_wrong", "x" * 5000, "ünïcode"])
def test_a_wrong_key_is_refused(cast: Cast, secret: str) -> None:
    check_unauthorized(Agent(secret))


@pytest.mark.parametrize("header", ["Bearer", "Bearer  ", "Basic dTpw", "pgr_"])
def test_another_scheme_is_refused(stranger: Agent, header: str) -> None:
    check_problem(stranger.get(ACTIONS, Authorization=header), 401)


def test_a_revoked_key_stops_working_at_once(agent: Agent, cast: Cast) -> None:
    assert agent.get(ACTIONS).status_code == 200
    agent_keys.revoke_key(agent_key=cast.agent, membership=cast.admin)
    check_unauthorized(agent)


def test_a_missing_key_is_told_before_a_broken_body(stranger: Agent) -> None:
    check_problem(stranger.send("POST", ACTIONS, b"{"), 401)


def test_the_use_of_a_key_is_noted_once_a_minute(agent: Agent, cast: Cast) -> None:
    agent.get(ACTIONS)
    first = AgentKey.objects.get(pk=cast.agent.pk).last_used_at
    agent.get(ACTIONS)
    assert first is not None
    assert AgentKey.objects.get(pk=cast.agent.pk).last_used_at == first
    AgentKey.objects.filter(pk=cast.agent.pk).update(last_used_at=timezone.now() - timedelta(minutes=2))
    agent_keys.forget_keys()
    agent.get(ACTIONS)
    used = AgentKey.objects.get(pk=cast.agent.pk).last_used_at
    assert used is not None
    assert used >= first


def test_an_id_that_is_none_is_not_found(agent: Agent) -> None:
    check_problem(agent.get(f"{ACTIONS}/not-an-id"), 404)


def test_a_key_for_reading_proposes_runs_and_cancels_nothing(agent: Agent, cast: Cast) -> None:
    action = read(agent.post(ACTIONS, NATIVE))
    issued = agent_keys.issue_key(membership=cast.admin, name="dashboard", agent=cast.agent.agent, reads_only=True)
    reader, path = Agent(issued.secret), f"{ACTIONS}/{action['id']}"
    assert reader.get(path).status_code == reader.get(ACTIONS).status_code == 200
    sent = [(ACTIONS, NATIVE), (f"{ACTIONS[:-8]}/plans", {}), (f"{path}/execution", None), (f"{path}/cancel", None)]
    for target, body in sent:
        check_problem(reader.post(target, body), 403, slug="forbidden")
    check_problem(reader.send("PUT", f"{path}/execution/outcome", b"{}"), 403, slug="forbidden")
    assert read(agent.get(path))["status"] == action["status"]
