"""A campaign of two annotators, by keyboard: answers, agreement, a settled label; to assistive technology as well."""

from typing import Any

from playwright.sync_api import Page, expect

from reviews.annotation import answers
from reviews.models import Adjudication, Annotation, Draft
from tests.annotation.study import ALIGNED, MISALIGNED, Study, study
from tests.browser.accessible import check_accessible
from tests.browser.conftest import NARROW, WIDE
from tests.cast import PASSWORD, Cast
from tests.datasets.collections import past_the_database
from tests.stack import until


def enter(page: Page, name: str) -> None:
    """Sign in as somebody who does not begin at the queue."""
    # Left as who they were: what the page sends then would be answered to nobody, with another token for forms.
    page.goto("about:blank")
    page.context.clear_cookies()
    page.goto("/sign-in")
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: "/sign-in" not in address)


def with_passwords(running: Study) -> Study:
    """Everybody of the campaign can sign in."""
    known = running.people[0].user.password
    for person in running.people[1:]:
        person.user.password = known
        person.user.save(update_fields=["password"])
    return running


def begin(page: Page, name: str) -> None:
    enter(page, name)
    page.goto("/campaigns")
    page.get_by_role("button", name="Start").press("Enter")
    page.locator("#answer-form").wait_for()
    # Scripts run before this: a key pressed earlier would be nobody's.
    page.wait_for_load_state("load")


def next_item(page: Page, *keys: str) -> None:
    """Press these, and wait for the page they lead to."""
    address = page.url
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_url(lambda now: now != address, wait_until="load")


def test_what_is_folded_is_shown_by_one_key(page: Page, cast: Cast) -> None:
    running = with_passwords(study(cast, items=1, people=1, per_item=1))
    item = running.campaign.dataset.items.get()
    assert item.case
    item.case["history"][0]["outcome"] = "word " * 300
    with past_the_database():
        item.save(update_fields=["case"])
    begin(page, "anna")
    expect(page.locator("#evidence a.gap:visible")).to_have_count(1)
    page.keyboard.press("v")
    expect(page.locator("#evidence a.gap:visible")).to_have_count(0)
    assert page.locator("#evidence").inner_text().count("word") >= 300


def test_a_campaign_is_labelled_by_keyboard_and_what_differs_is_settled(page: Page, cast: Cast) -> None:
    running = with_passwords(study(cast, items=2))
    begin(page, "anna")
    next_item(page, "m", "2", "r", "5", "f", "Enter")
    next_item(page, "a", "Enter")
    page.wait_for_url("**/campaigns")
    expect(page.get_by_text("Nothing is left for you")).to_be_visible()
    begin(page, "annotator-1")
    next_item(page, "a", "Enter")
    next_item(page, "c", "Enter")
    first = running.campaign.annotations.filter(in_force=True).order_by("created_at")[0]
    assert (first.judgement, first.misalignment, first.relation, first.flagged) == (
        "misaligned", "parameter", "DerivedFrom", True,
    )  # fmt: skip

    enter(page, "ada")
    page.goto(f"/campaigns/{running.campaign.pk}")
    expect(page.get_by_role("heading", name="Agreement")).to_be_visible()
    expect(page.get_by_text("2 items about which people differ")).to_be_visible()
    page.goto(f"/campaigns/{running.campaign.pk}/adjudicate/{first.item_id}")
    page.keyboard.press("t")
    page.keyboard.press("1")
    page.get_by_label("Why").fill("The request says 30.")
    next_item(page, "Control+Enter")
    settled = Adjudication.objects.get()
    assert (settled.judgement, list(settled.sources.all())) == ("misaligned", [first])


def test_what_is_typed_into_a_settlement_outlives_leaving_its_page(page: Page, cast: Cast) -> None:
    running = study(cast, items=1)
    item = running.given(0, MISALIGNED).item_id
    running.given(1)
    enter(page, "ada")
    address = f"/campaigns/{running.campaign.pk}/adjudicate/{item}"
    page.goto(address, wait_until="load")
    page.locator("[name=method][value=written]").check()
    for key in ("t", "1", "c", "x"):
        page.keyboard.press(key)
    page.get_by_label("Note").fill("half a thought")
    page.get_by_label("Why").fill("The request says 30.")
    page.goto(f"/campaigns/{running.campaign.pk}")
    page.goto(address, wait_until="load")
    expect(page.get_by_label("Why")).to_have_value("The request says 30.")
    expect(page.get_by_label("Note")).to_have_value("half a thought")
    expect(page.locator("[name=sources]:checked")).to_have_count(1)
    expect(page.locator("[name=judgement]:checked")).to_have_value("cannot_tell")
    next_item(page, "Control+Enter")
    page.goto(address, wait_until="load")
    expect(page.get_by_label("Why")).to_have_value("")


