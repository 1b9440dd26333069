import re
from http import HTTPStatus
from typing import Any

import pytest
from django.test import Client

from reviews import access, agent_keys, profiles, spending
from reviews.models import AgentKey, AuditEvent, GuardProfile, JudgeSpend
from tests.cast import Cast
from tests.web.desk import Desk

REVIEWED: dict[str, Any] = {"policy_tool": ["wire"], "policy": ["always_review"]}


def form(cast: Cast, **changes: Any) -> dict[str, Any]:
    """The profile's form as the page shows it, with these changes."""
    current = access.current_profile(cast.workspace)
    shown = {
        "based_on": current.version,
        "judge": current.judge,
        "model": current.model,
        "on_unknown": current.on_unknown,
        "expires_in": current.expires_in,
        "claim_seconds": current.claim_seconds,
    }
    return {**shown, **changes}


def save(cast: Cast, desk: Desk, *texts: str, status: int = HTTPStatus.OK, **changes: Any) -> str:
    """Send the form with these changes."""
    return desk.sends("/settings/profile", *texts, status=status, **form(cast, **changes))


def refused(cast: Cast, desk: Desk, *texts: str, **changes: Any) -> str:
    """The form with these changes is refused with these words and makes no version."""
    body = save(cast, desk, *texts, status=HTTPStatus.UNPROCESSABLE_ENTITY, **changes)
    assert GuardProfile.objects.filter(workspace=cast.workspace).count() == 1
    return body


@pytest.mark.parametrize("role", ["reviewer", "annotator"])
def test_only_administrators_see_the_settings(cast: Cast, role: str) -> None:
    Desk.of(getattr(cast, role)).shows("/settings", "does not allow this", status=HTTPStatus.FORBIDDEN)


@pytest.mark.parametrize("path", ["/settings/keys", "/settings/profile"])
def test_only_administrators_change_them(desk: Desk, path: str) -> None:
    desk.sends(path, "does not allow this", status=HTTPStatus.FORBIDDEN, name="bot")


def test_a_reviewer_is_not_offered_the_settings(desk: Desk) -> None:
    desk.lacks("/queue", 'href="/settings"')


def test_a_stranger_is_asked_to_sign_in(stranger: Client) -> None:
    assert stranger.get("/settings").headers["Location"] == "/sign-in?next=/settings"


def test_an_htmx_request_that_is_refused_tells_its_page_why(desk: Desk) -> None:
    response = desk.client.get("/settings", headers={"HX-Request": "true"})
    assert "does not allow this" in response.headers["HX-Trigger"]


def test_a_new_key_works_and_is_shown_once(cast: Cast, admin_desk: Desk) -> None:
    body = admin_desk.sends("/settings/keys", "The key of billing-bot.", name="billing-bot")
    secret = re.search(r'id="secret">(pgr_[\w-]+)<', body)
    assert secret
    found = agent_keys.find(secret[1])
    assert found
    assert found.workspace == cast.workspace
    admin_desk.lacks("/settings", secret[1])


def test_the_answer_with_the_secret_is_kept_nowhere(admin_desk: Desk) -> None:
    response = admin_desk.client.post("/settings/keys", {"name": "billing-bot"})
    assert "no-store" in response.headers["Cache-Control"]


def test_a_key_needs_a_name(admin_desk: Desk) -> None:
    admin_desk.sends("/settings/keys", "Give the agent a name.", status=HTTPStatus.UNPROCESSABLE_ENTITY, name=" ")


def test_a_name_that_is_too_long_is_kept_in_the_field(admin_desk: Desk) -> None:
    name = "b" * 81
    admin_desk.sends("/settings/keys", f'value="{name}"', status=HTTPStatus.UNPROCESSABLE_ENTITY, name=name)


def test_a_hostile_name_is_shown_as_text(admin_desk: Desk) -> None:
    body = admin_desk.sends("/settings/keys", name="<img src=x>")
    assert "<img src=x>" not in body


