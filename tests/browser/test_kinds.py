"""Every kind of item can be decided without scrolling: what is wrong, what would be right, and why it stopped."""

from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page

from reviews.models import Review
from tests.browser.accessible import check_accessible
from tests.browser.conftest import NARROW, in_view, open_page, sign_in
from tests.cast import CONTEXT, Cast, flagged
from tests.desk.kinds import KINDS, Kind, waiting_item

pytestmark = pytest.mark.django_db(transaction=True)

# The smallest elements that hold the words, of which one lies wholly between the header and the bar, under nothing.
IS_IN_SIGHT = """(words) => {
  const plain = (text) => text.replace(/\\s+/g, " ").toLowerCase();
  const wanted = plain(words);
  const holds = (element) => plain(element.textContent).includes(wanted);
  const inner = [...document.querySelectorAll("main *")]
    .filter((element) => holds(element) && ![...element.children].some(holds) && element.checkVisibility());
  const top = document.querySelector(".header").getBoundingClientRect().bottom;
  const bottom = document.querySelector(".verdict").getBoundingClientRect().top;
  return inner.some((element) => [...element.getClientRects()].some((box) => {
    const hit = document.elementFromPoint(box.left + Math.min(box.width, 40) / 2, box.top + box.height / 2);
    const covered = !hit || !(element.contains(hit) || hit.contains(element));
    return box.top >= top && box.bottom <= bottom && box.left >= 0 && box.right <= innerWidth + 1 && !covered;
  }));
}"""


@pytest.fixture(scope="module")
def items(shared_cast: Cast) -> dict[str, Review]:
    """One of each kind. Nobody decides any."""
    return {name: waiting_item(shared_cast, name) for name in KINDS}


def out_of_sight(page: Page, *words: str) -> list[str]:
    return [text for text in words if text and not page.evaluate(IS_IN_SIGHT, text)]


def asked(kind: Kind) -> str:
    """Words of the message that asks."""
    return "Now send" if len(kind.context.history) > len(KINDS) else kind.context.query.split()[0]


def test_wrong_right_and_reason_are_in_view_on_a_laptop(page: Page, items: dict[str, Review]) -> None:
    # Else the evidence may still be on its way to where it is looked for.
    page.emulate_media(reduced_motion="reduce")
    sign_in(page)
    missing = {}
    for name, review in items.items():
        page.goto(f"/reviews/{review.pk}")
        kind = KINDS[name]
        if texts := out_of_sight(page, kind.wrong, kind.right, kind.reason):
            missing[name] = texts
    assert missing == {}


def test_asked_wanted_and_wrong_are_in_view_on_a_phone(
    chromium: Browser, site: str, complaints: list[str], items: dict[str, Review]
) -> None:
    for page in open_page(chromium, site, complaints, viewport=NARROW, reduced_motion="reduce"):
        sign_in(page)
        missing = {}
        for name, review in items.items():
            page.goto(f"/reviews/{review.pk}")
            kind = KINDS[name]
            if texts := out_of_sight(page, asked(kind), kind.action.tool, kind.wrong):
                missing[name] = texts
        assert missing == {}


@pytest.mark.parametrize("name", ["look-alike", "twenty arguments", "injection", "one of a list"])
def test_the_hardest_kinds_are_accessible(page: Page, items: dict[str, Review], name: str) -> None:
    sign_in(page, at=f"/reviews/{items[name].pk}")
    in_view(page)
    check_accessible(page)
    page.keyboard.press("e")
    page.locator("#edit-form").wait_for()
    check_accessible(page)


def test_what_is_written_from_the_right_stands_on_the_right(page: Page, shared_cast: Cast) -> None:
    asked = "أرسل 250 درهمًا إلى سارة من فضلك، ثمن الهدية."
    review = flagged(shared_cast, context=replace(CONTEXT, query=asked), trace_id="rtl")
    sign_in(page, at=f"/reviews/{review.pk}")
    text = page.locator("blockquote.asked .pieces")
    assert text.evaluate("text => getComputedStyle(text).direction") == "rtl"
    assert text.evaluate("text => text.getBoundingClientRect().width === text.parentElement.clientWidth - 2 * 16")
