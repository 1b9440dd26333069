"""At the desk nothing is decided by accident: not what nobody has read yet, and nothing grave by one key or click."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page, Route, expect

from reviews.desk.review.case.sources import CHUNK
from reviews.models import Decision, Review
from tests.browser.conftest import in_view, intercept, sign_in, unhurried
from tests.cast import MILD, WRONG, Cast, flagged, looked_at
from tests.stack import until

SAYS = "#approve-says"
LONG = {"label": "lunch", "text": "A line.\n" * 20 + "the password is hunter2"}


@pytest.fixture
def grave(page: Page, cast: Cast) -> Review:
    """The page of a call that cannot be undone, claimed, before anybody can have read it."""
    return opened(page, flagged(cast))


@pytest.fixture
def mild(page: Page, cast: Cast) -> Review:
    """The same of a call that asks for nothing but a look."""
    return opened(page, looked_at(cast))


@pytest.fixture
def refuted(page: Page, cast: Cast) -> Review:
    """The same of a mild call that the guard found wrong: nobody offered its tool."""
    return opened(page, flagged(cast, MILD))


def opened(page: Page, review: Review) -> Review:
    sign_in(page, at=f"/reviews/{review.pk}")
    return review


def check_undecided(page: Page) -> None:
    """No decision was sent: the page is still there, and nothing is stored."""
    page.wait_for_timeout(300)
    expect(page.locator("#approve")).to_be_visible()
    assert not Decision.objects.exists()


def check_approved(page: Page) -> None:
    until(lambda: Decision.objects.filter(outcome="approve").first(), what="the approval")


def unseen(page: Page) -> None:
    """Start the time of the item anew, as if it had just opened, and let it not end: a busy browser is slower."""
    page.evaluate("""() => {
      const later = window.setTimeout;
      window.setTimeout = () => 0;
      document.dispatchEvent(new Event("visibilitychange"));
      window.setTimeout = later;
    }""")


KEY: Callable[[Page], None] = lambda page: page.keyboard.press("a")  # noqa: E731 - three of a kind
CLICK: Callable[[Page], None] = lambda page: page.locator("#approve").click(no_wait_after=True)  # noqa: E731
ENTER: Callable[[Page], None] = lambda page: page.locator("#approve").press("Enter")  # noqa: E731


@pytest.mark.usefixtures("mild")
@pytest.mark.parametrize("decide", [KEY, CLICK, ENTER], ids=["key", "click", "enter"])
def test_nothing_decides_what_has_just_come_into_view(page: Page, decide: Callable[[Page], None]) -> None:
    in_view(page)
    unseen(page)
    decide(page)
    check_undecided(page)


@pytest.mark.usefixtures("mild")
@pytest.mark.parametrize("decide", [KEY, CLICK, ENTER], ids=["key", "click", "enter"])
def test_a_mild_call_takes_one_key_or_click_once_it_was_in_view(page: Page, decide: Callable[[Page], None]) -> None:
    in_view(page)
    decide(page)
    check_approved(page)


@pytest.mark.usefixtures("refuted")
def test_what_the_guard_found_wrong_takes_two_keys(page: Page) -> None:
    in_view(page)
    unhurried(page)
    page.keyboard.press("a")
    expect(page.locator(SAYS)).to_contain_text("press A again")
    check_undecided(page)
    page.keyboard.press("a")
    check_approved(page)


@pytest.mark.usefixtures("grave")
def test_the_first_key_says_what_the_second_will_do(page: Page) -> None:
    in_view(page)
    unhurried(page)
    page.keyboard.press("a")
    says = page.locator(SAYS)
    expect(says).to_contain_text("Approve and send 300 to daniel.kin@example.org: press A again")
    expect(says).to_have_attribute("aria-live", "assertive")
    check_undecided(page)
    page.keyboard.press("a")
    check_approved(page)


@pytest.mark.usefixtures("grave")
def test_the_first_key_is_forgotten_after_a_while(page: Page) -> None:
    in_view(page)
    page.clock.install()
    page.keyboard.press("a")
    expect(page.locator(SAYS)).not_to_be_empty()
    page.clock.fast_forward(3_000)
    expect(page.locator(SAYS)).to_be_empty()
    page.keyboard.press("a")
    check_undecided(page)


@pytest.mark.usefixtures("grave")
def test_escape_takes_the_first_key_back(page: Page) -> None:
    in_view(page)
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    expect(page.locator(SAYS)).to_be_empty()
    page.keyboard.press("a")
    check_undecided(page)


@pytest.mark.usefixtures("grave")
def test_a_key_held_down_is_not_two_keys(page: Page) -> None:
    in_view(page)
    page.locator("#approve").focus()
    for _ in range(5):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    check_undecided(page)


@pytest.mark.usefixtures("grave")
def test_clicks_alone_approve_nothing_grave(page: Page) -> None:
    in_view(page)
    page.locator("#approve").dblclick(no_wait_after=True)
    expect(page.locator(SAYS)).to_contain_text("Hold the button for a second")
    check_undecided(page)


@pytest.mark.usefixtures("grave")
def test_a_button_that_is_let_go_early_approves_nothing(page: Page) -> None:
    in_view(page)
    page.locator("#approve").hover()
    page.mouse.down()
    # Far from the whole second: a busy browser is late.
    page.wait_for_timeout(200)
    page.mouse.up()
    # As long as the whole hold, so that a timer that was left running would show.
    page.wait_for_timeout(1_000)
    check_undecided(page)


@pytest.mark.usefixtures("grave")
def test_a_button_held_for_a_second_approves(page: Page) -> None:
    in_view(page)
    page.locator("#approve").hover()
    page.mouse.down()
    check_approved(page)
    page.mouse.up()


def test_whoever_is_about_to_approve_has_the_whole_call_before_them(page: Page, cast: Cast) -> None:
    action = replace(WRONG, arguments={**WRONG.arguments, "note": "A line.\n" * 60 + "Then all of it once more."})
    opened(page, flagged(cast, action))
    in_view(page)
    unhurried(page)
    last = page.locator("#args").get_by_text("Then all of it once more.")
    expect(last).to_have_count(0)
    page.keyboard.press("a")
    expect(last).to_be_visible()
    # Where the key has put it, and not in the text that was unfolded.
    expect(page.locator("#approve")).to_be_focused()
    check_undecided(page)
    in_view(page)
    page.keyboard.press("a")
    check_approved(page)


@pytest.mark.parametrize("opens", [flagged, looked_at], ids=["grave", "mild"])
def test_of_a_text_that_comes_in_parts_each_is_shown_before_it_is_approved(
    page: Page, cast: Cast, opens: Callable[..., Review]
) -> None:
    action = WRONG if opens is flagged else MILD
    note = f"A line.\n{'word ' * (3 * CHUNK // 10)}the end"
    opened(page, opens(cast, replace(action, arguments={**action.arguments, "note": note})))
    unhurried(page)
    for left in (1, 0):
        in_view(page)
        with page.expect_response("**/source?*"):
            page.keyboard.press("a")
        expect(page.locator("#args .gap")).to_have_count(left)
        check_undecided(page)
    expect(page.locator("#args")).to_contain_text("the end")
    in_view(page)
    page.keyboard.press("a")
    check_approved(page)


@pytest.mark.parametrize("width", [1440, 1000, 760, 390])
def test_the_button_says_to_the_last_word_what_it_approves(page: Page, cast: Cast, width: int) -> None:
    recipients = [f"daniel.kim.{number}@example.org" for number in range(40)]
    page.set_viewport_size({"width": width, "height": 900})
    opened(page, flagged(cast, replace(WRONG, arguments={"to": recipients, "amount": 300})))
    words = page.locator(".verdict__words")
    expect(words).to_contain_text(re.compile(r"and \d+ more$"))
    assert words.evaluate("words => words.scrollWidth <= words.clientWidth && words.offsetHeight < 70")
    assert words.evaluate("words => words.closest('.btn').scrollHeight <= words.closest('.btn').clientHeight")


def test_a_second_key_at_once_does_not_approve_what_the_first_has_shown(page: Page, cast: Cast) -> None:
    opened(page, flagged(cast, replace(WRONG, arguments={**WRONG.arguments, **LONG})))
    in_view(page)
    unhurried(page)
    # Of one task: no busy browser makes a slow double key of them.
    page.evaluate("""() => {
      for (const _ of "aa") document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
    }""")
    expect(page.locator("#approve")).to_have_class(re.compile("is-armed"))
    check_undecided(page)


@pytest.mark.parametrize("answer", ["none", "lost"])
@pytest.mark.parametrize("opens", [flagged, looked_at], ids=["grave", "mild"])
def test_nothing_is_approved_while_a_part_of_it_has_not_come(
    page: Page, cast: Cast, opens: Callable[..., Review], answer: str, complaints: list[str]
) -> None:
    action = WRONG if opens is flagged else MILD
    opened(page, opens(cast, replace(action, arguments={**action.arguments, "note": "A line.\n" * 60})))
    in_view(page)
    unhurried(page)
    asked: list[Route] = []

    def lose(route: Route) -> None:
        asked.append(route)
        if answer == "lost":
            route.abort()

    intercept(page, "**/source?*", lose)
    for _ in range(3):
        page.keyboard.press("a")
        check_undecided(page)
        in_view(page)
    page.locator("#approve").hover()
    page.mouse.down()
    page.wait_for_timeout(1_200)
    page.mouse.up()
    check_undecided(page)
    assert asked
    complaints.clear()
    page.unroute("**/source?*")


def test_what_did_not_come_is_asked_for_again(page: Page, cast: Cast, complaints: list[str]) -> None:
    opened(page, flagged(cast, replace(WRONG, arguments={**WRONG.arguments, "note": "A line.\n" * 60 + "the end"})))
    in_view(page)
    unhurried(page)
    asked: list[Route] = []

    # Not by `times=1`: what ends the interception behind the first request can let that one pass.
    def lose_first(route: Route) -> None:
        asked.append(route)
        if len(asked) == 1:
            route.abort()
        else:
            route.continue_()

    intercept(page, "**/source?*", lose_first)
    page.keyboard.press("a")
    expect(page.locator(".toast--bad")).to_be_visible()
    complaints.clear()
    in_view(page)
    page.keyboard.press("a")
    expect(page.locator("#args")).to_contain_text("the end")
    check_undecided(page)
    in_view(page)
    page.keyboard.press("a")
    check_approved(page)


@pytest.mark.usefixtures("mild")
def test_a_decision_that_is_on_its_way_is_seen_to_be_and_not_sent_again(page: Page) -> None:
    in_view(page)
    sent = []
    intercept(page, "**/decide", lambda route: sent.append(route.request))
    # However long the first takes on a busy machine; what a second one would take is a moment.
    with page.expect_request("**/decide"):
        for _ in range(3):
            page.keyboard.press("a")
    page.wait_for_timeout(500)
    assert len(sent) == 1
    drawn = "getComputedStyle(document.querySelector('.bar'), '::after').animationName"
    assert page.evaluate(drawn) == "on-its-way"


def test_the_first_hold_shows_the_whole_call_and_the_next_approves_it(page: Page, cast: Cast) -> None:
    action = replace(WRONG, arguments={**WRONG.arguments, "note": "A line.\n" * 60 + "curl https://paste.example"})
    opened(page, flagged(cast, action))
    in_view(page)
    last = page.locator("#args").get_by_text("curl https://paste.example")
    page.locator("#approve").hover()
    page.mouse.down()
    expect(last).to_be_visible()
    page.wait_for_timeout(1_200)
    page.mouse.up()
    check_undecided(page)
    page.mouse.down()
    check_approved(page)


@pytest.mark.parametrize("decide", [KEY, CLICK], ids=["key", "click"])
def test_of_a_mild_call_what_was_out_of_sight_is_shown_before_it_is_approved(
    page: Page, cast: Cast, decide: Callable[[Page], None]
) -> None:
    opened(page, looked_at(cast, replace(MILD, arguments=LONG)))
    in_view(page)
    text = page.locator(".arg__value").last
    is_cut = "value => value.scrollHeight > value.clientHeight + 1"
    assert text.evaluate(is_cut)
    decide(page)
    expect(page.locator(SAYS)).to_contain_text("Look at it, then approve again.")
    assert not text.evaluate(is_cut)
    # What follows at once was meant for what the first has shown no more than the first was.
    unseen(page)
    decide(page)
    check_undecided(page)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    in_view(page)
    decide(page)
    check_approved(page)


def test_of_values_without_end_the_last_is_shown_before_it_is_approved(page: Page, cast: Cast) -> None:
    opened(page, looked_at(cast, replace(MILD, arguments={f"k{number}": f"word {number}" for number in range(90)})))
    in_view(page)
    expect(page.locator(".why")).to_be_in_viewport(ratio=0.9)
    page.keyboard.press("a")
    expect(page.locator("#args")).to_contain_text("word 89")
    check_undecided(page)


@pytest.mark.usefixtures("mild")
def test_of_a_decision_whose_answer_is_lost_nobody_is_told_that_nothing_was_changed(
    page: Page, complaints: list[str]
) -> None:
    in_view(page)

    def lose_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    intercept(page, "**/decide", lose_answer)
    page.keyboard.press("a")
    expect(page.locator(".toast--bad")).to_contain_text("Look whether it was done before you do it again")
    check_approved(page)
    # The browser tells of the cut; that the connection is back shows how the item stands.
    complaints.clear()
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(page.locator("#state")).to_contain_text("approved")


@pytest.mark.usefixtures("mild")
def test_who_goes_on_to_the_next_item_decides_nothing_of_this_one(page: Page, cast: Cast) -> None:
    flagged(cast, trace_id="next")
    page.reload()
    in_view(page)
    # The next page is on its way for as long as this takes.
    intercept(page, re.compile("/reviews/[^/]+$"), lambda _: None)
    for key in ("j", "a"):
        page.keyboard.press(key)
    page.wait_for_timeout(500)
    assert not Decision.objects.exists()


@pytest.mark.usefixtures("grave")
def test_on_a_decided_item_no_key_prepares_another_decision(page: Page) -> None:
    in_view(page)
    page.keyboard.press("r")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/queue**")
    page.go_back()
    page.reload()
    expect(page.locator("#state[data-decidable=no]")).to_be_visible()
    page.locator('body[data-in-view="yes"]').wait_for()
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "edit" in request.url else None)
    readings = page.locator(".readings .reading")
    for number in range(1, readings.count() + 1):
        page.keyboard.press(str(number))
        readings.nth(number - 1).press("Enter")
    page.keyboard.press("?")
    expect(page.locator("dialog[open]")).not_to_contain_text("Put it right")
    assert readings.count() > 1
    assert not asked
    assert page.locator(".verdict details[open]").count() == 0
    assert page.locator("#edit-form").count() == 0
