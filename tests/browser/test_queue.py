"""The queue by keyboard: its pages, and coming back to where one was."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import sign_in
from tests.cast import Cast
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
