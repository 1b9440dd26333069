import re
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import pytest
from django import forms
from django.db import connection
from django.test import Client

from reviews.desk.desk_form import DeskForm
from reviews.desk.settings import views
from reviews.errors import AlreadyIssuedError
from reviews.models import Agent, AgentKey, AuditEvent, JudgeSpend
from reviews.profiles import versions
from reviews.workspaces import agent_keys
from tests.cast import Cast, make_cast
from tests.desk.desk import Desk


@pytest.mark.parametrize("role", ["reviewer", "annotator"])
def test_only_administrators_see_the_settings(cast: Cast, role: str) -> None:
    Desk.of(getattr(cast, role)).shows("/settings", "does not allow this", status=HTTPStatus.FORBIDDEN)


def test_only_administrators_issue_keys(desk: Desk) -> None:
    desk.sends("/settings/keys", "does not allow this", status=HTTPStatus.FORBIDDEN, name="bot")


def test_a_reviewer_is_not_offered_the_settings(desk: Desk) -> None:
    desk.lacks("/queue", 'href="/settings"')


def test_a_stranger_is_asked_to_sign_in(stranger: Client) -> None:
    assert stranger.get("/settings").headers["Location"] == "/sign-in?next=/settings"


def test_an_htmx_request_that_is_refused_tells_its_page_why(desk: Desk) -> None:
    response = desk.client.get("/settings", headers={"HX-Request": "true"})
    assert "does not allow this" in response.headers["HX-Trigger"]


def test_a_new_key_works_and_is_shown_once(cast: Cast, admin_desk: Desk) -> None:
    body = admin_desk.sends("/settings/keys", "The key of billing-bot.", name="billing-bot", row_id=uuid4())
    secret = re.search(r'id="secret">(pgr_[\w-]+)<', body)
    assert secret
    found = agent_keys.find_key(secret[1])
    assert found
    assert found.workspace == cast.workspace
    admin_desk.lacks("/settings", secret[1])


def test_a_further_key_may_be_issued_for_an_agent(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.shows("/settings", "A new agent of this name</option>", ">support-bot</option>")
    admin_desk.sends(
        "/settings/keys",
        name="second",
        agent=cast.agent.agent_id,
        reads_all_events="on",
        reads_only="on",
        row_id=uuid4(),
    )
    second = AgentKey.objects.get(name="second")
    assert (second.agent, second.reads_all_events, second.reads_only) == (cast.agent.agent, True, True)
    admin_desk.shows("/settings", "follows all agents", "only reads")
    admin_desk.lacks("/settings", "manages datasets")
    admin_desk.sends("/settings/keys", name="study", manages_ground_truth="on", row_id=uuid4())
    assert AgentKey.objects.get(name="study").manages_ground_truth
    admin_desk.shows("/settings", "manages datasets")


def test_the_agent_of_another_workspace_is_no_choice(cast: Cast, admin_desk: Desk) -> None:
    chosen = {"name": "spy", "agent": cast.outside_agent.agent_id}
    admin_desk.sends(
        "/settings/keys", "There is no such agent", status=HTTPStatus.UNPROCESSABLE_ENTITY, **chosen, row_id=uuid4()
    )


def test_the_answer_with_the_secret_is_kept_nowhere(admin_desk: Desk) -> None:
    response = admin_desk.client.post("/settings/keys", {"name": "billing-bot", "row_id": uuid4()})
    assert "no-store" in response.headers["Cache-Control"]


def test_a_reload_of_the_page_that_shows_a_key_issues_no_other(cast: Cast, admin_desk: Desk) -> None:
    """The browser sends the same form again."""
    row = re.search(r'name="row_id" value="([\w-]+)"', admin_desk.shows("/settings"))
    assert row
    form: dict[str, Any] = {"name": "billing-bot", "row_id": row[1]}
    secret = re.search(r'id="secret">(pgr_[\w-]+)<', admin_desk.sends("/settings/keys", **form))
    assert secret
    again = admin_desk.sends("/settings/keys", "This key was issued already.", **form)
    assert secret[1] not in again
    assert 'id="secret"' not in again
    assert AgentKey.objects.filter(name="billing-bot").count() == 1
    # Neither its agent nor an entry of the audit log was left by what issued nothing.
    assert Agent.objects.filter(name__startswith="billing-bot").count() == 1
    assert AuditEvent.objects.filter(verb="agent_key.issued").count() == 1
    session = admin_desk.client.session
    assert secret[1] not in str(dict(session.items()))


def test_a_key_is_not_issued_by_a_form_that_names_no_row(admin_desk: Desk) -> None:
    admin_desk.sends("/settings/keys", "out of date", status=HTTPStatus.UNPROCESSABLE_ENTITY, name="billing-bot")
    assert not AgentKey.objects.filter(name="billing-bot").exists()


@pytest.mark.django_db(transaction=True)
def test_a_key_that_is_asked_for_twice_at_once_is_issued_once() -> None:
    cast, row_id = make_cast(), uuid4()

    def issue(_: int) -> bool:
        try:
            agent_keys.issue_key(membership=cast.admin, name="night", row_id=row_id)
        except AlreadyIssuedError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(issue, range(2))) == [False, True]
    assert AgentKey.objects.filter(name__startswith="night").count() == 1


