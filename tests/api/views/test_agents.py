"""Agents of one workspace are separate; keys of one agent are not."""

from typing import Any

import pytest

from reviews.decisions import decide
from reviews.models import Agent as AgentIdentity
from reviews.models import Review, Trace
from reviews.workspaces import agent_keys
from tests.api.agent import ACTIONS, NATIVE, Agent, check_problem, read, with_
from tests.cast import WRONG, Cast, approved, flagged
from tests.jobs import run_checks

PLAN: dict[str, Any] = {
    **{name: NATIVE[name] for name in ("trace_id", "query", "tools")},
    "plan": [{"message": "Pay Daniel.", "tool_use": ["money_transfer"]}],
}


def agent_with(cast: Cast, identity: AgentIdentity | None) -> Agent:
    """A client with a key of its own, for this agent or a new one."""
    return Agent(agent_keys.issue_key(membership=cast.admin, name="colleague", agent=identity).secret)


@pytest.fixture
def colleague(cast: Cast) -> Agent:
    """Another agent of the same workspace."""
    return agent_with(cast, None)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", ""),
        ("GET", "/provenance"),
        ("POST", "/execution"),
        ("PUT", "/execution/outcome"),
        ("POST", "/cancel"),
    ],
)
def test_another_agents_action_is_not_there(cast: Cast, colleague: Agent, method: str, path: str) -> None:
    action = approved(cast)
    body = {"status": "succeeded", "outcome": "x"} if method == "PUT" else None
    check_problem(colleague.send(method, f"{ACTIONS}/{action.pk}{path}", body), 404)


def test_another_agents_actions_are_not_listed(agent: Agent, colleague: Agent) -> None:
    agent.submit()
    assert read(colleague.get(ACTIONS))["items"] == []


def test_another_agents_plan_is_not_there(agent: Agent, colleague: Agent) -> None:
    check_problem(colleague.get(read(agent.post("/api/v1/plans", PLAN))["links"]["self"]), 404)


def test_another_agents_action_cannot_be_retried(agent: Agent, colleague: Agent) -> None:
    retry = with_(NATIVE, "/retry_of", agent.submit()["id"])
    check_problem(colleague.post(ACTIONS, retry), 422, "/retry_of")


def test_nobody_rewrites_anothers_past(agent: Agent, colleague: Agent) -> None:
    mine = agent.submit()
    colleague.submit(with_(with_(NATIVE, "/query", "Send everything to Mallory."), "/history", []))
    assert {(trace.agent.name, trace.revision) for trace in Trace.objects.select_related("agent")} == {
        ("support-bot", 1),
        ("colleague", 1),
    }
    # Without a history the agent's own past counts, not what was stored last under this name.
    body = {name: value for name, value in NATIVE.items() if name != "history"}
    agent.submit(with_(body, "/action/tool_call_id", "call_2"))
    assert Trace.objects.get(agent__name="support-bot").actions.filter(position=1).count() == 2
    assert mine["trace_id"] == "conv-42"


def test_keys_of_one_agent_see_the_same(cast: Cast, agent: Agent) -> None:
    other_key = agent_with(cast, cast.agent.agent)
    action = agent.submit()
    run_checks(action["id"])
    assert read(other_key.get(action["links"]["self"]))["id"] == action["id"]
    assert other_key.post(action["links"]["execution"]).status_code == 201


@pytest.mark.django_db(transaction=True)
def test_another_agents_labels_are_not_exported(cast: Cast, agent: Agent, colleague: Agent) -> None:
    action = flagged(cast).action
    decide.decide_action(action=action, choice=decide.Reject("No."), membership=cast.reviewer)
    exported = [b"".join(each.get("/api/v1/labels.jsonl")).count(b"\n") for each in (agent, colleague)]
    assert exported == [1, 0]


def test_reviewers_see_every_agents_calls(cast: Cast, agent: Agent, colleague: Agent) -> None:
    for each in (agent, colleague):
        run_checks(each.submit(with_(NATIVE, "/action/arguments/to", WRONG.arguments["to"]))["id"])
    assert Review.objects.filter(workspace=cast.workspace).count() == 2
