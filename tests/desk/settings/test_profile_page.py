from http import HTTPStatus
from typing import Any

import pytest

from reviews import access
from reviews.desk.settings.guard_profile.changes import SettingChange, changes_between
from reviews.desk.settings.guard_profile.detector_texts import about
from reviews.models import AuditEvent, GuardProfile
from reviews.profiles import versions
from reviews.profiles.options import critical_actions, detector_options
from reviews.profiles.validation import MAX_CRITICAL_ACTIONS, MAX_RATINGS
from reviews.provenance.detectors import DETECTORS
from tests.cast import Cast
from tests.desk.desk import Desk
from tests.desk.settings.profile_form import (
    PAGE,
    POLICY,
    PREVIEW,
    REFUSED,
    detectors,
    form,
    refused,
    save,
    shown_fields,
    words_of,
)


@pytest.mark.parametrize("path", [PAGE, "/settings/profile/versions/1"])
def test_only_administrators_see_it(desk: Desk, path: str) -> None:
    desk.shows(path, "does not allow this", status=HTTPStatus.FORBIDDEN)


@pytest.mark.parametrize("path", [PAGE, PREVIEW])
def test_only_administrators_send_it(cast: Cast, desk: Desk, path: str) -> None:
    desk.sends(path, "does not allow this", status=HTTPStatus.FORBIDDEN, **form(cast))


def test_saving_makes_the_next_version(cast: Cast, admin_desk: Desk) -> None:
    saved = save(cast, admin_desk, "Version 2 is in force", expires_in=600, **POLICY)
    assert (saved.version, saved.expires_in, saved.tool_policies) == (2, 600, {"wire": "always_review"})


def test_the_version_before_stays_as_it_was(cast: Cast, admin_desk: Desk) -> None:
    save(cast, admin_desk, expires_in=600)
    assert GuardProfile.objects.get(workspace=cast.workspace, version=1).expires_in == 3600


def test_the_change_is_audited(cast: Cast, admin_desk: Desk) -> None:
    save(cast, admin_desk, expires_in=600)
    assert AuditEvent.objects.filter(workspace=cast.workspace, verb="profile.changed", actor="ada").count() == 1


def test_another_workspace_keeps_its_profile(cast: Cast, admin_desk: Desk) -> None:
    save(cast, admin_desk, expires_in=600)
    assert access.current_profile(cast.outsider.workspace).version == 1


def test_the_box_for_annotations_is_stored(cast: Cast, admin_desk: Desk) -> None:
    assert save(cast, admin_desk, trust_annotations="on").trust_annotations


def test_what_is_sent_unchanged_makes_no_version(cast: Cast, admin_desk: Desk) -> None:
    refused(cast, admin_desk, "Nothing differs from version 1")


def test_every_detector_can_be_chosen(admin_desk: Desk) -> None:
    admin_desk.shows(PAGE, *(f'name="mode_{name}"' for name in DETECTORS))


def test_every_published_detector_is_told_in_words() -> None:
    assert [name for name in DETECTORS if not about(name).does] == []


def test_a_detector_of_ones_own_needs_no_words() -> None:
    assert about("house-rules").label == "house-rules"


def test_detectors_are_enforced_in_shadow_or_off(cast: Cast, admin_desk: Desk) -> None:
    saved = save(cast, admin_desk, **detectors(direct_prompt="shadow", infer_act_verb="enforced"))
    assert (saved.detectors, saved.shadow) == (["provenance-guard", "infer-act-verb"], ["direct-prompt"])


def test_some_detector_must_be_enforced(cast: Cast, admin_desk: Desk) -> None:
    refused(cast, admin_desk, "At least one detector must be enforced.", **detectors(provenance_guard="shadow"))


@pytest.mark.parametrize(("rule", "objections", "stored"), [("any", "2", 1), ("any", "", 1), ("count", "2", 2)])
def test_the_rule_is_any_or_a_number(cast: Cast, admin_desk: Desk, rule: str, objections: str, stored: int) -> None:
    chosen = detectors(direct_prompt="enforced")
    assert save(cast, admin_desk, rule=rule, objections=objections, **chosen).objections == stored