def test_a_key_needs_a_name(admin_desk: Desk) -> None:
    admin_desk.sends(
        "/settings/keys", "Give the key a name.", status=HTTPStatus.UNPROCESSABLE_ENTITY, name=" ", row_id=uuid4()
    )


def test_a_name_that_is_too_long_is_kept_in_the_field(admin_desk: Desk) -> None:
    name = "b" * 81
    form: dict[str, Any] = {"name": name, "row_id": uuid4()}
    admin_desk.sends("/settings/keys", f'value="{name}"', status=HTTPStatus.UNPROCESSABLE_ENTITY, **form)


def test_a_hostile_name_is_shown_as_text(admin_desk: Desk) -> None:
    body = admin_desk.sends("/settings/keys", name="<img src=x>", row_id=uuid4())
    assert "<img src=x>" not in body


def test_a_revoked_key_no_longer_works(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.sends(f"/settings/keys/{cast.agent.pk}/revoke", "The key of support-bot is revoked.")
    assert agent_keys.find_key(cast.agent_secret) is None


def test_every_key_is_on_some_page_and_revoked_ones_apart(
    cast: Cast, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "KEYS_SHOWN", 2)
    issued = [agent_keys.issue_key(membership=cast.admin, name=f"bot-{number}").agent_key for number in range(6)]
    for key in issued[:3]:
        agent_keys.revoke_key(agent_key=key, membership=cast.admin)
    pages = [admin_desk.shows(f"/settings?page={page}&revoked={page}", "Revoked: 3") for page in (1, 2)]
    for key in issued:
        assert [f">{key.name}</span>" in body for body in pages].count(True) == 1
    assert ["revoke-" + str(cast.agent.pk) in body for body in pages] == [False, True]
    assert 'href="/settings?page=2"' in pages[0]
    assert 'href="/settings?revoked=1"' in pages[1]


def test_the_key_of_another_workspace_is_not_there_to_revoke(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.sends(f"/settings/keys/{cast.outside_agent.pk}/revoke", status=HTTPStatus.NOT_FOUND)
    assert agent_keys.find_key(cast.outside_secret)


def test_a_reviewer_revokes_nothing(cast: Cast, desk: Desk) -> None:
    desk.sends(f"/settings/keys/{cast.agent.pk}/revoke", status=HTTPStatus.FORBIDDEN)
    assert AgentKey.objects.get(pk=cast.agent.pk).revoked_at is None


def test_the_keys_of_another_workspace_are_not_listed(admin_desk: Desk) -> None:
    admin_desk.lacks("/settings", "other-bot")


def test_the_page_tells_what_today_has_cost(cast: Cast, admin_desk: Desk) -> None:
    account = {"calls": 1, "prompt_tokens": 1200, "completion_tokens": 34, "usd": "0.5"}
    for workspace in (cast.workspace, cast.outsider.workspace):
        JudgeSpend.objects.create(workspace=workspace, day=JudgeSpend.today(), **account)
    admin_desk.shows("/settings", "1,234 tokens, $0.5000, 1 call")


def test_a_day_without_calls_has_cost_nothing(admin_desk: Desk) -> None:
    admin_desk.shows("/settings", "0 tokens, $0.0000, 0 calls")


def test_the_profile_in_force_is_told_in_words(cast: Cast, admin_desk: Desk) -> None:
    versions.new_version(membership=cast.admin, shadow=["argus"], tool_policies={"wire": "deny"}, daily_tokens=5000)
    parts = [
        "version 2 in force",
        "ProvenanceGuard",
        "any of them objects",
        "ARGUS",
        "5,000 tokens",
        "3,600 s (about 1 h)",
    ]
    admin_desk.shows("/settings", *parts, 'href="/settings/profile"')


def test_the_history_tells_what_each_version_changed(cast: Cast, admin_desk: Desk) -> None:
    versions.new_version(membership=cast.admin, expires_in=600, tool_policies={"wire": "deny"})
    parts = ["by ada", "by the installation", "wire added: deny", "3,600 s (about 1 h) → 600 s (about 10 min)"]
    admin_desk.shows("/settings", *parts, 'href="/settings/profile/versions/2"')


def test_a_version_with_many_changes_tells_how_many_more(cast: Cast, admin_desk: Desk) -> None:
    versions.new_version(membership=cast.admin, tool_policies={f"tool-{number}": "deny" for number in range(7)})
    admin_desk.shows("/settings", "and 3 more changes")


def test_a_hostile_tool_name_in_the_history_is_shown_as_text(cast: Cast, admin_desk: Desk) -> None:
    versions.new_version(membership=cast.admin, tool_policies={"<img src=x>": "deny"})
    admin_desk.lacks("/settings", "<img src=x>")


class _Numbers(DeskForm):
    whole = forms.IntegerField(min_value=1, max_value=5_000)
    share = forms.FloatField(min_value=0)
    own = forms.IntegerField(min_value=1, error_messages={"min_value": "At least one."})


@pytest.mark.parametrize("typed", ["", "x", "-7"])
def test_a_number_says_its_bounds_when_they_are_left(typed: str) -> None:
    errors = _Numbers({"whole": typed, "share": typed, "own": "0"}).errors
    assert errors["whole"] == ["A whole number from 1 to 5,000."]
    assert errors["share"] == ["A number from 0."]
    assert errors["own"] == ["At least one."]
