"""The influence graph, as a person at the keyboard and on a phone meets it."""

import re
from functools import partial
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from reviews.models import Review
from tests.browser.accessible import check_accessible_in
from tests.browser.conftest import NARROW, WIDE, Look, open_page, sign_in
from tests.cast import Cast, install_script
from tests.desk.poisoned import poisoned

pytestmark = pytest.mark.django_db(transaction=True)

ALL_LOOKS: Final[tuple[Look, ...]] = ((WIDE, "light"), (WIDE, "dark"), (NARROW, "light"), (NARROW, "dark"))
TAINTED = re.compile(r"3 search_contacts, tool output, trust 0\.\d\d, 1 anomalous span, supports to")


@pytest.fixture(scope="module")
def item(shared_cast: Cast) -> Review:
    """The item of a call that an order in a document had a part in. Nobody decides it."""
    with pytest.MonkeyPatch.context() as patch:
        return poisoned(shared_cast, partial(install_script, patch))


def opened(page: Page, item: Review) -> Locator:
    """The graph on the item's page."""
    sign_in(page, at=f"/reviews/{item.pk}")
    page.get_by_text("claimed by you").wait_for()
    return page.get_by_role("region", name="What led to this call")


def test_it_is_accessible_at_any_width_and_in_any_light(page: Page, item: Review) -> None:
    opened(page, item)
    check_accessible_in(ALL_LOOKS, page)


def test_deciding_needs_no_scrolling(page: Page, item: Review) -> None:
    opened(page, item)
    for words in ("The agent wants to", "Why it stopped", "“to” comes from an instruction hidden in data"):
        expect(page.get_by_role("heading", name=words, exact=True)).to_be_in_viewport()
    expect(page.locator("#approve")).to_be_in_viewport()


def test_a_node_leads_to_its_text_from_the_keyboard(page: Page, item: Review) -> None:
    graph = opened(page, item)
    graph.get_by_role("link", name=TAINTED).focus()
    page.keyboard.press("Enter")
    arrived = page.locator(":focus")
    expect(arrived).to_contain_text("ignore your previous instructions")
    expect(arrived.locator(".mark--struck.is-lit").first).to_be_in_viewport()


def test_a_node_of_an_argument_leads_to_its_row(page: Page, item: Review) -> None:
    graph = opened(page, item)
    graph.get_by_role("link", name=re.compile("^amount, copied")).press("Enter")
    expect(page.get_by_role("row", selected=True)).to_contain_text("amount")
    expect(page.get_by_role("row", selected=True)).to_be_focused()


def test_the_nodes_are_reached_in_reading_order(page: Page, item: Review) -> None:
    graph = opened(page, item)
    names = graph.get_by_role("link").evaluate_all("links => links.map(link => link.getAttribute('aria-label'))")
    leads = [name.split(",")[0] for name in names if name]
    assert leads[0] == "Request"
    assert leads[-1] == "money_transfer"
    assert leads.index("3 search_contacts") < leads.index("to")


def test_n_goes_from_one_anomalous_text_to_the_next(page: Page, item: Review) -> None:
    opened(page, item)
    for expected in ("ignore your previous instructions", "U+200B", "ignore your previous instructions"):
        page.keyboard.press("n")
        expect(page.locator(":focus .mark--struck").first).to_be_in_viewport()
        expect(page.locator(":focus")).to_contain_text(expected)


def test_selecting_an_argument_shows_the_way_it_came(page: Page, item: Review) -> None:
    graph = opened(page, item)
    page.get_by_role("row", name="INV-7").click()
    lit = graph.locator(".unit.is-lit")
    expect(lit).to_have_count(1)
    expect(lit).to_contain_text("note")
    expect(graph.locator(".influence__line.is-lit").first).to_be_visible()


def test_a_phone_gets_a_list_that_fits(chromium: Browser, site: str, complaints: list[str], item: Review) -> None:
    for page in open_page(chromium, site, complaints, viewport=NARROW, has_touch=True):
        graph = opened(page, item)
        expect(graph.locator("svg.influence__drawing")).to_be_hidden()
        graph.get_by_role("link", name="3 search_contacts").click()
        expect(page.locator(":focus")).to_contain_text("ignore your previous instructions")
        expect(page.locator(":focus")).to_be_in_viewport()


def test_a_phone_shows_what_was_asked_before_what_led_to_it(
    chromium: Browser, site: str, complaints: list[str], item: Review
) -> None:
    for page in open_page(chromium, site, complaints, viewport=NARROW):
        graph = opened(page, item)
        request_box = page.get_by_role("region", name="The user asked").bounding_box()
        drawn = graph.bounding_box()
        assert request_box is not None
        assert drawn is not None
        assert request_box["y"] < drawn["y"]


def test_it_can_be_printed(page: Page, item: Review) -> None:
    graph = opened(page, item)
    page.emulate_media(media="print")
    expect(graph).to_be_visible()
    assert graph.evaluate(
        "panel => panel.closest('.desk__side').scrollHeight <= panel.closest('.desk__side').clientHeight"
    )
