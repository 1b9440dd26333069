"""What passed is found, read and judged, by keyboard."""

import pytest
from playwright.sync_api import Page, expect

from reviews.models import Action, Label
from reviews.profiles import versions
from tests.browser.conftest import sign_in
from tests.cast import RIGHT, UNCLEAR, Cast, propose
from tests.jobs import run_checks
from tests.stack import until

# Nothing is judged by a key, either, before it can have been seen.
IN_VIEW = 'body[data-in-view="yes"]'


def passed(cast: Cast, trace_id: str) -> Action:
    """A call that nobody could establish, that passed and was drawn for audit."""
    action = propose(cast, RIGHT, UNCLEAR, trace_id=trace_id)
    run_checks(action.pk)
    return action


@pytest.fixture
def cast(cast: Cast) -> Cast:
    versions.new_version(membership=cast.admin, audit_rate=1.0)
    return cast


def test_a_wrong_call_is_found_and_labelled_with_what_let_it_pass(page: Page, cast: Cast) -> None:
    passed(cast, "fine")
    wrong = passed(cast, "a-wrong-one")
    sign_in(page)
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.wait_for_url("**/actions")
    page.keyboard.press("/")
    page.keyboard.type("wrong-one")
    expect(page.locator(".row-link")).to_have_count(1)
    page.keyboard.press("Enter")
    # The list comes anew and takes the focus: a key pressed before would go to a row that is gone.
    expect(page.locator(".row-link")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/actions/{wrong.pk}")
    expect(page.get_by_role("heading", name="Why it passed")).to_be_visible()
    page.locator(IN_VIEW).wait_for()
    page.keyboard.press("w")
    page.get_by_label("What was wrong?").select_option("parameter")
    page.get_by_label("What let it pass?").select_option(index=1)
    page.get_by_label("Note").fill("Nobody asked for it.")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Labelled as wrong").wait_for()
    label = Label.objects.get()
    assert (label.misalignment, label.note, label.rule != "") == ("parameter", "Nobody asked for it.", True)


def test_the_audit_queue_is_worked_through_by_one_key_a_call(page: Page, cast: Cast) -> None:
    passed(cast, "one")
    passed(cast, "two")
    sign_in(page, at="/audit")
    page.keyboard.press("s")
    page.wait_for_url("**/actions/*?audit=1")
    first = page.url
    page.locator(IN_VIEW).wait_for()
    page.keyboard.press("y")
    page.wait_for_url(lambda url: "audit=1" in url and url != first)
    page.locator(IN_VIEW).wait_for()
    page.keyboard.press("y")
    page.wait_for_url("**/audit")
    page.get_by_text("Nothing is left to audit").wait_for()
    until(lambda: Label.objects.filter(aligned=True).count() == 2, what="both labels")
