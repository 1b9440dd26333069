from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from pytest_django import Settings

from guardapp.config import Price
from reviews import access
from reviews.errors import ForbiddenError, InvalidProfileError
from reviews.models import Agent, AgentKey, AuditEvent, GuardProfile
from reviews.profiles import versions
from reviews.workspaces import agent_keys
from tests.cast import Cast
from tests.desk.desk import Desk


def test_a_key_is_found_by_its_secret(cast: Cast) -> None:
    assert agent_keys.find_key(cast.agent_secret) == cast.agent


def test_a_secret_is_not_stored(cast: Cast) -> None:
    assert cast.agent_secret not in str(AgentKey.objects.filter(pk=cast.agent.pk).values().get())


def test_a_revoked_key_is_not_found(cast: Cast) -> None:
    agent_keys.revoke_key(agent_key=cast.agent, membership=cast.admin)
    assert agent_keys.find_key(cast.agent_secret) is None


def test_only_an_administrator_issues_keys(cast: Cast) -> None:
    with pytest.raises(ForbiddenError):
        agent_keys.issue_key(membership=cast.reviewer, name="mine")


def test_a_key_has_an_agent_of_its_own(cast: Cast) -> None:
    names = [agent_keys.issue_key(membership=cast.admin, name="bot").agent_key.agent.name for _ in range(3)]
    assert names == ["bot", "bot (2)", "bot (3)"]


def created(*arguments: str) -> AgentKey:
    """The key that the command prints last."""
    output = StringIO()
    call_command("create_agent_key", *arguments, stdout=output)
    found = agent_keys.find_key(output.getvalue().splitlines()[-1])
    assert found
    return found


def test_the_shell_issues_keys_that_share_an_agent(cast: Cast) -> None:
    keys = [created("acme", name, "--agent", "billing") for name in ("night", "day")]
    found = {(key.agent.name, key.workspace, key.reads_all_labels) for key in keys}
    assert found == {("billing", cast.workspace, False)}
    assert AuditEvent.objects.filter(verb="agent_key.issued", subject="night", actor="installation").exists()


@pytest.mark.parametrize("name", ["night\nshift", "night\x1b[2J", "night\u202etfihs", "night\u2028shift"])
def test_a_name_is_one_line_of_what_people_see(cast: Cast, name: str) -> None:
    for arguments in ((name,), ("bot", "--agent", name)):
        with pytest.raises(CommandError, match="one line"):
            created("acme", *arguments)
    assert Desk.of(cast.admin).client.post(reverse("settings-keys"), {"name": name}).status_code == 422
    assert not AgentKey.objects.filter(name__startswith="night").exists()
    assert not Agent.objects.filter(name__startswith="night").exists()


def test_a_key_from_the_shell_may_manage_ground_truth(cast: Cast) -> None:
    assert not created("acme", "bot").manages_ground_truth
    assert created("acme", "study", "--ground-truth").manages_ground_truth


def test_a_key_from_the_shell_may_export_all_labels(cast: Cast) -> None:
    assert created("acme", "analyst", "--all-labels").reads_all_labels


def test_a_key_from_the_shell_may_be_for_reading_only(cast: Cast) -> None:
    assert created("acme", "dashboard", "--read-only").reads_only
    assert not created("acme", "agent").reads_only


@pytest.mark.parametrize(
    "arguments", [("nowhere", "k"), ("acme", " "), ("acme", "k" * 81), ("acme", "k", "--agent", "")]
)
def test_the_shell_says_why_it_issues_no_key(cast: Cast, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        created(*arguments)


def test_a_change_makes_a_new_version_and_keeps_the_old(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, expires_in=60)
    in_force = list(GuardProfile.objects.filter(workspace=cast.workspace).values_list("version", "expires_in"))
    assert in_force == [(2, 60), (1, 3600)]


def test_the_highest_version_is_in_force(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, expires_in=60)
    assert access.current_profile(cast.workspace).expires_in == 60


@pytest.mark.parametrize(
    "changes",
    [
        {"detectors": ["no-such"]},
        {"detectors": []},
        {"tool_policies": {"t": "whatever"}},
        {"workspace": "x"},
        {"question_models": {"no-such": "m"}},
        {"question_models": {"relevance": ""}},
        {"question_models": {"relevance": "m" * 121}},
        {"daily_tokens": 0},
        {"daily_usd": Decimal(0)},
    ],
)
def test_an_unusable_profile_is_refused(cast: Cast, changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidProfileError):
        versions.new_version(membership=cast.admin, **changes)


def priced(settings: Settings, *models: str) -> None:
    """The installation knows what these models cost, and no other."""
    prices = {model: Price(prompt=1, completion=2) for model in models}
    settings.GUARD = settings.GUARD.model_copy(update={"guard_prices": prices})


def limited(cast: Cast, **changes: Any) -> GuardProfile:
    """A profile with a model and a limit in dollars."""
    return versions.new_version(membership=cast.admin, judge="openai", daily_usd=Decimal("2.50"), **changes)


@pytest.mark.parametrize("changes", [{"model": "a"}, {"model": "b", "question_models": {"support": "a"}}])
def test_dollars_are_not_limited_without_a_price(cast: Cast, settings: Settings, changes: dict[str, Any]) -> None:
    priced(settings, "b")
    with pytest.raises(InvalidProfileError, match="no dollars can be counted: a"):
        limited(cast, **changes)


def test_dollars_are_limited_where_every_model_has_a_price(cast: Cast, settings: Settings) -> None:
    priced(settings, "a", "b")
    assert limited(cast, model="a", question_models={"support": "b"}).daily_usd == Decimal("2.50")


def test_rules_cost_nothing_and_need_no_price(cast: Cast) -> None:
    assert versions.new_version(membership=cast.admin, daily_usd=Decimal(1)).daily_usd == 1


def test_a_limit_in_dollars_is_audited_to_the_cent(cast: Cast, settings: Settings) -> None:
    priced(settings, "a")
    limited(cast, model="a")
    event = AuditEvent.objects.get(workspace=cast.workspace, verb="profile.changed")
    assert event.details["after"]["daily_usd"] == "2.50"
