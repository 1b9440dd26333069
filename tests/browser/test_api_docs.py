"""The API's documentation page, in a real browser."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import NARROW, open_page
from tests.browser.test_accessibility import check_accessible

pytestmark = pytest.mark.usefixtures("cast")


def test_the_docs_page_shows_the_api_and_is_accessible(page: Page) -> None:
    page.goto("/api/v1/docs/")
    page.get_by_role("navigation", name="Contents").get_by_role("link", name="Propose a call").click()
    expect(page.get_by_role("heading", name="Propose a call")).to_be_in_viewport()
    expect(page.get_by_text("Accepted, undecided: it must not run yet.")).to_be_visible()
    page.get_by_role("region", name="Cancel an action").get_by_role("link", name="Action").click()
    expect(page.get_by_role("heading", name="Action", exact=True)).to_be_in_viewport()
    check_accessible(page)


def test_it_is_legible_on_a_narrow_dark_screen(chromium: Browser, site: str, complaints: list[str]) -> None:
    for page in open_page(chromium, site, complaints, viewport=NARROW, color_scheme="dark"):
        page.goto("/api/v1/docs/")
        # The longest page there is: what width and colour cannot change was looked at in the other.
        check_accessible(page, {"runOnly": ["color-contrast", "target-size"]})