@pytest.mark.parametrize(
    ("objections", "message"), [("", "Say how many."), ("0", "A whole number from 1."), ("2", "from 1")]
)
def test_a_number_that_cannot_be_reached_is_refused_beside_it(
    cast: Cast, admin_desk: Desk, objections: str, message: str
) -> None:
    refused(cast, admin_desk, message, 'id="id_objections_error"', rule="count", objections=objections)


def test_a_threshold_is_stored(cast: Cast, admin_desk: Desk) -> None:
    typed: dict[str, Any] = {"threshold_multi-step": "0.25"}
    assert save(cast, admin_desk, **typed).thresholds == {"multi-step": 0.25}


@pytest.mark.parametrize("threshold", ["-0.1", "1.1", "nan", "much"])
def test_a_threshold_out_of_bounds_is_refused_beside_it(cast: Cast, admin_desk: Desk, threshold: str) -> None:
    message = ["A number from 0 to 1", 'id="id_threshold_multi-step_error"']
    refused(cast, admin_desk, *message, **{"threshold_multi-step": threshold})


def test_a_threshold_without_a_field_is_kept(cast: Cast, admin_desk: Desk) -> None:
    versions.new_version(membership=cast.admin, thresholds={"direct-prompt": 0.7})
    assert save(cast, admin_desk, expires_in=600).thresholds == {"direct-prompt": 0.7}


def critical(*rows: tuple[str, str, str, str]) -> dict[str, Any]:
    """The fields of these rows."""
    columns = zip(*rows, strict=True)
    names = ("critical_tool", "critical_pointer", "critical_operator", "critical_value")
    return {name: list(column) for name, column in zip(names, columns, strict=True)}


def test_critical_actions_are_stored_and_shown_again(cast: Cast, admin_desk: Desk) -> None:
    saved = save(cast, admin_desk, **critical(("", "", "present", ""), ("pay_*", "/amount", "above", "100")))
    assert saved.critical_actions == [{"tool": "pay_*", "pointer": "/amount", "operator": "above", "value": "100"}]
    admin_desk.shows(PAGE, 'value="pay_*"', 'value="/amount"', '<option value="above" selected>')


def test_a_critical_call_may_end_the_task(cast: Cast, admin_desk: Desk) -> None:
    typed = critical(("pay", "", "present", ""), ("look", "", "present", ""))
    saved = save(cast, admin_desk, **typed, critical_terminal=["yes", ""])
    assert saved.critical_actions == [{"tool": "pay", "terminal": True}, {"tool": "look"}]
    (shown, _) = critical_actions(saved)
    assert shown.terminal
    admin_desk.shows(PAGE, '<option value="yes" selected>ends the task</option>')


def test_choices_of_published_methods_are_stored(cast: Cast, admin_desk: Desk) -> None:
    saved = save(cast, admin_desk, retry_rounds=1, aggregate="min", reconstruct_subtasks="on")
    assert (saved.retry_rounds, saved.aggregate, saved.reconstruct_subtasks) == (1, "min", True)
    assert detector_options(saved, "multi-step").aggregate == "min"
    assert detector_options(saved, "provenance-guard").reconstruct_subtasks
    assert detector_options(saved, "infer-act-verb") == detector_options(versions_before(cast), "infer-act-verb")


def versions_before(cast: Cast) -> GuardProfile:
    return GuardProfile.objects.get(workspace=cast.workspace, version=1)


def test_a_tool_alone_is_critical_without_a_condition(cast: Cast, admin_desk: Desk) -> None:
    saved = save(cast, admin_desk, **critical(("pay", "", "present", "")))
    assert saved.critical_actions == [{"tool": "pay"}]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("", "/amount", "above", "1"), "Name the tool"),
        (("pay", "amount", "above", "1"), "starts with a slash"),
        (("pay", "", "equals", "1"), "Name the argument"),
        (("pay", "/amount", "above", "much"), "needs a number"),
        (("pay", "/amount", "resembles", "1"), "is not a comparison"),
    ],
)
def test_a_wrong_critical_action_is_refused_in_its_place(
    cast: Cast, admin_desk: Desk, row: tuple[str, str, str, str], message: str
) -> None:
    right = ("send", "", "present", "")
    refused(cast, admin_desk, message, 'id="critical-error-2"', 'value="send"', **critical(right, row))


