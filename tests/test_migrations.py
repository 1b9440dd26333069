"""Migrations that move data, run over rows as the version before left them."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from reviews.models import AgentKey
from reviews.provenance.core.canonical import content_digest
from tests.api.agent import ACTIONS, NATIVE, Agent, read

pytestmark = pytest.mark.django_db(transaction=True)

AGENTS = "0007_agents_and_feeds"


def migrated_to(name: str | None) -> Any:
    """The tables' models after this migration; after the last one for None."""
    executor = MigrationExecutor(connection)
    leaf = executor.loader.graph.leaf_nodes("reviews")
    executor.migrate(leaf if name is None else [("reviews", name)])
    return MigrationExecutor(connection).loader.project_state(None if name is None else [("reviews", name)]).apps


@pytest.fixture
def before_agents() -> Iterator[Any]:
    """The models of the version before agents had identities."""
    ((_, before),) = MigrationExecutor(connection).loader.get_migration("reviews", AGENTS).dependencies
    yield migrated_to(before)
    migrated_to(None)


def test_every_key_gets_an_agent_that_owns_what_was_done_with_it(before_agents: Any) -> None:
    workspace, keys = filled(before_agents)
    after = migrated_to(AGENTS)
    agents = after.get_model("reviews", "Agent").objects.filter(workspace_id=workspace)
    assert set(agents.values_list("name", flat=True)) == {"bot", "bot (2)"}
    owners = dict(after.get_model("reviews", "AgentKey").objects.values_list("pk", "agent_id"))
    actions = after.get_model("reviews", "Action").objects.select_related("trace")
    assert {action.agent_key_id: action.agent_id for action in actions} == owners
    # Both keys have written to one conversation, which belongs to the first.
    assert {action.trace.agent_id for action in actions} == {owners[keys[0]]}
    numbers = after.get_model("reviews", "Label").objects.values_list("transaction", flat=True)
    assert len(numbers) == 2
    assert len(set(numbers)) == 1


def filled(apps: Any) -> tuple[Any, list[Any]]:
    """A conversation to which two keys of one name have written, each action with a label: workspace and keys."""

    def make(model: str, **fields: Any) -> Any:
        return apps.get_model("reviews", model).objects.create(**fields)

    workspace = make("Workspace", name="Old", slug="old")
    query = make("Text", workspace=workspace, digest="q", body="Pay.")
    tools = make("ToolSet", workspace=workspace, digest="t", tools=[])
    profile = make("GuardProfile", workspace=workspace, version=1)
    trace = make("Trace", workspace=workspace, external_id="conv", query=query)
    keys = [make("AgentKey", workspace=workspace, name="bot", hint="h", key_hash=str(number)) for number in range(2)]
    for key in keys:
        action = make(
            "Action", workspace=workspace, trace=trace, agent_key=key, profile=profile, tool_set=tools, position=0,
            tool="pay", arguments={}, digest="0" * 64, expires_at=timezone.now(),
        )  # fmt: skip
        make("Label", workspace=workspace, action=action, source="imported", aligned=True)
    return workspace.pk, [key.pk for key in keys]


@pytest.fixture
def first_version() -> Iterator[Any]:
    """The models of the very first version."""
    yield migrated_to("0001_initial")
    migrated_to(None)


def test_what_the_first_version_stored_is_read_through_the_api_of_the_newest(first_version: Any) -> None:
    secret, action = decided_in_the_first_version(first_version)
    migrated_to(None)
    agent = Agent(secret)
    found = read(agent.get(f"{ACTIONS}/{action}"))
    assert (found["status"], found["decision"]["outcome"]) == ("decided", "approve")
    assert (found["tool"], found["arguments"]) == ("pay", {"to": "Ann"})
    assert [item["id"] for item in read(agent.get(ACTIONS))["items"]] == [str(action)]
    (label,) = b"".join(agent.get("/api/v1/labels.jsonl").streaming_content).splitlines()
    assert json.loads(label)["aligned"] is True
    # And the agent goes on where it was.
    assert agent.post(ACTIONS, {**NATIVE, "trace_id": "conv"}).status_code == 202


def decided_in_the_first_version(apps: Any) -> tuple[str, Any]:
    """A call that a reviewer approved, with its label: the agent's secret, and the action."""

    def make(model: str, **fields: Any) -> Any:
        return apps.get_model("reviews", model).objects.create(**fields)

    # Stored as JSON by today's rules; the first version kept the same hashes.
    secret = AgentKey.new_secret()
    workspace = make("Workspace", name="Old", slug="old")
    person = apps.get_model("auth", "User").objects.create(username="rita")
    query = make("Text", workspace=workspace, digest=content_digest("Pay Ann."), body="Pay Ann.")
    tools = make("ToolSet", workspace=workspace, digest=content_digest([]), tools=[])
    profile = make("GuardProfile", workspace=workspace, version=1, detectors=["provenance-guard"])
    trace = make("Trace", workspace=workspace, external_id="conv", query=query)
    key = make("AgentKey", workspace=workspace, name="bot", hint="h", key_hash=AgentKey.hash_of(secret))
    call = {"tool": "pay", "arguments": {"to": "Ann"}, "digest": "0" * 64}
    action = make(
        "Action", workspace=workspace, trace=trace, agent_key=key, profile=profile, tool_set=tools, position=0,
        status="decided", settled_at=timezone.now(), expires_at=timezone.now() + timedelta(hours=1), **call,
    )  # fmt: skip
    make(
        "Check",
        action=action,
        detector="provenance-guard",
        status="done",
        verdict="aligned",
        finished_at=timezone.now(),
    )
    decision = make("Decision", action=action, outcome="approve", decided_by="reviewer", reviewer=person, **call)
    make("Label", workspace=workspace, action=action, decision=decision, source="operational", aligned=True)
    return secret, action.pk