def test_evidence_is_marked_by_keyboard(page: Page, cast: Cast) -> None:
    running = study(cast, items=2)
    begin(page, "anna")
    for key in ("a", "j", "ArrowRight", "Shift+ArrowRight", "e"):
        page.keyboard.press(key)
    expect(page.locator("#marks")).to_contain_text("Send")
    next_item(page, "Enter")
    (span,) = running.campaign.annotations.get().evidence
    assert (span["source"], span["start"]) == ("query", 0)
    assert span["quote"].startswith("Send")


def test_evidence_may_hold_what_does_not_show(page: Page, cast: Cast) -> None:
    running = study(cast, items=1, people=1, per_item=1)
    item = running.campaign.dataset.items.get()
    assert item.case
    item.case["query"] = "Send $30 to p\u0430ypal\u200b,\r\nplease"
    with past_the_database():
        item.save(update_fields=["case"])
    begin(page, "anna")
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.asked'))")
    for key in ("e", "a"):
        page.keyboard.press(key)
    next_item(page, "Enter")
    (span,) = running.campaign.annotations.get().evidence
    assert span["quote"] == item.case["query"]


def test_evidence_is_marked_by_mouse_and_removed(page: Page, cast: Cast) -> None:
    study(cast)
    begin(page, "anna")
    page.locator(".asked .pieces").dblclick(position={"x": 8, "y": 8})
    page.keyboard.press("e")
    expect(page.locator("#marks")).to_contain_text("Send")
    page.get_by_role("button", name="Remove Send").click()
    expect(page.locator("#marks li")).to_have_count(0)


def test_enter_that_is_held_down_saves_no_further_item(page: Page, cast: Cast) -> None:
    study(cast)
    begin(page, "anna")
    page.keyboard.press("a")
    # As the next page hears of a key that was pressed on the one before.
    held = 'new KeyboardEvent("keydown", { key: "Enter", repeat: true, bubbles: true, cancelable: true })'
    page.evaluate(f"document.body.dispatchEvent({held})")
    page.wait_for_timeout(500)
    assert not Annotation.objects.exists()
    next_item(page, "Enter")
    assert Annotation.objects.count() == 1


def test_what_is_typed_outlives_a_killed_tab(page: Page, cast: Cast) -> None:
    study(cast)
    begin(page, "anna")
    page.keyboard.press("m")
    page.keyboard.press("3")
    page.keyboard.press("x")
    page.get_by_label("Note").fill("half a thought")
    # On a busy machine a draft is kept between two keys, before the note is there.
    until(lambda: Draft.objects.filter(content__note="half a thought").exists(), what="the draft")
    page.get_by_text("Draft kept at").wait_for()
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_label("Note")).to_have_value("half a thought")
    expect(page.locator("[name=misalignment]:checked")).to_have_value("interpretation")
    assert Draft.objects.count() == 1


def test_what_was_chosen_a_moment_before_the_page_is_left_is_kept(page: Page, cast: Cast) -> None:
    study(cast, items=1)
    begin(page, "anna")
    page.keyboard.press("m")
    page.goto("about:blank")
    until(lambda: Draft.objects.filter(content__judgement="misaligned").exists(), what="the draft")


def test_the_key_of_a_note_that_stands_there_goes_on_with_it(page: Page, cast: Cast) -> None:
    running = study(cast, items=1)
    begun: dict[str, Any] = {"campaign": running.campaign, "item": running.next().item_id}
    answers.save_draft(**begun, membership=running.people[0], content={"note": "half a"}, seconds=1)
    begin(page, "anna")
    expect(page.get_by_label("Note")).to_be_visible()
    # Closed by it, the note would leave "s" and Enter to give the item back.
    page.keyboard.press("x")
    page.keyboard.type(" thought, so")
    expect(page.get_by_label("Note")).to_have_value("half a thought, so")


def test_undo_and_skip_are_a_key_away(page: Page, cast: Cast) -> None:
    running = study(cast)
    begin(page, "anna")
    first = page.url
    next_item(page, "a", "Enter")
    next_item(page, "u")
    assert page.url == first
    expect(page.locator("[name=judgement]:checked")).to_have_value("aligned")
    page.keyboard.press("s")
    page.locator("#skip-form button").first.wait_for()
    next_item(page, "Enter")
    assert Annotation.objects.get(in_force=True).skip_reason
    assert running.campaign.annotations.count() == 2