@pytest.mark.parametrize("rewrites", ["-1", "11", "", "some"])
def test_rewrites_out_of_bounds_are_refused(cast: Cast, admin_desk: Desk, rewrites: str) -> None:
    refused(cast, admin_desk, "Between 0 and 10", rewrites=rewrites)


@pytest.mark.parametrize("expires_in", ["0", "-5", "", "soon", "604801"])
def test_a_wait_out_of_bounds_is_refused_beside_its_field(cast: Cast, admin_desk: Desk, expires_in: str) -> None:
    refused(cast, admin_desk, "Between 1 and 604,800 seconds", 'id="id_expires_in_error"', expires_in=expires_in)


@pytest.mark.parametrize("claim_seconds", ["14", "3601"])
def test_a_claim_out_of_bounds_is_refused(cast: Cast, admin_desk: Desk, claim_seconds: str) -> None:
    refused(cast, admin_desk, "Between 15 and 3,600 seconds", claim_seconds=claim_seconds)


@pytest.mark.parametrize("field", ["judge", "on_unknown", "rule", "mode_direct-prompt"])
def test_an_unknown_choice_is_refused(cast: Cast, admin_desk: Desk, field: str) -> None:
    refused(cast, admin_desk, "Select a valid choice", **{field: "nonsense"})


def test_what_was_typed_is_kept_when_something_is_refused(cast: Cast, admin_desk: Desk) -> None:
    typed = {"model": "my-model", "threshold_multi-step": "0.25", **critical(("pay", "/to", "equals", "me")), **POLICY}
    values = [f'value="{each}"' for each in ("my-model", "0.25", "pay", "/to", "me", "wire")]
    refused(cast, admin_desk, *values, expires_in="0", **typed)


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
    assert save(cast, admin_desk, policy_tool=["", "wire"], policy=["", "deny"]).tool_policies == {"wire": "deny"}


def test_who_can_write_what_a_tool_returns_is_set_on_the_page(cast: Cast, admin_desk: Desk) -> None:
    rated: dict[str, Any] = {"trust_name": ["get_page", "source/wiki"], "trust": ["open_web", "internal"]}
    saved = save(cast, admin_desk, **rated)
    assert saved.source_trust == {"get_page": "open_web", "source/wiki": "internal"}
    refused_row: dict[str, Any] = {"trust_name": ["get_page", "get_page"], "trust": ["open_web", "internal"]}
    save(cast, admin_desk, "already has a trust above", status=REFUSED, **refused_row)


@pytest.mark.parametrize(
    ("problem", "row"),
    [
        ("No name holds such a character.", {"policy_tool": "wi\0re", "policy": "deny"}),
        ("No name holds such a character.", {"trust_name": "wi\0re", "trust": "open_web"}),
        ("No call holds such a character.", {"critical_tool": "wi\0re", "critical_operator": "present"}),
    ],
)
def test_a_character_that_no_database_keeps_is_refused_in_its_place(
    cast: Cast, admin_desk: Desk, problem: str, row: dict[str, str]
) -> None:
    refused(cast, admin_desk, problem, **row)


def test_as_many_rows_as_a_profile_may_hold_are_stored(cast: Cast, admin_desk: Desk) -> None:
    names = [f"tool-{number}" for number in range(MAX_RATINGS)]
    rows: dict[str, Any] = {"trust_name": names, "trust": ["open_web"] * MAX_RATINGS}
    rows |= {"policy_tool": names, "policy": ["deny"] * MAX_RATINGS}
    rows |= {"critical_tool": names[:MAX_CRITICAL_ACTIONS], "critical_operator": ["present"] * MAX_CRITICAL_ACTIONS}
    saved = save(cast, admin_desk, **rows)
    assert (len(saved.source_trust), len(saved.tool_policies)) == (MAX_RATINGS, MAX_RATINGS)


def test_an_agent_may_be_sent_back_without_a_person(cast: Cast, admin_desk: Desk) -> None:
    saved = save(cast, admin_desk, sends_back="on", window=3)
    assert (saved.sends_back, saved.window) == (True, 3)


