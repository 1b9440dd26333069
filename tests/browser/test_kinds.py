"""Every kind of item can be decided without scrolling: what is wrong, what would be right, and why it stopped."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import NARROW, in_view, open_page, sign_in
from tests.browser.test_accessibility import check_accessible
from tests.cast import Cast
from tests.desk.kinds import KINDS, Kind, waiting_item

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


def out_of_sight(page: Page, *words: str) -> list[str]:
    return [text for text in words if text and not page.evaluate(IS_IN_SIGHT, text)]


def asked(kind: Kind) -> str:
    """Words of the message that asks."""
    return "Now send" if len(kind.context.history) > len(KINDS) else kind.context.query.split()[0]


def test_wrong_right_and_reason_are_in_view_on_a_laptop(page: Page, cast: Cast) -> None:
    items = {name: waiting_item(cast, name) for name in KINDS}
    page.set_viewport_size({"width": 1440, "height": 900})
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
    chromium: Browser, site: str, complaints: list[str], cast: Cast
) -> None:
    items = {name: waiting_item(cast, name) for name in KINDS}
    for page in open_page(chromium, site, complaints, viewport=NARROW, reduced_motion="reduce"):
        sign_in(page)
        missing = {}
        for name, review in items.items():
            page.goto(f"/reviews/{review.pk}")
            kind = KINDS[name]
            if texts := out_of_sight(page, asked(kind), kind.action.tool, kind.wrong):
                missing[name] = texts
        assert missing == {}


@pytest.mark.parametrize("name", ["look-alike", "twenty arguments", "injection"])
def test_the_hardest_kinds_are_accessible(page: Page, cast: Cast, name: str) -> None:
    review = waiting_item(cast, name)
    sign_in(page)
    page.goto(f"/reviews/{review.pk}")
    in_view(page)
    check_accessible(page)
    page.keyboard.press("e")
    page.locator("#edit-form").wait_for()
    check_accessible(page)


def test_one_key_puts_right_and_another_sends(page: Page, cast: Cast) -> None:
    review = waiting_item(cast, "other amount")
    sign_in(page)
    page.goto(f"/reviews/{review.pk}")
    in_view(page)
    page.keyboard.press("1")
    expect(page.get_by_label("amount", exact=True)).to_have_value("30")
    expect(page.get_by_role("button", name="Send edited call")).to_be_focused()
    with page.expect_response("**/decide"):
        page.keyboard.press("Enter")
    decision = review.action.decisions.get()
    assert (decision.outcome, decision.arguments["amount"]) == ("edit", 30)


def test_a_draft_survives_escape_and_reload(page: Page, cast: Cast) -> None:
    review = waiting_item(cast, "mistyped")
    sign_in(page)
    page.goto(f"/reviews/{review.pk}")
    in_view(page)
    page.keyboard.press("e")
    # The editor puts the focus on the value at fault once it stands; what is typed before would go there.
    expect(page.get_by_label("to", exact=True)).to_be_focused()
    page.get_by_label("amount", exact=True).fill("31")
    page.keyboard.press("Escape")
    page.reload()
    in_view(page)
    page.keyboard.press("e")
    expect(page.get_by_label("amount", exact=True)).to_have_value("31")


def test_asking_the_user_opens_the_answer_with_the_question(page: Page, cast: Cast) -> None:
    review = waiting_item(cast, "two Daniels")
    sign_in(page)
    page.goto(f"/reviews/{review.pk}")
    in_view(page)
    page.keyboard.press("2")
    expect(page.locator("#respond-message")).to_have_value(
        "Ask the user which “to” is meant: “daniel.ko@example.org” or “daniel.kim@example.org”."
    )
