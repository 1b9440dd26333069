"""The whole loop, as the people who use it go through it: by keyboard."""

import pytest
from playwright.sync_api import Page, Route, expect

from reviews.decisions import decide
from reviews.models import Action, Label, Review
from reviews.queue import review_claims
from tests import stack
from tests.browser import agent
from tests.browser.conftest import approve, in_view, intercept, sign_in
from tests.cast import Cast

pytestmark = pytest.mark.usefixtures("workers")

NEXT_TRIGGER = """() => {
  const preview = document.getElementById("edit-preview");
  window.nextTrigger = new Promise((done) => preview.addEventListener("htmx:trigger", () => done(), { once: true }));
}"""
"""Makes a promise that the page keeps when what was typed next asks for a preview, after the pause in typing."""


def open_first(page: Page) -> None:
    """Open the first waiting item by keyboard."""
    page.locator(".row-link").first.wait_for()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/reviews/**")
    in_view(page)


def test_a_new_item_appears_without_reload_and_its_rejection_reaches_the_agent(
    page: Page, site: str, cast: Cast
) -> None:
    sign_in(page)
    expect(page.locator(".row-link")).to_have_count(0)
    waiting = agent.submit_and_wait(site, cast)
    open_first(page)
    page.keyboard.press("r")
    page.keyboard.type("The request says 30.")
    page.keyboard.press("Control+Enter")
    decision = waiting.result(timeout=60)["decision"]
    assert (decision["outcome"], decision["message"]) == ("reject", "The request says 30.")


def test_an_approved_call_runs_as_proposed(page: Page, site: str, cast: Cast) -> None:
    sign_in(page)
    waiting = agent.submit_and_wait(site, cast)
    open_first(page)
    approve(page)
    action = waiting.result(timeout=60)
    assert agent.execute(site, cast, action)["arguments"] == agent.SUBMISSION["action"]["arguments"]


def test_an_edited_call_runs_as_edited(page: Page, site: str, cast: Cast) -> None:
    sign_in(page)
    waiting = agent.submit_and_wait(site, cast)
    open_first(page)
    page.keyboard.press("e")
    to = page.get_by_label("to", exact=True)
    expect(to).to_be_focused()
    to.fill("daniel.kim@example.org")
    page.get_by_label("amount", exact=True).fill("30")
    page.locator("#edit-preview").get_by_text("30", exact=True).first.wait_for()
    page.keyboard.press("Control+Enter")
    action = waiting.result(timeout=60)
    assert agent.execute(site, cast, action)["arguments"] == {"to": "daniel.kim@example.org", "amount": 30}


def test_typing_does_not_cut_off_a_slow_preview(page: Page, site: str, cast: Cast) -> None:
    sign_in(page)
    agent.submit(site, cast)
    open_first(page)
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    intercept(page, "**/preview-edit", hold_first)
    with page.expect_request("**/preview-edit"):
        page.keyboard.press("e")
    page.evaluate(NEXT_TRIGGER)
    expect(page.get_by_label("to", exact=True)).to_be_focused()
    page.get_by_label("amount", exact=True).fill("30")
    page.evaluate("() => window.nextTrigger")
    held[0].continue_()
    expect(page.locator("#edit-preview ins").last).to_have_text("30")


def test_an_invalid_edit_is_explained_and_nothing_typed_is_lost(page: Page, site: str, cast: Cast) -> None:
    sign_in(page)
    agent.submit(site, cast)
    open_first(page)
    page.keyboard.press("e")
    expect(page.get_by_label("to", exact=True)).to_be_focused()
    amount = page.get_by_label("amount", exact=True)
    amount.fill("thirty")
    with page.expect_response("**/decide") as refused:
        page.keyboard.press("Control+Enter")
    expect(page.locator("#edit .field__error")).to_have_count(1)
    assert (refused.value.status, amount.input_value()) == (422, "thirty")


def test_an_answer_reaches_the_agents_model(page: Page, site: str, cast: Cast) -> None:
    sign_in(page)
    waiting = agent.submit_and_wait(site, cast)
    open_first(page)
    page.keyboard.press("q")
    page.keyboard.type("Daniel from sales.")
    page.keyboard.press("Control+Enter")
    assert "Daniel from sales." in waiting.result(timeout=60)["decision"]["model_message"]


def test_the_next_item_opens_by_itself(page: Page, site: str, cast: Cast) -> None:
    sign_in(page)
    agent.submit(site, cast, trace_id="first")
    agent.submit(site, cast, trace_id="second")
    expect(page.locator(".row-link")).to_have_count(2)
    open_first(page)
    first = page.url
    approve(page)
    page.wait_for_url(lambda url: "/reviews/" in url and url != first)
    page.get_by_text("claimed by you").wait_for()
    assert Label.objects.get().aligned


def test_an_item_that_is_left_is_free_and_one_that_is_loaded_anew_stays_claimed(
    page: Page, site: str, cast: Cast
) -> None:
    sign_in(page)
    agent.submit(site, cast)
    open_first(page)
    in_view(page)
    page.reload()
    in_view(page)
    review = Action.objects.get().review
    assert review.claimed_by == cast.reviewer.user
    page.goto(f"{site}/queue")
    stack.until(lambda: Review.objects.get(pk=review.pk).claimed_by is None, what="the release")


def test_a_stale_page_says_who_decided_what(page: Page, site: str, cast: Cast) -> None:
    sign_in(page)
    agent.submit(site, cast)
    open_first(page)
    in_view(page)
    action = Action.objects.get()
    review_claims.release_claim(review=action.review, membership=cast.reviewer)
    decide.decide_action(action=action, choice=decide.Reject("No."), membership=cast.other_reviewer)
    # The page may have heard of it before the keys do, and then they do nothing.
    page.keyboard.press("a")
    page.keyboard.press("a")
    page.get_by_text("rob").first.wait_for()


def test_the_sheet_lists_the_keys(page: Page, site: str, cast: Cast) -> None:
    sign_in(page)
    agent.submit(site, cast)
    open_first(page)
    page.keyboard.press("?")
    sheet = page.locator("#shortcuts")
    expect(sheet).to_contain_text("Approve")
    expect(sheet).to_contain_text("Reject")