@pytest.mark.parametrize("path", [PAGE, PREVIEW])
def test_a_form_that_was_overtaken_is_refused_once_and_keeps_its_entries(
    cast: Cast, admin_desk: Desk, path: str
) -> None:
    stale = form(cast, model="typed-before")
    versions.new_version(membership=cast.admin, expires_in=600)
    message = ["Version 2 was saved by ada meanwhile", 'value="typed-before"', 'name="based_on" value="2"']
    admin_desk.sends(path, *message, status=REFUSED, **stale)
    assert access.current_profile(cast.workspace).version == 2


def resaved(cast: Cast, desk: Desk, stale: dict[str, Any], *texts: str) -> GuardProfile:
    """The version in force once an overtaken draft is saved again, as the page that warns with these texts shows it."""
    body = desk.sends(PAGE, *texts, status=REFUSED, **stale)
    desk.sends(PAGE, "is in force for every new submission", **shown_fields(body))
    return access.current_profile(cast.workspace)


def test_what_was_saved_meanwhile_is_told_and_kept_where_the_draft_changes_nothing(
    cast: Cast, admin_desk: Desk
) -> None:
    stale = form(cast, expires_in=1200, policy_tool=["wire"], policy=["always_review"])
    theirs: dict[str, Any] = {
        "window": 7,
        "sends_back": True,
        "rewrites": 0,
        "shadow": ["argus"],
        "tool_policies": {"pay": "always_review"},
    }
    versions.new_version(membership=cast.admin, **theirs)
    saved = resaved(cast, admin_desk, stale, "Calls judged together", "<bdi>5</bdi></del>", "<bdi>7</bdi></ins>")
    assert (saved.version, saved.expires_in, saved.window, saved.rewrites) == (3, 1200, 7, 0)
    assert (saved.sends_back, saved.shadow) == (True, ["argus"])
    assert saved.tool_policies == {"pay": "always_review", "wire": "always_review"}


def test_a_field_that_both_changed_says_so_and_keeps_the_entry(cast: Cast, admin_desk: Desk) -> None:
    stale = form(cast, window=9)
    versions.new_version(membership=cast.admin, window=7)
    assert resaved(cast, admin_desk, stale, "Version 2 changed this too").window == 9


def test_a_row_that_both_changed_stands_there_twice_until_one_is_removed(cast: Cast, admin_desk: Desk) -> None:
    stale = form(cast, **POLICY)
    versions.new_version(membership=cast.admin, tool_policies={"wire": "two_people"})
    body = admin_desk.sends(PAGE, "Version 2 changed this too", status=REFUSED, **stale)
    fields = shown_fields(body)
    assert fields["policy"] == ["always_review", "two_people", ""]
    admin_desk.sends(PAGE, "already has a policy above", status=REFUSED, **fields)


def test_a_row_that_was_removed_meanwhile_stays_removed(cast: Cast, admin_desk: Desk) -> None:
    versions.new_version(membership=cast.admin, tool_policies={"wire": "always_review"})
    stale = form(cast, **POLICY, expires_in=1200)
    versions.new_version(membership=cast.admin, tool_policies={})
    assert resaved(cast, admin_desk, stale).tool_policies == {}


