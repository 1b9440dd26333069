"""Draw every page in both themes and both widths: `make screenshots` writes them to `build/screenshots`."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import time
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import pytest
from django.db import connection
from django.urls import reverse
from playwright.sync_api import Browser, Page

from reviews.decisions import call_audits, decide
from reviews.lab import day_figures, experiment_worker
from reviews.lab.experiments import ArmChoice, request_experiment
from reviews.lab.trial_choices import TrialChoice
from reviews.messaging.notifications.preferences import Choices, choose_notifications
from reviews.models import Action, Canary, ExperimentKind, Outcome, Risk, Role, SavedPage
from reviews.profiles import versions
from reviews.queue import canaries, comments, handovers, saved_views
from reviews.queue.groups import group_items
from reviews.queue.handovers import Recipient
from reviews.queue.ordering import EVERYTHING
from tests.annotation.study import MISALIGNED, study
from tests.browser.conftest import NARROW, WIDE, open_page, sign_in
from tests.cast import RIGHT, UNCLEAR, Cast, approved, decided, flagged, propose
from tests.datasets.collections import frozen, made_version
from tests.desk.desk import rejected_by_another, waiting
from tests.jobs import run_checks
from tests.structure.package_graph import ROOT

FOLDER: Final = ROOT / "build" / "screenshots"
PAGES: Final = (
    "queue recent groups actions audit overview datasets campaigns settings members tools rules audit-log"
    " settings-profile webhooks learning experiments mfa_index styleguide notifications reviewing own-decisions"
    " settings-judge campaign-new api:docs"
).split()
"""Names of the addresses without parameters."""


@pytest.fixture(params=[(WIDE, "light"), (WIDE, "dark"), (NARROW, "light"), (NARROW, "dark")], ids=str)
def drawn(request: pytest.FixtureRequest, chromium: Browser, site: str) -> Iterator[tuple[Page, str]]:
    """A page in one width and theme, with what its files are called by."""
    viewport, scheme = request.param
    complaints: list[str] = []
    for page in open_page(chromium, site, complaints, viewport=viewport, color_scheme=scheme):
        yield page, f"{viewport['width']}-{scheme}"


def fill_desk(cast: Cast) -> dict[str, str]:
    """Something on every page. Returns the addresses of pages about one thing, by name."""
    approved(cast)
    for number in range(6):
        waiting(cast, "label_note", misalignment="injection", reason=f"An order inside data asks for this ({number}).")
    review = flagged(cast)
    comments.add_comment(review=review, membership=cast.other_reviewer, body="Is this the Daniel of last week?")
    versions.new_version(membership=cast.admin, tool_policies={"money_transfer": "two_people"})
    seconded = flagged(cast, trace_id="seconded")
    decided(seconded.action, decide.Approve(), cast.reviewer)
    handovers.assign_review(review=seconded, membership=cast.reviewer, to=Recipient(role=Role.ADMIN))
    versions.new_version(membership=cast.admin, tool_policies={})
    rejected_by_another(cast, flagged(cast, trace_id="rejected"))
    action = propose(cast, RIGHT, UNCLEAR, trace_id="passed")
    run_checks(action.pk)
    known = flagged(cast, trace_id="known").action
    decided(known, decide.Reject("No."), cast.reviewer)
    call_audits.judge_audit(action=known, membership=cast.other_reviewer, aligned=False)
    canaries.set_rate(membership=cast.admin, percent=10)
    canary = Canary.objects.create(
        workspace=cast.workspace, action=known, user=cast.admin.user, is_aligned=False, expires_at=review.due_at
    )
    canaries.close_canary(canary=canary, membership=cast.admin, outcome=Outcome.REJECT)
    choices = Choices(True, None, Risk.HIGH, 4, time(22), time(7), "Europe/Berlin")
    choose_notifications(membership=cast.admin, choices=choices)
    saved_views.save_view(membership=cast.admin, page=SavedPage.QUEUE, name="High risk", query="risk=high")
    day_figures.refresh_figures(cast.workspace)
    passed = Action.objects.get(pk=action.pk)
    return {
        "review": reverse("review", args=[review.pk]),
        "review-second": reverse("review", args=[seconded.pk]),
        "canary": reverse("review", args=[canary.pk]),
        "action": reverse("action", args=[passed.pk]),
        "trace": reverse("trace", args=[passed.trace_id]),
        "agent": reverse("agent", args=[passed.agent_id]),
        "group": reverse("group", args=[group_items(cast.admin, EVERYTHING)[0].key]),
        "queue-empty": reverse("queue") + "?tool=nothing",
        "actions-filtered": reverse("actions") + "?text=daniel&went=stopped",
    }


def fill_ground_truth(cast: Cast, folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """A dataset of two versions, experiments on it and a campaign: an administrator's addresses and an annotator's."""
    version = made_version(cast, folder, shares={"train": 0.5, "test": 0.5})
    frozen(version.dataset)
    item = version.entries.order_by("ordinal")[0].item_id
    arms = [ArmChoice("provenance-guard"), ArmChoice("argus")]
    tried = [
        request_experiment(version, name=str(kind), arms=arms, by=None, trial=TrialChoice(kind))
        for kind in ExperimentKind
    ]
    # The browser's own loop runs in this thread.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_run_experiments, [experiment.pk for experiment in tried]).result()
    running = study(cast, items=4)
    for answer in (MISALIGNED, MISALIGNED):
        running.given(0, answer, flagged=True)
        running.given(1)
    disputed = running.campaign.annotations.filter(judgement="misaligned")[0].item_id
    of_dataset, of_campaign = [version.dataset_id], [running.campaign.pk]
    compared = "&".join(f"with={experiment.pk}" for experiment in tried)
    administered = {
        "dataset": reverse("dataset", args=of_dataset),
        "dataset-items": reverse("dataset-items", args=of_dataset),
        "dataset-item": reverse("dataset-item", args=[version.dataset_id, item]),
        "dataset-distributions": reverse("dataset-distributions", args=of_dataset),
        "dataset-version": reverse("dataset-version", args=[version.dataset_id, 1]),
        "dataset-entries": reverse("dataset-entries", args=[version.dataset_id, 1]),
        "dataset-comparison": reverse("dataset-comparison", args=[version.dataset_id, 2]),
        "experiment-case": reverse("experiment-case", args=[tried[0].pk, 1]),
        "experiments-compare": f"{reverse('experiments-compare')}?{compared}",
        "campaign": reverse("campaign", args=of_campaign),
        "adjudicate": reverse("adjudicate", args=[running.campaign.pk, disputed]),
    } | {f"experiment-{experiment.kind}": reverse("experiment", args=[experiment.pk]) for experiment in tried}
    given = running.next().item_id
    annotated = {
        "annotate": reverse("annotate", args=[running.campaign.pk, given]),
        "annotate-own": reverse("annotate-own", args=of_campaign),
    }
    return administered, annotated


def _run_experiments(keys: Iterable[UUID]) -> None:
    for key in keys:
        experiment_worker.run_here(key)
    connection.close()


def draw(page: Page, path: str, file: Path) -> None:
    """The whole page as a file; nothing of it may stand beside the window."""
    page.goto(path)
    page.wait_for_timeout(400)
    page.screenshot(path=file, full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), file.name


def test_every_page_is_drawn(drawn: tuple[Page, str], cast: Cast, tmp_path: Path, django_user_model: Any) -> None:
    page, suffix = drawn
    FOLDER.mkdir(parents=True, exist_ok=True)
    administered, annotated = fill_ground_truth(cast, tmp_path)
    addresses = {name: reverse(name) for name in PAGES} | fill_desk(cast) | administered
    draw(page, "/sign-in", FOLDER / f"sign-in-{suffix}.png")
    for person, pages in (("ada", addresses), ("anna", annotated)):
        page.context.clear_cookies()
        sign_in(page, person)
        for name, path in pages.items():
            draw(page, path, FOLDER / f"{name.rpartition(':')[2]}-{suffix}.png")
