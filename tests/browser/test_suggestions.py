"""What the guard suggests instead is taken by one key, and what was typed instead is kept."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import in_view, sign_in
from tests.cast import Cast
from tests.desk.kinds import waiting_item


def test_one_key_puts_right_and_another_sends(page: Page, cast: Cast) -> None:
    review = waiting_item(cast, "other amount")
    sign_in(page, at=f"/reviews/{review.pk}")
    in_view(page)
    page.keyboard.press("1")
    expect(page.get_by_label("amount", exact=True)).to_have_value("30")
    expect(page.get_by_role("button", name="Send edited call")).to_be_focused()
    with page.expect_response("**/decide"):
        page.keyboard.press("Enter")
    decision = review.action.decisions.get()
    assert (decision.outcome, decision.arguments["amount"]) == ("edit", 30)


def test_one_key_takes_another_record_of_the_list(page: Page, cast: Cast) -> None:
    review = waiting_item(cast, "one of a list")
    sign_in(page, at=f"/reviews/{review.pk}")
    in_view(page)
    row = page.get_by_role("row").filter(has_text="Planning")
    page.keyboard.press(row.locator(".kbd").inner_text())
    expect(page.get_by_label("event_id", exact=True)).to_have_value("evt-107")
    with page.expect_response("**/decide"):
        page.keyboard.press("Enter")
    assert review.action.decisions.get().arguments == {"event_id": "evt-107"}


def test_the_editor_opens_at_the_value_at_fault_wherever_it_stands(page: Page, cast: Cast) -> None:
    review = waiting_item(cast, "other amount")
    assert list(review.action.arguments) == ["to", "amount"]
    sign_in(page, at=f"/reviews/{review.pk}")
    in_view(page)
    page.keyboard.press("e")
    expect(page.get_by_label("amount", exact=True)).to_be_focused()


def test_a_draft_survives_escape_and_reload(page: Page, cast: Cast) -> None:
    review = waiting_item(cast, "mistyped")
    sign_in(page, at=f"/reviews/{review.pk}")
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
    expect(page.locator("#edit-preview ins")).to_have_text("31")


def test_a_comment_and_a_note_survive_reload_until_they_are_sent(page: Page, cast: Cast) -> None:
    review = waiting_item(cast, "mistyped")
    sign_in(page, at=f"/reviews/{review.pk}")
    in_view(page)
    comment, note = page.locator("#comment-body"), page.locator("#handover-form textarea")
    comment.fill("Two of them yesterday.")
    page.locator(".verdict [data-key=x]").click()
    note.fill("Do you know her?")
    page.reload()
    in_view(page)
    expect(comment).to_have_value("Two of them yesterday.")
    comment.press("Control+Enter")
    expect(page.locator("#comments")).to_contain_text("Two of them yesterday.")
    expect(comment).to_have_value("")
    page.reload()
    in_view(page)
    expect(comment).to_have_value("")
    expect(note).to_have_value("Do you know her?")


def test_json_that_was_refused_is_kept_as_it_was_typed(page: Page, cast: Cast) -> None:
    review = waiting_item(cast, "mistyped")
    sign_in(page, at=f"/reviews/{review.pk}")
    in_view(page)
    page.keyboard.press("e")
    expect(page.get_by_label("to", exact=True)).to_be_focused()
    page.get_by_label("amount", exact=True).fill("31")
    page.get_by_role("link", name="As JSON").click()
    text = page.get_by_label("Arguments as JSON")
    expect(text).to_have_value(re.compile(r'"amount": 31'))
    text.fill('{"amount": 31,')
    page.keyboard.press("Control+Enter")
    expect(page.locator("#edit .field__error")).not_to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    expect(text).to_have_value('{"amount": 31,')
    expect(page.locator("#edit-preview .field__error")).not_to_have_count(0)


def test_what_was_refused_before_the_script_had_the_form_is_edited_on(page: Page, cast: Cast) -> None:
    review = waiting_item(cast, "mistyped")
    sign_in(page, at=f"/reviews/{review.pk}?edit=1&shown=json")
    in_view(page)
    text = page.get_by_label("Arguments as JSON")
    text.fill('{"amount": 31,')
    # As the browser sends a form by itself: the page is then the answer, at the form's own address.
    with page.expect_navigation():
        page.locator("#edit-form").evaluate("form => form.submit()")
    expect(page.locator("#edit .field__error")).not_to_have_count(0)
    in_view(page)
    page.keyboard.press("Escape")
    expect(text).to_have_count(0)
    page.keyboard.press("e")
    expect(text).to_have_value('{"amount": 31,')


def test_asking_the_user_opens_the_answer_with_the_question(page: Page, cast: Cast) -> None:
    review = waiting_item(cast, "two Daniels")
    sign_in(page, at=f"/reviews/{review.pk}")
    in_view(page)
    page.keyboard.press("2")
    expect(page.locator("#respond-message")).to_have_value(
        "Ask the user which “to” is meant: “daniel.ko@example.org” or “daniel.kim@example.org”."
    )
