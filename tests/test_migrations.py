"""Migrations that move data, run over rows as earlier versions left them, and the one step that stands for them all."""

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models import Field
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from reviews.models import Action, ActionText, Agent, AgentKey, Check, GuardProfile, Label, OnUnknown
from reviews.provenance.core.canonical import content_digest
from tests.api.agent import ACTIONS, NATIVE, read
from tests.api.agent import Agent as ApiAgent

# The walk through all migrations takes ten seconds of a core, which may be busy; it counts as part of the first test.
# In one process: each would walk anew.
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(180)]

# What the tables are, but for the order of their columns.
SCHEMA = """
SELECT 'column', attrelid::regclass::text, attname,
    concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, attgenerated, pg_get_expr(adbin, adrelid))
FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE attnum > 0 AND NOT attisdropped AND relkind = 'r' AND relnamespace = 'public'::regnamespace
UNION ALL
SELECT 'constraint', conrelid::regclass::text, conname, concat_ws(' ', pg_get_constraintdef(oid), convalidated)
FROM pg_constraint WHERE conrelid <> 0 AND connamespace = 'public'::regnamespace
UNION ALL
SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL
SELECT 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
UNION ALL
SELECT 'function', '', proname, pg_get_functiondef(oid) FROM pg_proc
WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'reviews%'
UNION ALL
SELECT 'extension', '', extname, '' FROM pg_extension
"""


@dataclass(frozen=True)
class Upgrade:
    """What the first version had stored."""

    decided: tuple[str, Any]
    """An agent's secret, and the action of it that a reviewer approved."""
    shared: tuple[Any, list[Any]]
    """A workspace, and the keys that had written to one of its conversations."""
    squashed: set[tuple[str, ...]]
    """The tables of an empty database that was set up in one step."""


@pytest.fixture(scope="module")
def upgrade(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Upgrade]:
    """From the first version to the newest, step by step, once for all tests: the way takes seconds."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as django_patch:
        squashed = read_schema()
        with connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        # Each step makes all models anew of copies of their fields. Copies by construction take half of the way.
        django_patch.setattr(Field, "clone", deepcopy)
        graph = single_steps().loader.graph
        leaves = [leaf for leaf in graph.leaf_nodes() if not graph.nodes[leaf].replaces]
        try:
            others = [leaf for leaf in leaves if leaf[0] != "reviews"]
            first = single_steps().migrate([*others, ("reviews", "0001_initial")]).apps
            upgrade = Upgrade(decided_in_the_first_version(first), filled(first), squashed)
        finally:
            single_steps().migrate(leaves)
        yield upgrade
        call_command("flush", interactive=False, verbosity=0)


def single_steps() -> MigrationExecutor:
    """What migrates by the steps that every version had, and not by the one that replaces them."""
    executor = MigrationExecutor(connection)
    executor.loader = MigrationLoader(connection, replace_migrations=False)
    return executor


def read_schema() -> set[tuple[str, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(SCHEMA)
        return set(cursor.fetchall())


def test_the_one_step_makes_the_tables_that_the_single_ones_make(upgrade: Upgrade) -> None:
    assert sorted(read_schema() ^ upgrade.squashed) == []


def test_every_key_gets_an_agent_that_owns_what_was_done_with_it(upgrade: Upgrade) -> None:
    workspace, keys = upgrade.shared
    names = Agent.objects.filter(workspace=workspace).values_list("name", flat=True)
    assert set(names) == {"bot", "bot (2)"}
    owners = dict(AgentKey.objects.filter(workspace=workspace).values_list("pk", "agent_id"))
    actions = Action.objects.filter(workspace=workspace).select_related("trace")
    assert {action.agent_key_id: action.agent_id for action in actions} == owners
    # Both keys have written to one conversation, which belongs to the first.
    assert {action.trace.agent_id for action in actions} == {owners[keys[0]]}


def test_actions_of_before_can_be_searched(upgrade: Upgrade) -> None:
    workspace, _ = upgrade.shared
    actions = Action.objects.filter(workspace=workspace)
    assert set(actions.filter(text__in=ActionText.objects.matching(workspace, actions[0].tool))) == set(actions)


def test_labels_of_one_migration_are_numbered_as_one_transaction(upgrade: Upgrade) -> None:
    workspace, _ = upgrade.shared
    numbers = Label.objects.filter(workspace=workspace).values_list("transaction", flat=True)
    assert (len(numbers), len(set(numbers))) == (2, 1)


def test_stored_checks_get_the_key_of_their_action(upgrade: Upgrade) -> None:
    (check,) = Check.objects.filter(action=upgrade.decided[1])
    assert (check.agent_key_id, check.killed, check.started_at) == (check.action.agent_key_id, 0, None)


def test_a_profile_from_before_there_was_a_choice_asks_about_grave_calls(upgrade: Upgrade) -> None:
    assert GuardProfile.objects.get(workspace=upgrade.shared[0]).on_unknown == OnUnknown.REVIEW_GRAVE


def test_what_the_first_version_stored_is_read_through_the_api_of_the_newest(upgrade: Upgrade) -> None:
    secret, action = upgrade.decided
    agent = ApiAgent(secret)
    found = read(agent.get(f"{ACTIONS}/{action}"))
    assert (found["status"], found["decision"]["outcome"]) == ("decided", "approve")
    assert (found["tool"], found["arguments"]) == ("pay", {"to": "Ann"})
    assert [item["id"] for item in read(agent.get(ACTIONS))["items"]] == [str(action)]
    (label,) = b"".join(agent.get("/api/v1/labels.jsonl").streaming_content).splitlines()
    assert json.loads(label)["aligned"] is True
    # And the agent goes on where it was.
    assert agent.post(ACTIONS, {**NATIVE, "trace_id": "conv"}).status_code == 202


def filled(apps: Any) -> tuple[Any, list[Any]]:
    """A conversation to which two keys of one name have written, each action with a label: workspace and keys."""

    def make(model: str, **fields: Any) -> Any:
        return apps.get_model("reviews", model).objects.create(**fields)

    workspace = make("Workspace", name="Shared", slug="shared")
    query = make("Text", workspace=workspace, digest="q", body="Pay.")
    tools = make("ToolSet", workspace=workspace, digest="t", tools=[])
    profile = make("GuardProfile", workspace=workspace, version=1, on_unknown="pass")
    trace = make("Trace", workspace=workspace, external_id="conv", query=query)
    keys = [make("AgentKey", workspace=workspace, name="bot", hint="h", key_hash=str(number)) for number in range(2)]
    for key in keys:
        action = make(
            "Action", workspace=workspace, trace=trace, agent_key=key, profile=profile, tool_set=tools, position=0,
            tool="pay", arguments={}, digest="0" * 64, expires_at=timezone.now(),
        )  # fmt: skip
        make("Label", workspace=workspace, action=action, source="imported", aligned=True)
    return workspace.pk, [key.pk for key in keys]


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