def test_a_revoked_key_no_longer_works(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.sends(f"/settings/keys/{cast.agent.pk}/revoke", "The key of support-bot is revoked.")
    assert agent_keys.find(cast.agent_secret) is None


def test_the_key_of_another_workspace_is_not_there_to_revoke(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.sends(f"/settings/keys/{cast.outside_agent.pk}/revoke", status=HTTPStatus.NOT_FOUND)
    assert agent_keys.find(cast.outside_secret)


def test_a_reviewer_revokes_nothing(cast: Cast, desk: Desk) -> None:
    desk.sends(f"/settings/keys/{cast.agent.pk}/revoke", status=HTTPStatus.FORBIDDEN)
    assert AgentKey.objects.get(pk=cast.agent.pk).revoked_at is None


def test_the_keys_of_another_workspace_are_not_listed(admin_desk: Desk) -> None:
    admin_desk.lacks("/settings", "other-bot")


def test_saving_makes_the_next_version(cast: Cast, admin_desk: Desk) -> None:
    save(cast, admin_desk, "Version 2 is in force", expires_in=600, **REVIEWED)
    current = access.current_profile(cast.workspace)
    assert (current.version, current.expires_in, current.tool_policies) == (2, 600, {"wire": "always_review"})


def test_the_version_before_stays_as_it_was(cast: Cast, admin_desk: Desk) -> None:
    save(cast, admin_desk, expires_in=600)
    assert GuardProfile.objects.get(workspace=cast.workspace, version=1).expires_in == 3600


def test_the_history_names_who_saved_it(cast: Cast, admin_desk: Desk) -> None:
    save(cast, admin_desk, "by ada", "by the installation")


def test_the_change_is_audited(cast: Cast, admin_desk: Desk) -> None:
    save(cast, admin_desk, expires_in=600)
    assert AuditEvent.objects.filter(workspace=cast.workspace, verb="profile.changed", actor="ada").count() == 1


def test_the_box_for_annotations_is_stored(cast: Cast, admin_desk: Desk) -> None:
    save(cast, admin_desk, trust_annotations="on")
    assert access.current_profile(cast.workspace).trust_annotations


@pytest.mark.parametrize("expires_in", ["0", "-5", "", "soon", "604801"])
def test_a_wait_out_of_bounds_is_refused_beside_its_field(cast: Cast, admin_desk: Desk, expires_in: str) -> None:
    refused(cast, admin_desk, "Between 1 and 604,800 seconds", expires_in=expires_in)


@pytest.mark.parametrize("claim_seconds", ["14", "3601"])
def test_a_claim_out_of_bounds_is_refused(cast: Cast, admin_desk: Desk, claim_seconds: str) -> None:
    refused(cast, admin_desk, "Between 15 and 3,600 seconds", claim_seconds=claim_seconds)


@pytest.mark.parametrize("field", ["judge", "on_unknown"])
def test_an_unknown_choice_is_refused(cast: Cast, admin_desk: Desk, field: str) -> None:
    refused(cast, admin_desk, "Select a valid choice", **{field: "nonsense"})


def test_what_was_typed_is_kept_when_something_is_refused(cast: Cast, admin_desk: Desk) -> None:
    refused(cast, admin_desk, 'value="my-model"', 'value="wire"', model="my-model", expires_in="0", **REVIEWED)


@pytest.mark.parametrize(
    ("names", "policies", "problem"),
    [
        (["wire", "wire"], ["deny", "always_allow"], "This tool already has a policy above."),
        (["wire"], [""], "Choose a policy."),
        (["wire"], ["whatever"], "Choose a policy."),
        ([" "], ["deny"], "Name the tool, or remove the row."),
        (["w" * 201], ["deny"], "A tool&#x27;s name has at most 200 characters."),
    ],
)
def test_a_wrong_policy_row_is_refused_in_its_place(
    cast: Cast, admin_desk: Desk, names: list[str], policies: list[str], problem: str
) -> None:
    refused(cast, admin_desk, problem, policy_tool=names, policy=policies)


def test_an_empty_policy_row_is_left_out(cast: Cast, admin_desk: Desk) -> None:
    save(cast, admin_desk, policy_tool=["", "wire"], policy=["", "deny"])
    assert access.current_profile(cast.workspace).tool_policies == {"wire": "deny"}


def test_a_form_that_was_overtaken_is_refused_once_and_keeps_its_entries(cast: Cast, admin_desk: Desk) -> None:
    stale = form(cast, model="typed-before")
    profiles.new_version(membership=cast.admin, expires_in=600)
    told = ["Version 2 was saved by ada meanwhile", 'value="typed-before"', 'name="based_on" value="2"']
    admin_desk.sends("/settings/profile", *told, status=HTTPStatus.UNPROCESSABLE_ENTITY, **stale)
    assert access.current_profile(cast.workspace).version == 2


def test_another_workspace_keeps_its_profile(cast: Cast, admin_desk: Desk) -> None:
    save(cast, admin_desk, expires_in=600)
    assert access.current_profile(cast.outsider.workspace).version == 1


def test_a_budget_and_models_of_single_questions_are_stored(cast: Cast, admin_desk: Desk) -> None:
    save(cast, admin_desk, "5,000 tokens", "support: large", daily_tokens="5000", model_of_support="large")
    current = access.current_profile(cast.workspace)
    assert (current.daily_tokens, current.daily_usd, current.question_models) == (5000, None, {"support": "large"})


def test_the_form_shows_what_is_stored(cast: Cast, admin_desk: Desk) -> None:
    profiles.new_version(membership=cast.admin, daily_tokens=4321, question_models={"support": "large"})
    admin_desk.shows("/settings", 'name="daily_tokens" value="4321"', 'name="model_of_support" value="large"')


@pytest.mark.parametrize("field", ["daily_tokens", "daily_usd"])
@pytest.mark.parametrize("limit", ["0", "-1", "lots", "1e30"])
def test_a_budget_out_of_bounds_is_refused_beside_its_field(
    cast: Cast, admin_desk: Desk, field: str, limit: str
) -> None:
    refused(cast, admin_desk, "leave it empty for no limit", f'id="id_{field}_error"', **{field: limit})


def test_a_limit_in_dollars_without_prices_is_refused_beside_its_field(cast: Cast, admin_desk: Desk) -> None:
    refused(cast, admin_desk, "no dollars can be counted: m", judge="openai", model="m", daily_usd="1.50")


def test_a_models_name_that_is_too_long_is_refused(cast: Cast, admin_desk: Desk) -> None:
    refused(cast, admin_desk, 'id="id_model_of_support_error"', model_of_support="m" * 121)


def test_the_guards_questions_are_asked_in_words_and_others_only_when_they_have_a_model(
    cast: Cast, admin_desk: Desk
) -> None:
    admin_desk.shows("/settings", "Does the tool serve the step?")
    admin_desk.lacks("/settings", "model_of_alignment")
    profiles.new_version(membership=cast.admin, question_models={"alignment": "large"})
    admin_desk.shows("/settings", "model_of_alignment")


def test_the_page_tells_what_today_has_cost(cast: Cast, admin_desk: Desk) -> None:
    account = {"calls": 1, "prompt_tokens": 1200, "completion_tokens": 34, "usd": "0.5"}
    for workspace in (cast.workspace, cast.outsider.workspace):
        JudgeSpend.objects.create(workspace=workspace, day=spending.today(), **account)
    admin_desk.shows("/settings", "1,234 tokens, $0.5000, 1 call")


def test_a_day_without_calls_has_cost_nothing(admin_desk: Desk) -> None:
    admin_desk.shows("/settings", "0 tokens, $0.0000, 0 calls")
