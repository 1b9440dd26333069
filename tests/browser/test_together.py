"""Two people at one item: they talk, hand it over, and approve it one after the other."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from reviews.models import Action, Decision, Review, Status
from reviews.profiles import versions
from tests.browser.accessible import check_accessible
from tests.browser.conftest import NARROW, approve, in_view, open_page, sign_in
from tests.browser.test_queue import listening
from tests.cast import Cast, flagged

# Below the fifteen seconds after which the page would ask by itself.
LIVE_MILLISECONDS = 10_000


@pytest.fixture
def other(chromium: Browser, site: str, complaints: list[str]) -> Iterator[Page]:
    """The browser of a second person."""
    yield from open_page(chromium, site, complaints)


@pytest.fixture
def review(cast: Cast) -> Review:
    versions.new_version(membership=cast.admin, tool_policies={"money_transfer": "two_people"})
    return flagged(cast)


def test_two_people_approve_by_key_and_the_first_is_named(page: Page, other: Page, review: Review) -> None:
    address = f"/reviews/{review.pk}"
    sign_in(page, at=address)
    approve(page)
    page.wait_for_url("**/queue")
    expect(page.locator(".toast").first).to_contain_text("waits for another person's")
    expect(page.locator(".queue__holder")).to_contain_text("1 of 2")
    assert Action.objects.get().status == Status.PENDING
    sign_in(other, "rob", at=address)
    in_view(other)
    expect(other.locator("#state")).to_contain_text("rita approved this first")
    check_accessible(other)
    approve(other)
    other.wait_for_url("**/queue")
    decision = Decision.objects.get(in_force=True)
    assert decision.first_approval is not None
    page.goto(address)
    expect(page.locator("#state")).to_contain_text("after rita had approved it first")


def test_a_comment_appears_on_the_other_page_by_itself(page: Page, other: Page, review: Review) -> None:
    for each, name in ((page, "rita"), (other, "rob")):
        sign_in(each, name, at=f"/reviews/{review.pk}")
        each.locator("#comments").wait_for()
        listening(each)
    page.locator("#comment-body").fill("Half a thought")
    other.locator("#comment-body").fill("<b>Known</b> since May")
    other.locator("#comment-body").press("Control+Enter")
    expect(other.locator(".comment__body")).to_have_text("<b>Known</b> since May")
    expect(other.locator("#comment-body")).to_have_value("")
    expect(page.locator(".comment__body")).to_have_text("<b>Known</b> since May", timeout=LIVE_MILLISECONDS)
    expect(page.locator("#comment-body")).to_have_value("Half a thought")


def test_an_item_is_escalated_by_key_with_a_note_and_taken_over(
    chromium: Browser, site: str, complaints: list[str], page: Page, review: Review
) -> None:
    sign_in(page, at=f"/reviews/{review.pk}")
    in_view(page)
    page.keyboard.press("x")
    expect(page.get_by_label("Note")).to_be_focused()
    page.keyboard.type("Is this her account?")
    page.get_by_label("To", exact=True).select_option(label="ada")
    check_accessible(page)
    page.get_by_label("Note").press("Control+Enter")
    page.wait_for_url("**/queue")
    expect(page.locator(".queue__holder")).to_contain_text("for ada")
    page.goto(f"/reviews/{review.pk}")
    in_view(page)
    listening(page)
    page.keyboard.press("r")
    page.locator("#reject-message").fill("Ask for the other account.")
    for narrow in open_page(chromium, site, complaints, viewport=NARROW):
        sign_in(narrow, "ada", at=f"/reviews/{review.pk}")
        expect(narrow.locator(".strip__comment")).to_contain_text("Is this her account?")
        check_accessible(narrow)
        narrow.get_by_role("button", name="Take over").click()
        narrow.get_by_text("claimed by you").wait_for()
        # Whoever had it hears of that at once, and keeps what was typed.
        expect(page.locator("#state")).to_contain_text("ada is looking at this item", timeout=LIVE_MILLISECONDS)
        expect(page.locator("#kept")).to_have_value("Ask for the other account.")
        check_accessible(page)
