"""The form for an experiment: arms with options of their own are added by the keyboard; what counts is asked."""

from pathlib import Path

from playwright.sync_api import Page, expect

from reviews.lab.experiments import ArmChoice, request_experiment
from tests.browser.accessible import check_accessible_in_all_looks
from tests.browser.conftest import NARROW, sign_in
from tests.cast import Cast
from tests.datasets.collections import made_version


def test_an_arm_is_added_by_the_keyboard_and_what_was_chosen_stays(page: Page, cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, 3)
    sign_in(page, "ada", at="/experiments")
    days = page.get_by_label("Days of recorded calls")
    expect(days).to_be_visible()
    page.get_by_label("Calls", exact=True).select_option(str(version.pk))
    expect(days).to_be_hidden()
    add = page.get_by_role("button", name="Add an arm with options of its own")
    for number, detector in enumerate(("intent-guard", "argus")):
        add.focus()
        page.keyboard.press("Enter")
        chosen = page.locator(f"#id_arms-{number}-detector")
        expect(chosen).to_be_focused()
        chosen.select_option(detector)
    expect(page.locator("#id_arms-0-detector")).to_have_value("intent-guard")
    expect(page.get_by_label("Calls", exact=True)).to_have_value(str(version.pk))
    check_accessible_in_all_looks(page)


def test_whoever_reads_an_experiment_while_it_runs_keeps_their_place(page: Page, cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, 3)
    arms = [ArmChoice("provenance-guard"), ArmChoice("argus")]
    experiment = request_experiment(version, name="Night", arms=arms, by=None)
    page.set_viewport_size(NARROW)
    sign_in(page, "ada", at=f"/experiments/{experiment.pk}?right=1&wrong=2")
    table = page.get_by_role("region", name="Figures of each detector")
    table.focus()
    table.evaluate("region => { region.scrollLeft = 300; region.dataset.old = true }")
    expect(table).not_to_have_attribute("data-old", "true")
    expect(table).to_be_focused()
    assert table.evaluate("region => region.scrollLeft") == 300
    stop = page.get_by_role("button", name="Stop for good")
    stop.focus()
    # Longer than from one look to the next.
    page.wait_for_timeout(3_000)
    expect(stop).to_be_focused()


# Runs as soon as the swap is over, before the browser draws it: sooner than any hand.
PRESS_AGAIN_AT_ONCE = """
() => new MutationObserver((_, observer) => {
  observer.disconnect();
  document.querySelector("#arms button").click();
}).observe(document.querySelector(".experiments__form"), { childList: true, subtree: true })
"""


def test_what_a_swap_brings_works_at_once(page: Page, cast: Cast) -> None:
    sign_in(page, "ada", at="/experiments")
    page.evaluate(PRESS_AGAIN_AT_ONCE)
    page.get_by_role("button", name="Add an arm with options of its own").click()
    expect(page.locator("#id_arms-1-detector")).to_be_focused()
    assert page.url.endswith("/experiments"), page.url
