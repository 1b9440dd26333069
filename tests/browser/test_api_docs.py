"""The API's documentation page, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from reviews.api.docs.quickstarts import KEY
from tests.browser.accessible import check_accessible_in_all_looks
from tests.browser.conftest import sign_in

pytestmark = pytest.mark.usefixtures("cast")

# A hundred operations and types come out of the same few lines of a template, and axe looks at each colour of each.
SOME_OF_EACH = (".reference__contents ul:first-of-type", "section.panel:nth-of-type(-n+5)", "#schema-Action")


def test_the_docs_page_shows_the_api_is_accessible_and_has_each_id_once(page: Page) -> None:
    page.goto("/api/v1/docs/")
    page.get_by_role("navigation", name="Contents").get_by_role("link", name="Propose a call").click()
    expect(page.get_by_role("heading", name="Propose a call")).to_be_in_viewport()
    expect(page.get_by_text("Accepted, undecided: it must not run yet.")).to_be_visible()
    page.get_by_role("region", name="Cancel an action").get_by_role("link", name="Action").click()
    expect(page.get_by_role("heading", name="Action", exact=True)).to_be_in_viewport()
    check_accessible_in_all_looks(page, *SOME_OF_EACH)
    identifiers = page.evaluate("[...document.querySelectorAll('[id]')].map(element => element.id)")
    assert len(identifiers) == len(set(identifiers))


def test_a_new_key_is_filled_into_the_quickstarts_until_its_reader_signs_out(page: Page) -> None:
    sign_in(page, "ada", at="/settings")
    page.get_by_role("region", name="Agent keys").get_by_role("textbox", name="Name").fill("ci")
    page.get_by_role("button", name="Issue a key").click()
    secret = page.locator("#secret").inner_text()
    # Scripts run before this: a link followed earlier would keep no key.
    page.wait_for_load_state("load")
    page.get_by_role("link", name="Quickstarts with this key").click()
    curl = page.locator("#quickstart-curl")
    expect(curl).to_contain_text(f"Bearer {secret}")
    expect(curl).not_to_contain_text(KEY)
    page.get_by_role("textbox", name="Your key").fill("pgr_other")
    expect(curl).to_contain_text("Bearer pgr_other")
    page.context.clear_cookies()
    page.reload()
    expect(page.get_by_role("textbox", name="Your key")).to_have_value("")
    expect(curl).to_contain_text(f"Bearer {KEY}")
