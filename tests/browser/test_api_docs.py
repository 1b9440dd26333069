"""The API's documentation page under the site's content security policy."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.usefixtures("cast")


def test_the_docs_page_shows_the_api(page: Page) -> None:
    page.goto("/api/v1/docs/")
    expect(page.get_by_text("Propose a call")).to_be_visible()
    page.get_by_text("Propose a call").click()
    expect(page.get_by_text("Idempotency-Key")).to_be_visible()
    expect(page.get_by_text("Accepted, undecided: it must not run yet.")).to_be_visible()


def test_a_key_can_be_entered_to_try_the_api(page: Page) -> None:
    page.goto("/api/v1/docs/")
    page.get_by_role("button", name="Authorize").first.click()
    page.get_by_label("auth-bearer-value").fill("pgr_wrong")
    page.get_by_role("button", name="Apply credentials").click()
    page.get_by_role("button", name="Close").click()
    page.get_by_text("List actions").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.get_by_text("This agent key does not exist or was revoked.").first).to_be_visible()