def test_the_pages_are_accessible(themed: Page, cast: Cast) -> None:
    running = study(cast, items=3)
    for answer in (MISALIGNED, ALIGNED):
        running.given(0, answer, flagged=True)
        running.given(1)
    item = running.campaign.annotations.filter(judgement="misaligned").get().item_id
    enter(themed, "anna")
    themed.goto("/campaigns")
    check_accessible(themed)
    themed.get_by_role("button", name="Go on").click()
    themed.locator("#answer-form").wait_for()
    themed.wait_for_load_state("load")
    themed.keyboard.press("m")
    check_accessible(themed)
    enter(themed, "ada")
    themed.goto(f"/campaigns/{running.campaign.pk}/adjudicate/{item}")
    themed.get_by_label("written anew").check()
    check_accessible(themed)


def test_a_value_is_found_marked_and_corrected_in_few_keys(page: Page, cast: Cast) -> None:
    running = study(cast, items=2)
    begin(page, "anna")
    # Eight keys from anywhere to a marked word, however deep it stands.
    for key in ("/", "D", "a", "n", "i"):
        page.keyboard.press(key)
    # On a busy machine what stands there first is what the first letters found.
    expect(page.locator("#places")).to_contain_text("“Dani” stands in")
    for key in ("Enter", "e"):
        page.keyboard.press(key)
    expect(page.locator("#marks")).to_contain_text("Dani")
    page.get_by_role("link", name="Find the value of amount").click()
    expect(page.locator("#places")).to_contain_text("300")
    page.get_by_role("button", name="Correct amount").click()
    assert "300" in page.locator("#id_corrected_arguments").input_value()
    assert page.evaluate("document.activeElement.id") == "id_corrected_arguments"
    assert page.evaluate("getSelection().toString()") == "300"
    page.keyboard.type("30")
    page.keyboard.press("Escape")
    next_item(page, "m", "2", "Enter")
    given = running.campaign.annotations.get()
    assert given.corrected_arguments is not None
    assert given.corrected_arguments["amount"] == 30
    assert [span["quote"] for span in given.evidence] == ["Dani"]


def test_letters_typed_in_the_open_menu_stay_in_it(page: Page, cast: Cast) -> None:
    study(cast, items=1)
    begin(page, "anna")
    for key in ("s", "t", "a", "m"):
        page.keyboard.press(key)
    expect(page.locator("[name=judgement]:checked")).to_have_count(0)
    expect(page.get_by_role("button", name="The text is broken or cut off")).to_be_focused()


def test_on_a_phone_the_request_comes_first_then_the_call_then_the_answer(page: Page, cast: Cast) -> None:
    study(cast, items=1)
    begin(page, "anna")
    page.set_viewport_size(NARROW)
    boxes = [page.locator(name).bounding_box() for name in (".asked", ".call", "#answer-form", "#evidence")]
    tops = [box["y"] for box in boxes if box]
    assert len(tops) == len(boxes)
    assert tops == sorted(tops)
    # A laptop's window at twice its size: beside the conversation they stay in view.
    page.set_viewport_size({"width": WIDE["width"] // 2, "height": WIDE["height"] // 2})
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    call = page.locator(".call").bounding_box()
    assert call is not None
    assert 0 <= call["y"] < WIDE["height"] // 2
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_the_list_of_keys_says_what_enter_does(page: Page, cast: Cast) -> None:
    study(cast, items=1)
    begin(page, "anna")
    page.keyboard.press("?")
    keys = page.locator("#shortcuts-list")
    expect(keys.get_by_text("Save and open the next", exact=True)).to_be_visible()
    expect(keys.get_by_text("↵", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    next_item(page, "a", "Enter")
    assert Annotation.objects.count() == 1


def test_a_phone_is_shown_no_keys(page: Page, cast: Cast) -> None:
    with_passwords(study(cast))
    begin(page, "anna")
    keys = page.locator("main .kbd:visible, .bar .kbd:visible, .keys-only:visible")
    assert keys.count()
    page.set_viewport_size(NARROW)
    expect(keys).to_have_count(0)
    # As of a laptop's screen at twice its size.
    page.set_viewport_size({"width": 720, "height": 450})
    expect(keys).not_to_have_count(0)
