"""A known item between others, as a browser meets it."""

from playwright.sync_api import Page, expect

from reviews.decisions import call_audits, decide
from reviews.models import Canary
from reviews.queue import canaries
from tests.browser.accessible import check_accessible
from tests.browser.conftest import in_view, sign_in
from tests.cast import Cast, flagged


def test_a_known_item_is_answered_by_keys_and_tells_what_it_was(page: Page, cast: Cast) -> None:
    known = flagged(cast, trace_id="conv-7").action
    decide.decide_action(action=known, choice=decide.Reject("No."), membership=cast.other_reviewer)
    call_audits.judge_audit(action=known, membership=cast.admin, aligned=False)
    canaries.set_rate(membership=cast.admin, percent=10)
    first = flagged(cast)
    flagged(cast, trace_id="conv-8")
    canary = Canary.objects.create(
        workspace=cast.workspace,
        action=known,
        user=cast.reviewer.user,
        is_aligned=False,
        behind=first,
        expires_at=first.due_at,
    )
    sign_in(page, at=f"/reviews/{canary.pk}")
    in_view(page)
    expect(page.locator("#state")).to_contain_text("claimed by you")
    page.keyboard.press("r")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("A known item, answered as it was settled")
    check_accessible(page)
    page.keyboard.press("j")
    expect(page.locator("#state")).to_contain_text("claimed by you")
    for path in ("/notifications", "/overview/own"):
        page.goto(path)
        check_accessible(page)
