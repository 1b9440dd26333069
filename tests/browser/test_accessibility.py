from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from reviews.datasets import jobs
from reviews.decisions import decide
from reviews.lab.experiments import ArmChoice, request_experiment
from reviews.lab.trial_choices import TrialChoice
from reviews.models import ExperimentKind, ExperimentVerdict, Review
from reviews.profiles import versions
from tests.annotation.study import ALIGNED, MISALIGNED, study
from tests.browser.conftest import NARROW, WIDE, in_view, open_page, sign_in
from tests.cast import Cast, flagged
from tests.datasets.collections import frozen, made_version

# Who speaks to the page says what stands on a button; axe looks for that only when asked. What passes is not told one
# by one, which takes axe as long as all its checks.
AXE_OPTIONS = {"rules": {"label-content-name-mismatch": {"enabled": True}}, "resultTypes": ["violations"]}

Open = Callable[[Page, Review], None]


@pytest.fixture(params=[(WIDE, "light"), (NARROW, "dark")], ids=["wide-light", "narrow-dark"])
def themed(request: pytest.FixtureRequest, chromium: Browser, site: str, complaints: list[str]) -> Iterator[Page]:
    """A page in both widths and colour schemes: layout depends on the one, contrast on the other."""
    viewport, scheme = request.param
    yield from open_page(chromium, site, complaints, viewport=viewport, color_scheme=scheme)


def check_accessible(page: Page, *selectors: str) -> None:
    """Axe finds nothing in the page, or in what these select of it, and nothing hangs over the side."""
    # What was led here by a click or a key may still be loading.
    page.wait_for_load_state("load")
    # The style guide's button that is shown at work says so itself.
    expect(page.locator(".htmx-request:not([aria-busy])")).to_have_count(0)
    context = {"include": [[selector] for selector in selectors]} if selectors else None
    violations: list[dict[str, Any]] = Axe().run(page, context=context, options=AXE_OPTIONS).response["violations"]
    found = [
        (each["id"], node["target"]) for each in violations for node in each["nodes"] if not _is_broken(each, node)
    ]
    assert found == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def _is_broken(violation: dict[str, Any], node: dict[str, Any]) -> bool:
    """Whether it is only that a drawing breaks the words of a name into the lines of a box."""
    return violation["id"] == "label-content-name-mismatch" and str(node["html"]).startswith('<a class="unit')


def review(page: Page, item: Review) -> None:
    page.goto(f"/reviews/{item.pk}")
    in_view(page)


def editing(page: Page, item: Review) -> None:
    review(page, item)
    page.keyboard.press("e")
    page.locator("#edit-preview > *").first.wait_for()


def rejecting(page: Page, item: Review) -> None:
    review(page, item)
    page.keyboard.press("r")
    page.locator("#reject-message").wait_for()


def keys(page: Page, item: Review) -> None:
    review(page, item)
    page.keyboard.press("?")
    page.locator("#shortcuts[open]").wait_for()


@pytest.mark.parametrize("opened", [review, editing, rejecting, keys])
def test_the_review_page_is_accessible(themed: Page, cast: Cast, opened: Open) -> None:
    item = flagged(cast)
    sign_in(themed)
    opened(themed, item)
    check_accessible(themed)


def test_a_decided_item_is_accessible(themed: Page, cast: Cast) -> None:
    item = flagged(cast)
    decide.decide_action(action=item.action, choice=decide.Reject("No."), membership=cast.other_reviewer)
    sign_in(themed)
    themed.goto(f"/reviews/{item.pk}")
    check_accessible(themed)


OTHER_PAGES = (
    "/queue /queue/recent /queue/groups /actions?text=daniel /overview /overview/own /settings /settings/audit"
    " /datasets /styleguide /no-such-page"
).split()


@pytest.mark.parametrize("path", OTHER_PAGES)
def test_the_other_pages_are_accessible(themed: Page, cast: Cast, path: str) -> None:
    flagged(cast)
    sign_in(themed, "ada")
    themed.goto(path)
    check_accessible(themed)


def test_a_dataset_and_its_version_are_accessible(themed: Page, cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, shares={"train": 0.5, "test": 0.5})
    sign_in(themed, "ada")
    themed.goto(f"/datasets/{version.dataset_id}")
    check_accessible(themed)
    themed.goto(f"/datasets/{version.dataset_id}/versions/1")
    themed.get_by_label("e-mail addresses").check()
    themed.get_by_role("button", name="Preview what is replaced").click()
    themed.get_by_text("[email-1]").first.wait_for()
    check_accessible(themed)
    item = version.entries.order_by("ordinal")[0].item_id
    frozen(version.dataset)
    for path in (
        "items?label=misaligned",
        f"items/{item}",
        "distributions",
        "versions/1/entries",
        "versions/2/comparison",
    ):
        themed.goto(f"/datasets/{version.dataset_id}/{path}")
        check_accessible(themed)


def test_a_campaign_and_what_is_to_settle_are_accessible(themed: Page, cast: Cast) -> None:
    running = study(cast, items=3)
    for answer in (MISALIGNED, ALIGNED):
        running.given(0, answer, flagged=True)
        running.given(1)
    sign_in(themed, "ada")
    disputed = running.campaign.annotations.get(judgement="misaligned").item_id
    for path in ("", f"/adjudicate/{disputed}"):
        themed.goto(f"/campaigns/{running.campaign.pk}{path}")
        check_accessible(themed)
    themed.goto("/campaigns/new")
    check_accessible(themed)


def test_the_sign_in_page_is_accessible(themed: Page) -> None:
    themed.goto("/sign-in")
    check_accessible(themed)


def test_an_experiment_s_pages_are_accessible(themed: Page, cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    arms = [ArmChoice("provenance-guard"), ArmChoice("argus")]
    attack = TrialChoice(ExperimentKind.ATTACK)
    experiment = request_experiment(version, name="night", arms=arms, by=None, trial=attack)
    ExperimentVerdict.objects.bulk_create(
        ExperimentVerdict(arm=arm, run=1, entry=entry, verdict=verdict, score=0.5, **attacked)
        for arm, verdict in zip(experiment.arms.all(), ("aligned", "misaligned"), strict=True)
        for entry in version.entries.all()
        for attacked in ({}, {"variant": "quotation/0", "outcome": "open", "is_failure": True})
    )
    model = {"intercept": -1.0, "weights": {"guard: near_copy fails": 2.5}, "calls": 70, "wrong": 9, "auc": 0.8}
    versions.new_version(membership=cast.admin, suspicion=model)
    versions.new_version(membership=cast.admin, suspicion=model | {"calls": 80})
    # The page asks no more.
    assert jobs.cancel_job(experiment)
    sign_in(themed, "ada")
    again = request_experiment(version, name="morning", arms=arms, by=None)
    compared = f"/experiments/compare?with={experiment.pk}&with={again.pk}"
    at = f"/experiments/{experiment.pk}"
    for path in ("/experiments", at, f"{at}/cases/2?variant=quotation/0", compared, "/settings/learning"):
        themed.goto(path)
        check_accessible(themed)
