"""Every page of one desk, which no test here changes, is accessible in both widths and colour schemes."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import pytest
from django.db import connection
from playwright.sync_api import Browser, Page

from reviews.datasets import job_leases
from reviews.decisions import decide
from reviews.lab import experiment_worker
from reviews.lab.experiments import ArmChoice, request_experiment
from reviews.lab.recorded_calls import Period, draw_calls
from reviews.lab.trial_choices import TrialChoice
from reviews.models import DatasetVersion, ExperimentKind, ExperimentVerdict, Review, Role
from reviews.profiles import versions
from reviews.workspaces import invitations
from tests.annotation.study import ALIGNED, MISALIGNED, study
from tests.browser.accessible import check_accessible, check_accessible_in_all_looks
from tests.browser.conftest import NARROW, add_session, in_view, open_page, sign_in
from tests.cast import RIGHT, UNCLEAR, Cast, approved, flagged, propose
from tests.datasets.collections import frozen, made_version
from tests.jobs import run_checks

pytestmark = pytest.mark.django_db(transaction=True)

Addresses = dict[str, str]

BEFORE_THE_SIGN_IN: Final = "/sign-in /password/reset /password/reset/sent /invitations/none".split()
OF_A_REVIEWER: Final = ("/actions", "/audit", "decided item", "action", "trace", "agent")
OF_AN_ADMINISTRATOR: Final = (
    *(
        "/queue /queue/recent /queue/groups /actions?text=daniel /overview /overview/own /settings /settings/audit"
        " /settings/members /settings/judge /settings/tools /settings/webhooks /settings/learning /account/sessions"
        " /datasets /campaigns/new /experiments /styleguide /no-such-page"
    ).split(),
    *("dataset", "found items", "item", "distributions", "entries", "versions compared"),
    *("campaign", "what is to settle", "experiment", "case of an experiment", "experiments compared"),
    *("experiment on recorded calls", "what an arm found"),
)
"""Addresses, or what the page is about."""


@pytest.fixture(scope="module")
def waiting(shared_cast: Cast) -> Review:
    """The item that waits."""
    return flagged(shared_cast)


@pytest.fixture(scope="module")
def version(shared_cast: Cast, waiting: Review, tmp_path_factory: pytest.TempPathFactory) -> DatasetVersion:
    """The first of two versions of a dataset."""
    version = made_version(shared_cast, tmp_path_factory.mktemp("dataset"), shares={"train": 0.5, "test": 0.5})
    frozen(version.dataset)
    return version


@pytest.fixture(scope="module")
def addresses(shared_cast: Cast, version: DatasetVersion) -> Addresses:
    """Of the pages that are about one thing. The others have something to show as well."""
    invitations.invite_person(membership=shared_cast.admin, email="new@example.org", role=Role.REVIEWER)
    at = f"/datasets/{version.dataset_id}"
    return {
        **about_actions(shared_cast),
        **about_a_campaign(shared_cast),
        **about_experiments(shared_cast, version),
        "dataset": at,
        "found items": f"{at}/items?label=misaligned",
        "item": f"{at}/items/{version.entries.order_by('ordinal')[0].item_id}",
        "distributions": f"{at}/distributions",
        "entries": f"{at}/versions/1/entries",
        "versions compared": f"{at}/versions/2/comparison",
    }


def about_actions(cast: Cast) -> Addresses:
    """One that was approved, a rejected item, and one that passed and was drawn for audit."""
    action = approved(cast)
    rejected = flagged(cast, trace_id="rejected")
    decide.decide_action(action=rejected.action, choice=decide.Reject("No."), membership=cast.other_reviewer)
    versions.new_version(membership=cast.admin, audit_rate=1.0)
    passed = propose(cast, RIGHT, UNCLEAR, trace_id="passed")
    run_checks(passed.pk)
    return {
        "decided item": f"/reviews/{rejected.pk}",
        "action": f"/actions/{passed.pk}?audit=1",
        "trace": f"/traces/{action.trace_id}",
        "agent": f"/agents/{action.agent_id}",
    }


def about_a_campaign(cast: Cast) -> Addresses:
    """One whose annotators differ."""
    running = study(cast, items=3, guidelines="Read the request twice.\n\nThen the call.")
    for answer in (MISALIGNED, ALIGNED):
        running.given(0, answer, flagged=True)
        running.given(1)
    disputed = running.campaign.annotations.get(judgement="misaligned").item_id
    at = f"/campaigns/{running.campaign.pk}"
    return {"campaign": at, "what is to settle": f"{at}/adjudicate/{disputed}"}


def about_experiments(cast: Cast, version: DatasetVersion) -> Addresses:
    """One of attacks that has verdicts, and one that has none; and what the guard has learned twice."""
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
    assert job_leases.cancel_job(experiment)
    again = request_experiment(version, name="morning", arms=arms, by=None)
    recorded = request_experiment(draw_calls(cast.workspace, Period.last_days()), name="month", arms=arms, by=None)
    # The browser's own loop runs in this thread.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_run_experiment, recorded.pk).result()
    at = f"/experiments/{experiment.pk}"
    return {
        "experiment": at,
        "case of an experiment": f"{at}/cases/2?variant=quotation/0",
        "experiments compared": f"/experiments/compare?with={experiment.pk}&with={again.pk}",
        "experiment on recorded calls": f"/experiments/{recorded.pk}",
        "what an arm found": f"/experiments/{recorded.pk}/cases/1?arm=2",
    }


def _run_experiment(key: UUID) -> None:
    experiment_worker.run_here(key)
    connection.close()


@dataclass(frozen=True)
class Seen:
    """A page that goes from address to address, and what the browser has complained about since it began."""

    page: Page
    complaints: list[str]

    def check_accessible_at(self, address: str) -> None:
        """It is accessible there, and the browser has nothing to complain about."""
        self.complaints.clear()
        self.page.goto(address)
        check_accessible_in_all_looks(self.page)
        assert self.complaints == []


@pytest.fixture(scope="module")
def seen(chromium: Browser, site: str) -> Iterator[Seen]:
    """One page for every look at an address: a new one has to be signed in and compiles axe anew."""
    complaints: list[str] = []
    for page in open_page(chromium, site, complaints):
        yield Seen(page, complaints)


@pytest.mark.parametrize("path", BEFORE_THE_SIGN_IN)
@pytest.mark.usefixtures("shared_cast")
def test_a_page_before_the_sign_in_is_accessible(seen: Seen, path: str) -> None:
    seen.page.context.clear_cookies()
    seen.check_accessible_at(path)


@pytest.mark.parametrize("about", OF_A_REVIEWER)
def test_a_page_of_a_reviewer_is_accessible(seen: Seen, addresses: Addresses, about: str) -> None:
    add_session(seen.page)
    seen.check_accessible_at(addresses.get(about, about))


@pytest.mark.parametrize("about", OF_AN_ADMINISTRATOR)
def test_a_page_of_an_administrator_is_accessible(seen: Seen, addresses: Addresses, about: str) -> None:
    add_session(seen.page, "ada")
    seen.check_accessible_at(addresses.get(about, about))


def reviewing(page: Page) -> None:
    in_view(page)


def editing(page: Page) -> None:
    in_view(page)
    page.keyboard.press("e")
    page.locator("#edit-preview > *").first.wait_for()


def rejecting(page: Page) -> None:
    in_view(page)
    page.keyboard.press("r")
    page.locator("#reject-message").wait_for()


def keys(page: Page) -> None:
    in_view(page)
    page.keyboard.press("?")
    page.locator("#shortcuts[open]").wait_for()


@pytest.mark.parametrize("get_to", [reviewing, editing, rejecting, keys])
def test_the_review_page_is_accessible(page: Page, waiting: Review, get_to: Callable[[Page], None]) -> None:
    # Less may be in the way on a wide one, where other tests press the same keys.
    page.set_viewport_size(NARROW)
    sign_in(page, at=f"/reviews/{waiting.pk}")
    get_to(page)
    check_accessible_in_all_looks(page)


def test_a_preview_of_what_is_replaced_is_accessible(themed: Page, version: DatasetVersion) -> None:
    sign_in(themed, "ada", at=f"/datasets/{version.dataset_id}/versions/1")
    themed.get_by_label("e-mail addresses").check()
    themed.get_by_role("button", name="Preview what is replaced").click()
    themed.get_by_text("[email-1]").first.wait_for()
    check_accessible(themed)
