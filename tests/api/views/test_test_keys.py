from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from prometheus_client import Counter

from reviews import access
from reviews.models import Action, ActionEvent, AgentKey, Review, Status
from reviews.tasks import settle_action
from reviews.workspaces import agent_keys
from tests.api.agent import ACTIONS, NATIVE, Agent, check_problem, read
from tests.cast import Cast


@pytest.fixture
def tester(cast: Cast) -> Agent:
    """An agent with a test key of the cast's workspace."""
    return Agent(agent_keys.issue_key(membership=cast.admin, name="ci", is_test=True).secret)


def settled(agent: Agent, **forced: object) -> dict[str, Any]:
    """The action of a submission that says how it is decided, once a worker has seen it."""
    submitted = agent.submit({**NATIVE, "trace_id": None, "metadata": {"test_decision": forced} if forced else {}})
    settle_action(submitted["id"])
    action: dict[str, Any] = read(agent.get(f"{ACTIONS}/{submitted['id']}"))
    assert action["is_test"]
    return action


@pytest.mark.parametrize("outcome", ["approve", "reject", "respond"])
def test_a_test_action_is_decided_as_it_says_itself(tester: Agent, outcome: str) -> None:
    decision = settled(tester, outcome=outcome, message="As told.")["decision"]
    assert (decision["outcome"], decision["message"], decision["decided_by"]) == (outcome, "As told.", "policy")
    assert "As told." in decision["model_message"]


def test_test_actions_are_told_as_events_and_counted_nowhere(tester: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counter, "inc", lambda *_: pytest.fail("counted"))
    monkeypatch.setattr(transaction, "on_commit", lambda call, **_: call())
    settled(tester, outcome="approve")
    settled(tester)
    assert set(ActionEvent.objects.values_list("type", flat=True)) == {"action.decided", "action.waiting"}


def test_a_test_action_runs_as_it_was_edited(tester: Agent) -> None:
    action = settled(tester, outcome="edit", arguments={"to": "nobody", "amount": 1})
    permission = read(tester.post(f"{ACTIONS}/{action['id']}/execution"))
    assert permission["arguments"] == {"to": "nobody", "amount": 1}
    assert permission["digest"] != action["digest"]


def test_a_test_action_expires_at_once_or_stays_open(tester: Agent) -> None:
    assert settled(tester, outcome="expire")["status"] == Status.EXPIRED
    assert settled(tester)["status"] == Status.PENDING


def test_a_decision_that_comes_later_is_not_taken_before(tester: Agent) -> None:
    action = settled(tester, outcome="approve", after=50)
    assert action["status"] == Status.CHECKING
    stored = Action.objects.get(pk=action["id"])
    Action.objects.filter(pk=stored.pk).update(created_at=stored.created_at - timedelta(seconds=51))
    settle_action(str(stored.pk))
    assert read(tester.get(f"{ACTIONS}/{stored.pk}"))["status"] == Status.DECIDED


@pytest.mark.parametrize(
    ("told", "pointer"),
    [
        ("allow", "/metadata/test_decision/outcome"),
        ({"outcome": "edit"}, "/metadata/test_decision"),
        ({"outcome": "approve", "after": 61}, "/metadata/test_decision/after"),
        ({"outcome": "approve", "tool": "x"}, "/metadata/test_decision/tool"),
        # It could not be hashed, and the action would be tried for ever.
        ({"outcome": "edit", "arguments": {"to": [2**60]}}, "/metadata/test_decision/arguments/to/0"),
        # No reviewer could release it.
        ({"outcome": "edit", "arguments": {"to": 5, "amount": 1}}, "/metadata/test_decision/arguments/to"),
    ],
)
def test_a_decision_that_cannot_be_forced_is_refused_by_its_field(tester: Agent, told: object, pointer: str) -> None:
    check_problem(tester.post(ACTIONS, {**NATIVE, "metadata": {"test_decision": told}}), 422, pointer)


def test_what_tests_leave_behind_is_outside_of_the_workspace(tester: Agent, agent: Agent, cast: Cast) -> None:
    action = settled(tester)
    assert not access.actions_for(cast.admin).exists()
    assert not Review.objects.exists()
    assert not access.agents_for(cast.admin).filter(name="ci").exists()
    assert agent.get(f"{ACTIONS}/{action['id']}").status_code == 404
    assert action["links"]["review"] == ""


def test_a_real_key_forces_no_decision(agent: Agent) -> None:
    submitted = agent.submit({**NATIVE, "metadata": {"test_decision": "approve"}})
    settle_action(submitted["id"])
    action = read(agent.get(f"{ACTIONS}/{submitted['id']}"))
    assert (action["is_test"], action["status"], action["decision"]) == (False, Status.CHECKING, None)


def test_a_test_key_is_told_by_its_beginning_and_revoked_like_any_other(tester: Agent, cast: Cast) -> None:
    assert read(tester.get("/api/v1/me"))["is_test"]
    key = access.agent_keys_for(cast.admin).get(name="ci")
    assert key.hint.startswith("pgr_test_")
    agent_keys.revoke_key(agent_key=key, membership=cast.admin)
    assert tester.get("/api/v1/me").status_code == 401


def test_test_keys_of_a_workspace_share_one_sandbox(cast: Cast) -> None:
    for name, agent in (("a", None), ("b", cast.agent.agent)):
        agent_keys.create_key(cast.workspace, name=name, agent=agent, is_test=True)
    first, second = AgentKey.objects.filter(name__in="ab").select_related("workspace", "agent").order_by("name")
    assert first.workspace == second.workspace
    assert second.agent.name == cast.agent.agent.name
    assert second.agent != cast.agent.agent
    assert first.workspace.sandbox_of == cast.workspace
