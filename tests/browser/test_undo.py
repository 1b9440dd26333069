"""An approval is taken back within its hold, by key, by click, and with scripts switched off."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from reviews.models import Action, Decision, Status
from reviews.profiles import versions
from tests.browser.conftest import approve, in_view, open_page, sign_in
from tests.cast import MILD, Cast, flagged
from tests.stack import until

HELD = ".toast--held"
# So long that a busy browser shows the next page meanwhile.
HOLD_SECONDS = 30


@pytest.fixture
def cast(cast: Cast) -> Cast:
    versions.new_version(membership=cast.admin, hold_seconds=HOLD_SECONDS)
    return cast


@pytest.fixture
def plain(chromium: Browser, site: str, complaints: list[str]) -> Iterator[Page]:
    """A page without any script."""
    yield from open_page(chromium, site, complaints, java_script_enabled=False)


def test_a_key_takes_the_last_approval_back_from_the_next_item(page: Page, cast: Cast) -> None:
    first, second = flagged(cast), flagged(cast, trace_id="second")
    sign_in(page, at=f"/reviews/{first.pk}")
    approve(page)
    page.wait_for_url(f"**/reviews/{second.pk}")
    expect(page.locator(HELD)).to_contain_text("Approved money_transfer")
    page.keyboard.press("z")
    page.wait_for_url(f"**/reviews/{first.pk}")
    page.get_by_text("Taken back").wait_for()
    page.get_by_text("claimed by you").wait_for()
    assert Decision.objects.get().withdrawn_at is not None
    assert Action.objects.get(pk=first.action_id).status == Status.PENDING


def test_the_key_says_that_a_rejection_is_final(page: Page, cast: Cast) -> None:
    item = flagged(cast)
    sign_in(page, at=f"/reviews/{item.pk}")
    in_view(page)
    page.keyboard.press("r")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/queue")
    for _ in range(2):
        page.keyboard.press("z")
    expect(page.get_by_text("A rejection is final, because the agent has been told.")).to_have_count(1)


def test_the_key_takes_no_earlier_approval_back_behind_a_rejection(page: Page, cast: Cast) -> None:
    approved, rejected = flagged(cast), flagged(cast, trace_id="second")
    sign_in(page, at=f"/reviews/{approved.pk}")
    approve(page)
    page.wait_for_url(f"**/reviews/{rejected.pk}")
    in_view(page)
    page.keyboard.press("r")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/queue")
    expect(page.locator(HELD)).to_contain_text("Approved money_transfer")
    page.keyboard.press("z")
    page.get_by_text("A rejection is final, because the agent has been told.").wait_for()
    assert Decision.objects.get(action=approved.action_id).withdrawn_at is None
    page.locator(HELD).get_by_role("button", name="Undo").click()
    page.wait_for_url(f"**/reviews/{approved.pk}")


def test_the_offer_ends_when_the_agent_is_told(page: Page, cast: Cast) -> None:
    page.clock.install()
    item = flagged(cast)
    sign_in(page, at=f"/reviews/{item.pk}")
    approve(page)
    page.wait_for_url("**/queue")
    expect(page.locator(HELD).get_by_role("button", name="Undo")).to_be_visible()
    # Of each number the page is sure for a second only, and it is looked at less often than that.
    expect(page.locator(HELD)).to_contain_text(re.compile(r"the agent is told in ([12]?[1-9]|[123]0) s"))
    page.clock.fast_forward(1000 * HOLD_SECONDS)
    expect(page.locator(HELD).get_by_role("button", name="Undo")).to_have_count(0)


def test_without_scripts_a_grave_call_is_asked_for_twice_and_can_be_taken_back(plain: Page, cast: Cast) -> None:
    item = flagged(cast)
    sign_in(plain, at=f"/reviews/{item.pk}")
    plain.wait_for_timeout(700)
    plain.locator("#approve").click()
    plain.wait_for_url(f"**/reviews/{item.pk}/approve")
    assert not Decision.objects.exists()
    plain.wait_for_timeout(700)
    plain.get_by_role("button", name="Approve and send 300").click()
    plain.wait_for_url("**/queue")
    until(lambda: Decision.objects.filter(held_until__isnull=False).exists(), what="the held approval")
    plain.get_by_role("button", name="Undo").click()
    plain.get_by_text("Taken back").wait_for()
    assert Decision.objects.get().withdrawn_at is not None


def test_without_scripts_each_other_decision_is_one_form(plain: Page, cast: Cast) -> None:
    item = flagged(cast, MILD)
    sign_in(plain)
    plain.get_by_role("link", name="label_note").click()
    plain.wait_for_timeout(700)
    plain.locator("summary", has_text="Reject").click()
    plain.locator("#reject-message").fill("Nobody asked for a note.")
    plain.get_by_role("button", name="Reject label_note").click()
    plain.wait_for_url("**/queue")
    assert Decision.objects.get(action=item.action_id).message == "Nobody asked for a note."


def test_toasts_that_come_and_go_move_nothing(page: Page, cast: Cast) -> None:
    first = flagged(cast)
    flagged(cast, trace_id="second")
    sign_in(page, at=f"/reviews/{first.pk}")
    approve(page)
    page.locator(HELD).wait_for()
    for size in ((1440, 900), (1024, 768)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        before = page.locator("#main").bounding_box()
        for number in range(4):
            text = f"Number {number} of what is told in more words than there is room for in a header. " * 2
            page.evaluate(TELL, text)
        expect(page.locator(".toast--good")).to_have_count(2)
        assert page.locator("#main").bounding_box() == before
        assert page.evaluate(COVERED) == []


def test_no_toast_lies_over_a_button(page: Page, cast: Cast) -> None:
    first = flagged(cast)
    flagged(cast, trace_id="second")
    sign_in(page, at=f"/reviews/{first.pk}")
    approve(page)
    page.locator(HELD).wait_for()
    for size in ((1440, 900), (1024, 768), (390, 844)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        in_view(page)
        assert page.evaluate(COVERED) == []


TELL = "text => document.dispatchEvent(new CustomEvent('toast', {detail: {text, kind: 'good'}}))"
"""Show a toast that says this."""
COVERED = """() => {
  const toasts = [...document.querySelectorAll(".toast")].map((toast) => toast.getBoundingClientRect());
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  return [...document.querySelectorAll("button, a.btn, summary.btn, .nav__link")]
    .filter((button) => !button.closest(".toast") && button.checkVisibility())
    .filter((button) => toasts.some((toast) => !apart(toast, button.getBoundingClientRect())))
    .map((button) => button.textContent.trim());
}"""
"""What can be pressed and lies under a toast, in words."""
