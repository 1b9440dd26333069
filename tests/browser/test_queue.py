"""The queue by keyboard: its pages, and coming back to where one was."""

import re

from playwright.sync_api import Page, expect

from reviews.models import Decision
from tests.browser.conftest import NARROW, in_view, sign_in
from tests.cast import PASSWORD, Cast, flagged
from tests.desk.desk import waiting

ROWS = ".queue .row-link"


def filled(cast: Cast, number: int) -> None:
    for place in range(number):
        waiting(cast, f"tool_{place}")


def test_j_and_k_turn_the_pages_and_the_page_says_where_one_is(page: Page, cast: Cast) -> None:
    filled(cast, 30)
    sign_in(page)
    expect(page.locator("#queue-where")).to_have_text("1–25 of 30 · page 1 of 2")
    page.locator(ROWS).last.focus()
    page.keyboard.press("j")
    expect(page.locator("#queue-where")).to_have_text("26–30 of 30 · page 2 of 2")
    expect(page.locator(ROWS).first).to_be_focused()
    page.wait_for_url("**/queue?page=2")
    page.keyboard.press("k")
    expect(page.locator("#queue-where")).to_have_text("1–25 of 30 · page 1 of 2")
    expect(page.locator(ROWS).last).to_be_focused()


def test_the_next_page_is_a_real_link_and_back_leads_back(page: Page, cast: Cast) -> None:
    filled(cast, 30)
    sign_in(page)
    page.get_by_role("link", name="Next").click()
    page.wait_for_url("**/queue?page=2")
    expect(page.locator(ROWS)).to_have_count(5)
    page.go_back()
    expect(page.locator(ROWS)).to_have_count(25)


def test_the_search_box_is_left_by_enter_and_by_escape(page: Page, cast: Cast) -> None:
    filled(cast, 3)
    sign_in(page)
    page.keyboard.press("/")
    page.keyboard.type("tool_1")
    page.keyboard.press("Enter")
    expect(page.locator(ROWS)).to_have_count(1)
    expect(page.locator(ROWS)).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("#queue-text")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(ROWS)).to_be_focused()
    expect(page.locator("#queue-text")).to_have_value("tool_1")


def test_filters_are_kept_by_j_k_and_back(page: Page, cast: Cast) -> None:
    filled(cast, 3)
    waiting(cast, "mail")
    sign_in(page, at="/queue?tool=tool")
    page.get_by_text("More filters").click()
    page.get_by_label("Risk").select_option("medium")
    page.wait_for_url("**/queue?*risk=medium*")
    page.locator(ROWS).first.click()
    within = "tool=tool&risk=medium"
    page.wait_for_url(f"**/reviews/*?{within}")
    first = page.url
    expect(page.get_by_text("1 of 3")).to_be_visible()
    page.keyboard.press("j")
    page.wait_for_url(lambda url: within in url and url != first)
    page.keyboard.press("k")
    page.wait_for_url(first)
    page.keyboard.press("b")
    page.wait_for_url(f"**/queue?{within}")
    expect(page.locator(ROWS)).to_have_count(3)


def test_whoever_signs_in_again_in_another_tab_sends_what_they_typed(page: Page, cast: Cast) -> None:
    item = flagged(cast)
    sign_in(page, at=f"/reviews/{item.pk}")
    in_view(page)
    page.keyboard.press("r")
    page.keyboard.type("Kept all along.")
    page.context.clear_cookies()
    page.keyboard.press("Control+Enter")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Sign in again").click()
    other = opened.value
    other.get_by_label("User name").fill("rita")
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    other.wait_for_url(f"**/reviews/{item.pk}")
    other.close()
    page.keyboard.press("r")
    expect(page.locator("#reject-message")).to_have_value("Kept all along.")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/queue")
    assert Decision.objects.get().message == "Kept all along."


def test_on_a_phone_what_is_asked_wanted_and_wrong_is_in_view(page: Page, cast: Cast) -> None:
    item = flagged(cast)
    page.set_viewport_size(NARROW)
    sign_in(page, at=f"/reviews/{item.pk}")
    in_view(page)
    bar = page.locator(".bar").bounding_box()
    assert bar is not None
    for part in (".asked", ".call__tool", ".arg--none", ".reason__words"):
        box = page.locator(part).first.bounding_box()
        assert box is not None
        assert (part, box["y"] + box["height"] <= bar["y"]) == (part, True)


def listening(page: Page) -> None:
    """Wait until the page has heard how many are waiting: only of what comes later is it told anything new."""
    # The icon is prepared with the first word of the queue.
    page.locator("link[rel=icon][data-quiet]").wait_for(state="attached")


TONES = """
    window.tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function () { window.tones += 1; start.call(this); };
"""


def test_a_new_item_is_heard_of_at_once_in_title_icon_list_and_by_who_wants_to_hear_a_tone(
    page: Page, cast: Cast
) -> None:
    page.add_init_script(TONES)
    sign_in(page, at="/actions")
    page.keyboard.press("?")
    page.get_by_label("Play a tone").check()
    assert page.evaluate("window.tones") == 1
    page.goto("/actions")
    listening(page)
    waiting(cast)
    expect(page).to_have_title(re.compile(r"^\(1\) Actions"), timeout=10_000)
    page.wait_for_function("window.tones === 1")
    assert "favicon-waiting" in (page.locator("link[rel=icon]").get_attribute("href") or "")
    expect(page.locator("#pending-count")).to_have_text("1 waiting")


def test_the_palette_goes_anywhere_and_searches(page: Page, cast: Cast) -> None:
    waiting(cast, "wire")
    sign_in(page)
    page.keyboard.press("Control+k")
    page.keyboard.type("overv")
    page.keyboard.press("Enter")
    page.wait_for_url("**/overview")
    page.keyboard.press("Control+k")
    page.keyboard.type("wire")
    page.keyboard.press("Enter")
    page.wait_for_url("**/queue?text=wire")
    expect(page.locator(".row-link")).to_have_text("wire")