def test_a_version_saved_between_check_and_storage_is_not_lost(
    cast: Cast, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(old: GuardProfile, new: GuardProfile) -> list[SettingChange]:
        versions.new_version(membership=cast.admin, expires_in=600)
        return changes_between(old, new)

    monkeypatch.setattr("reviews.desk.settings.guard_profile.views.changes_between", meanwhile)
    admin_desk.sends(
        PAGE, "Version 2 was saved meanwhile", 'value="typed"', status=REFUSED, **form(cast, model="typed")
    )
    assert access.current_profile(cast.workspace).expires_in == 600


def test_a_budget_and_models_of_single_questions_are_stored(cast: Cast, admin_desk: Desk) -> None:
    saved = save(cast, admin_desk, daily_tokens="5000", model_of_support="large")
    assert (saved.daily_tokens, saved.daily_usd, saved.question_models) == (5000, None, {"support": "large"})


def test_the_form_shows_what_is_stored(cast: Cast, admin_desk: Desk) -> None:
    versions.new_version(membership=cast.admin, daily_tokens=4321, question_models={"support": "large"})
    admin_desk.shows(PAGE, 'name="daily_tokens" value="4321"', 'name="model_of_support" value="large"')


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


def test_questions_are_asked_in_words_and_others_only_when_they_have_a_model(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.shows(PAGE, "Does the tool serve the step?")
    admin_desk.lacks(PAGE, "model_of_alignment")
    versions.new_version(membership=cast.admin, question_models={"alignment": "large"})
    admin_desk.shows(PAGE, "model_of_alignment")


def test_a_version_tells_everything_it_sets_and_what_it_changed(cast: Cast, admin_desk: Desk) -> None:
    versions.new_version(membership=cast.admin, expires_in=600, tool_policies={"wire": "deny"})
    body = admin_desk.shows("/settings/profile/versions/2", "What differs from version 1", "Edit")
    assert "A call waits at most 3,600 s (about 1 h) 600 s (about 10 min)" in words_of(body)


def test_the_first_version_differs_from_nothing(admin_desk: Desk) -> None:
    admin_desk.lacks("/settings/profile/versions/1", "What differs")


def test_any_two_versions_can_be_compared(cast: Cast, admin_desk: Desk) -> None:
    versions.new_version(membership=cast.admin, expires_in=600)
    versions.new_version(membership=cast.admin, model="large")
    body = admin_desk.shows("/settings/profile/versions/1?against=3", "What differs from version 3")
    assert "Model of the judge large the installation's default" in words_of(body).replace("&#x27;", "'")


@pytest.mark.parametrize(
    "path", ["/settings/profile/versions/9", "/settings/profile/versions/1?against=9", f"{PAGE}?from=9"]
)
def test_a_version_that_is_not_there_is_not_found(admin_desk: Desk, path: str) -> None:
    admin_desk.shows(path, status=HTTPStatus.NOT_FOUND)


def test_a_version_of_another_workspace_is_not_found(cast: Cast, admin_desk: Desk) -> None:
    versions.new_version(membership=cast.outsider, expires_in=600)
    admin_desk.shows("/settings/profile/versions/2", status=HTTPStatus.NOT_FOUND)


def test_a_draft_can_start_from_an_earlier_version(cast: Cast, admin_desk: Desk) -> None:
    versions.new_version(membership=cast.admin, expires_in=600)
    versions.new_version(membership=cast.admin, expires_in=700)
    parts = ["Filled with version 2", 'name="expires_in" value="600"', 'name="based_on" value="3"']
    admin_desk.shows(f"{PAGE}?from=2", *parts)


def test_changes_are_told_row_by_row(cast: Cast) -> None:
    before = access.current_profile(cast.workspace)
    before.tool_policies = {"a": "deny", "b": "deny"}
    after = versions.validate_profile(before, tool_policies={"b": "always_allow", "c": "deny"})
    words = ["a removed", "b: deny → always allow", "c added: deny"]
    assert [change.words for change in changes_between(before, after)] == [f"Tool policies: {each}" for each in words]


def test_which_rules_may_decide_is_told_with_the_other_settings(cast: Cast) -> None:
    before = access.current_profile(cast.workspace)
    after = versions.validate_profile(before, min_rule_precision=0.9, suspended_rules=["proofs.near_copy"])
    assert [change.words for change in changes_between(before, after)] == [
        "Least precision of a rule: none → 90%",
        "Suspended rules: proofs.near_copy added: decides nothing",
    ]


def test_each_answer_to_what_nobody_can_tell_is_explained(admin_desk: Desk) -> None:
    admin_desk.shows(PAGE, "A person looks if it is grave", "nothing unproven runs unseen", "grave is what deletes")


def test_the_share_for_audit_is_saved_and_shown(cast: Cast, admin_desk: Desk) -> None:
    assert save(cast, admin_desk, audit_rate="0.05").audit_rate == 0.05
    assert save(cast, admin_desk, audit_rate="").audit_rate == 0


@pytest.mark.parametrize("share", ["1.5", "-0.1", "nan", "some"])
def test_a_share_beyond_all_is_refused(cast: Cast, admin_desk: Desk, share: str) -> None:
    refused(cast, admin_desk, "A share from 0 to 1", audit_rate=share)
