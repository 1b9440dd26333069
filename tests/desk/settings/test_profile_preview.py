import html
import re
from dataclasses import replace

import pytest

from reviews import access
from reviews.lab import dry_run, profile_preview
from reviews.models import AuditEvent, Check
from reviews.profiles import versions
from tests.cast import RIGHT, WRONG, Cast, flagged, propose
from tests.desk.desk import Desk
from tests.desk.settings.profile_form import PREVIEW, REFUSED, detectors, form, previewed, words_of
from tests.jobs import run_checks
from tests.lab.judged_rules import judged


def test_a_preview_tells_what_the_draft_changes_and_saves_nothing(cast: Cast, admin_desk: Desk) -> None:
    body = previewed(cast, admin_desk, "What the draft changes", expires_in="600")
    assert "3,600 s (about 1 h) 600 s (about 10 min)" in words_of(body)
    assert access.current_profile(cast.workspace).version == 1


def test_a_preview_of_something_wrong_is_refused_beside_it(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.sends(PREVIEW, 'id="id_expires_in_error"', status=REFUSED, **form(cast, expires_in="0"))


def test_without_calls_there_is_nothing_to_tell(cast: Cast, admin_desk: Desk) -> None:
    previewed(cast, admin_desk, "No call has been checked yet")


def test_a_call_that_would_go_elsewhere_is_listed_with_the_reason(cast: Cast, admin_desk: Desk) -> None:
    review = flagged(cast)
    order = {"policy_tool": ["money_transfer"], "policy": ["deny"]}
    page = previewed(cast, admin_desk, f'href="/reviews/{review.pk}"', "Tool policy: Deny.", **order)
    assert "1 of 1 would go elsewhere" in words_of(page)


def test_labels_tell_what_the_draft_would_catch(cast: Cast, admin_desk: Desk) -> None:
    judged(cast, upheld=2, overruled=1)
    order = {"policy_tool": ["money_transfer"], "policy": ["always_allow"]}
    page = words_of(previewed(cast, admin_desk, "3 labelled", **order))
    assert "In force 100 % 3 of 3" in page
    assert "67 % 2 of 3" in page
    assert "Draft 0.0 % 0 of 3" in page
    assert "0 of 2" in page


def test_from_the_preview_new_detectors_run_in_shadow_and_then_enforced(cast: Cast, admin_desk: Desk) -> None:
    flagged(cast)
    page = previewed(cast, admin_desk, "Run argus in shadow first", **detectors(argus="enforced"))
    (sent,) = re.findall(r'name="draft" value="([^"]*)">\s*<button', page)
    draft = html.unescape(sent)
    assert admin_desk.client.post("/settings/profile", {"draft": draft, "do": "shadow"}).status_code == 302
    profile = access.current_profile(cast.workspace)
    assert (profile.version, profile.detectors, profile.shadow) == (2, ["provenance-guard"], ["argus"])
    page = previewed(cast, admin_desk, "Put this draft in force", **detectors(argus="enforced"))
    assert "in shadow first" not in page
    (sent,) = re.findall(r'name="draft" value="([^"]*)">\s*<button', page)
    enforced = {"draft": html.unescape(sent), "do": "enforce"}
    assert admin_desk.client.post("/settings/profile", enforced).status_code == 302
    assert access.current_profile(cast.workspace).detectors == ["provenance-guard", "argus"]
    assert AuditEvent.objects.filter(workspace=cast.workspace, verb="profile.changed").count() == 2


def test_a_call_that_passed_is_shown_in_place(cast: Cast, admin_desk: Desk) -> None:
    run_checks(propose(cast, RIGHT).pk)
    order = {"policy_tool": ["money_transfer"], "policy": ["always_review"]}
    previewed(cast, admin_desk, "Send $30 to Daniel", "daniel.kim@example.org", **order)


def test_an_undecided_call_shows_nothing_of_what_shadows_say(cast: Cast, admin_desk: Desk) -> None:
    versions.new_version(membership=cast.admin, shadow=["argus"])
    review = flagged(cast)
    Check.objects.filter(detector="argus").update(reason="The shadow's reason.")
    page = previewed(cast, admin_desk, "1 call still waits for a decision", **detectors(argus="enforced"))
    assert "The shadow" not in page
    assert f'href="/reviews/{review.pk}"' in page


def test_every_call_that_waits_is_counted_as_waiting(cast: Cast, admin_desk: Desk) -> None:
    flagged(cast, trace_id="before the shadow")
    versions.new_version(membership=cast.admin, shadow=["argus"])
    flagged(cast)
    page = words_of(previewed(cast, admin_desk, **detectors(argus="enforced")))
    assert "2 calls still wait for a decision. Counted above, but where 1 of them would go" in page


def test_htmx_gets_the_preview_alone(cast: Cast, admin_desk: Desk) -> None:
    answer = admin_desk.client.post(PREVIEW, form(cast), headers={"HX-Request": "true"})
    assert answer.content.decode().lstrip().startswith('<div class="stack" id="preview">')


def test_htmx_gets_a_refused_form_in_place_of_the_draft(cast: Cast, admin_desk: Desk) -> None:
    answer = admin_desk.client.post(PREVIEW, form(cast, expires_in="0"), headers={"HX-Request": "true"})
    assert (answer.status_code, answer.headers["HX-Retarget"]) == (REFUSED, "#draft")


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """One run in each request."""
    monkeypatch.setattr(dry_run, "MAX_RUNS", 1)


def three_stopped(cast: Cast) -> None:
    for amount in (300, 301, 302):
        flagged(cast, replace(WRONG, arguments={**WRONG.arguments, "amount": amount}), trace_id=f"t{amount}")


@pytest.mark.usefixtures("short")
def test_a_long_preview_goes_on_from_request_to_request(cast: Cast, admin_desk: Desk) -> None:
    three_stopped(cast)
    changes = detectors(provenance_guard="off", argus="enforced")
    body = previewed(cast, admin_desk, "1 of 3 verdicts", "load delay", **changes)
    for progress in ("2 of 3 verdicts", "of 3 would"):
        sent = dict(re.findall(r'<input type="hidden" name="(draft|before)" value="([^"]*)">', body))
        body = admin_desk.sends(PREVIEW, progress, draft=sent["draft"].replace("&amp;", "&"), before=sent["before"])
    assert "verdicts" not in body


@pytest.mark.usefixtures("short")
def test_a_preview_that_cannot_be_kept_stops(cast: Cast, admin_desk: Desk) -> None:
    three_stopped(cast)
    sent = form(cast, before="1", **detectors(provenance_guard="off", argus="enforced"))
    body = admin_desk.sends(PREVIEW, "could not be kept", "Try again", **sent)
    assert "load delay" not in body


def test_the_number_of_calls_looked_at_is_bounded(
    cast: Cast, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile_preview, "MAX_CALLS", 2)
    three_stopped(cast)
    previewed(cast, admin_desk, "What 2 calls would have become")


def test_htmx_is_told_which_version_is_in_force_by_now(cast: Cast, admin_desk: Desk) -> None:
    draft = form(cast)
    versions.new_version(membership=cast.admin, expires_in=600)
    answer = admin_desk.client.post(PREVIEW, draft, headers={"HX-Request": "true"})
    assert 'hx-swap-oob="true">version 2 in force' in answer.content.decode()
