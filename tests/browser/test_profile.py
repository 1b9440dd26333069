"""The guard profile's page, by keyboard, without scripts, and to assistive technology."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from reviews import access
from reviews.decisions import decide
from reviews.models import Review
from reviews.profiles import versions
from tests.browser.accessible import check_accessible, check_accessible_in_all_looks
from tests.browser.conftest import open_page, sign_in
from tests.cast import RIGHT, WRONG, Cast, propose
from tests.jobs import run_checks

PAGE = "/settings/profile"


@pytest.fixture
def bare(chromium: Browser, site: str, complaints: list[str]) -> Iterator[Page]:
    """A page of a browser that runs no scripts."""
    yield from open_page(chromium, site, complaints, java_script_enabled=False)


def opened(page: Page, path: str = PAGE) -> Page:
    """This page, as the administrator sees it."""
    sign_in(page, "ada", at=path)
    return page


def previewed(page: Page) -> None:
    page.get_by_role("button", name="Preview").press("Enter")
    page.locator("#preview-title").wait_for()
    page.locator(".progress").wait_for(state="detached")


def calls(cast: Cast) -> None:
    """One that passed, one that was stopped and rejected, one that waits."""
    stopped = [propose(cast, replace(WRONG, subtask=f"step {each}"), trace_id=f"t{each}") for each in range(2)]
    passed = propose(cast, RIGHT, trace_id="right")
    for action in (*stopped, passed):
        run_checks(action.pk)
    rejected = Review.objects.get(action=stopped[0])
    decide.decide_action(action=rejected.action, choice=decide.Reject("No."), membership=cast.reviewer)


def test_the_page_and_a_preview_are_accessible(themed: Page, cast: Cast) -> None:
    calls(cast)
    opened(themed)
    themed.get_by_role("group", name="DirectPrompt").get_by_role("radio", name="Enforced").check()
    previewed(themed)
    check_accessible(themed)


def test_a_refused_form_is_accessible_and_leads_to_what_is_wrong(themed: Page, cast: Cast) -> None:
    opened(themed)
    themed.get_by_label("A call waits at most").fill("0")
    themed.get_by_role("button", name="Preview").press("Enter")
    expect(themed.get_by_label("A call waits at most")).to_be_focused()
    check_accessible(themed)


def test_a_corrected_draft_complains_no_more_and_leads_to_its_preview(page: Page, cast: Cast) -> None:
    opened(page)
    page.get_by_label("A call waits at most").fill("0")
    page.get_by_role("button", name="Preview").press("Enter")
    expect(page.get_by_label("A call waits at most")).to_be_focused()
    page.get_by_label("A call waits at most").fill("600")
    page.get_by_role("button", name="Preview").press("Enter")
    expect(page.locator("#changes-title")).to_be_focused()
    expect(page.locator("#profile-form :is(.field__error, .callout--bad, [aria-invalid])")).to_have_count(0)


def test_a_version_is_accessible_and_the_history_hangs_over_no_side(page: Page, cast: Cast) -> None:
    policies = {"wire": "deny", "a_tool_with_a_rather_long_name_" * 6: "deny"}
    versions.new_version(membership=cast.admin, expires_in=600, tool_policies=policies)
    opened(page, "/settings/profile/versions/2")
    check_accessible_in_all_looks(page)
    page.goto("/settings")
    check_accessible_in_all_looks(page)


def test_a_draft_is_made_previewed_and_saved_by_keyboard(page: Page, cast: Cast) -> None:
    calls(cast)
    opened(page)
    page.get_by_role("group", name="ARGUS").get_by_role("radio", name="Off").focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Add a tool").press("Enter")
    page.keyboard.type("wire")
    page.keyboard.press("Tab")
    page.keyboard.type("Deny")
    previewed(page)
    expect(page.get_by_text("in shadow").first).to_be_visible()
    page.get_by_role("button", name="Save version 2").press("Enter")
    page.wait_for_url("**/settings")
    saved = access.current_profile(cast.workspace)
    assert (saved.version, saved.shadow, saved.tool_policies) == (2, ["argus"], {"wire": "deny"})


def test_a_removed_row_is_gone_and_the_focus_is_not_lost(page: Page, cast: Cast) -> None:
    versions.new_version(membership=cast.admin, tool_policies={"alpha": "deny", "beta": "deny"})
    opened(page)
    page.get_by_role("button", name="Remove this policy").first.press("Enter")
    expect(page.locator("#policy-rows input").first).to_be_focused()
    expect(page.locator("#policy-rows input").first).to_have_value("beta")


def test_a_preview_says_when_its_draft_has_moved_on(page: Page, cast: Cast) -> None:
    calls(cast)
    opened(page)
    previewed(page)
    expect(page.locator("[data-stale]")).to_be_hidden()
    page.get_by_label("A call waits at most").fill("60")
    expect(page.locator("[data-stale]")).to_be_visible()


def test_how_many_are_enforced_follows_the_choice(page: Page, cast: Cast) -> None:
    opened(page)
    page.get_by_role("group", name="ARGUS").get_by_role("radio", name="Enforced").check()
    expect(page.locator("[data-enforced-count]")).to_have_text("2")


def test_without_scripts_a_draft_is_previewed_and_saved(bare: Page, cast: Cast) -> None:
    calls(cast)
    opened(bare)
    bare.get_by_label("A call waits at most").fill("600")
    bare.get_by_role("button", name="Preview").click()
    expect(bare.get_by_text("What 3 calls would have become")).to_be_visible()
    bare.get_by_role("button", name="Save version 2").click()
    bare.wait_for_url("**/settings")
    assert access.current_profile(cast.workspace).expires_in == 600


def test_what_could_not_be_saved_leads_to_what_is_wrong(page: Page, cast: Cast) -> None:
    opened(page)
    field = page.get_by_label("A claim holds for")
    field.fill("-7")
    page.get_by_role("button", name="Save version").click()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    expect(field).to_be_in_viewport()
