"""Ground truth from end to end: a collection comes in, two people label it by keyboard, a version goes out and back."""

import csv
import hashlib
import io
import json
import re
import secrets
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reviews.datasets import export_jobs, imports, versions
from reviews.models import Adjudication, Annotation, Campaign, DatasetVersion, ExportJob, ImportJob
from tests.annotation.study import annotators
from tests.browser.conftest import sign_in
from tests.browser.test_annotation import enter, next_item
from tests.cast import PASSWORD, Cast
from tests.evaluation.folders import TASK, tool

TRACES = 50
LABELLED = 6
"""Items of the campaign: a person's pace in a browser bounds how many a test can wait for."""
EVERY_OTHER_IS_WRONG = ("aligned", "parameter")
SEED = 5
"""Of the draw: one in ninety draws is of right calls alone, and then there is nothing to differ about."""


def collection(path: Path) -> Path:
    """A zip file in the shape of WorkBench: each trace looks a mail up and deletes it, every other one a wrong mail."""
    rows, tasks, labels = [["query", "full_response"]], [TASK], []
    for number in range(TRACES):
        query, kind = f"Delete the mail from person {number}", EVERY_OTHER_IS_WRONG[number % 2]
        deleted = {"id": str(number if kind == "aligned" else number + 1000)}
        found = [{"id": str(number), "sender": f"person{number}@example.org"}]
        steps = (
            f"[(AgentAction(tool='mail.search', tool_input={{'query': 'person {number}'}}, log='```'), {found}),"
            f" (AgentAction(tool='mail.delete', tool_input={deleted}, log='```'), 'Deleted.')]"
        )
        tasks.append([query, f"['mail.delete.func(id=\"{number}\")']", "['mail']"])
        rows.append([query, f"{{'intermediate_steps': {steps}}}"])
        call = {"position": 1, "tool": "mail.delete", "arguments": deleted, "label": "aligned"}
        call |= {"label": "misaligned", "type": kind} if kind != "aligned" else {}
        run = {"tools": "domains", "domain": "mail", "query": query, "task_successful": kind == "aligned"}
        labels.append({**run, "env_calls": [{**call, "accepted_by_environment": True}]})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data/results/mail/gpt-4_domains_2024.csv", as_csv(rows))
        archive.writestr("data/processed/queries_and_answers/mail_queries_and_answers.csv", as_csv(tasks))
        archive.writestr("derived_labels.jsonl", "".join(f"{json.dumps(label)}\n" for label in labels))
        tools = [tool("mail.search", changing=False), tool("mail.delete", changing=True)]
        archive.writestr("tools.json", json.dumps(tools))
    return path


def as_csv(rows: list[list[str]]) -> str:
    """The rows as a file holds them."""
    csv.writer(file := io.StringIO()).writerows(rows)
    return file.getvalue()


def imported(page: Page, archive: Path) -> None:
    """The collection is uploaded and loaded."""
    page.goto("/datasets")
    page.get_by_role("textbox", name="Dataset").fill("Mails")
    page.get_by_label("Collection", exact=True).select_option("workbench")
    page.get_by_label("File", exact=True).set_input_files(archive)
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    page.wait_for_url("**/datasets/*")
    # No worker is behind this site: what one would be handed is run here.
    imports.run_import(ImportJob.objects.get().pk)
    expect(page.get_by_text(f"{TRACES} records: {TRACES} with {TRACES} calls")).to_be_visible()
    expect(page.locator("#calls")).to_have_text(f"{TRACES} calls")


def opened(page: Page) -> Campaign:
    """A campaign of two people over some of it."""
    page.goto("/campaigns/new")
    page.get_by_label("Name", exact=True).fill("First round")
    page.get_by_label("What is to be judged", exact=True).select_option(label="Dataset Mails")
    page.get_by_label("At most so many calls").fill(str(LABELLED))
    for name in ("anna", "annotator-1"):
        page.get_by_label(name, exact=True).press("Space")
    page.get_by_role("button", name="Open the campaign").press("Enter")
    expect(page.get_by_role("heading", name="Progress")).to_be_visible()
    return Campaign.objects.get()


def labelled(page: Page, name: str, *, sees_errors: bool) -> None:
    """Somebody answers every item by keyboard; who sees no errors finds everything aligned."""
    enter(page, name)
    page.goto("/campaigns")
    next_item(page, "Enter")
    for _ in range(LABELLED):
        wrong = re.search(r"\b1\d\d\d\b", page.locator(".bench__answer").inner_text()) is not None
        next_item(page, *(("m", "2", "r", "5", "Enter") if sees_errors and wrong else ("a", "Enter")))
    expect(page.get_by_text("Nothing is left for you")).to_be_visible()


def settled(page: Page, campaign: Campaign) -> None:
    """What the two differ about is settled with the answer of whom it is right."""
    sign_in(page, "ada", at=f"/campaigns/{campaign.pk}")
    expect(page.get_by_role("heading", name="Agreement")).to_be_visible()
    differing = Annotation.objects.filter(judgement="misaligned").count()
    expect(page.get_by_text(re.compile(rf"of {differing} items? about which people differ$"))).to_be_visible()
    page.locator("#disputed-title").locator("xpath=ancestor::section").get_by_role("link").first.press("Enter")
    for number in range(differing):
        page.wait_for_load_state("load")
        expect(page.get_by_role("heading", name="Settle one label")).to_be_visible()
        page.keyboard.press("t")
        page.keyboard.press("1")
        page.get_by_label("Why (required)", exact=True).fill(f"Another mail was found, {number}.")
        next_item(page, "Control+Enter")
    assert Adjudication.objects.filter(in_force=True).count() == differing


def exported(page: Page, form: str, folder: Path) -> Path:
    """The downloaded file of the open version in this format."""
    page.get_by_label("Format", exact=True).select_option(form)
    page.get_by_role("button", name="Export", exact=True).press("Enter")
    page.get_by_text("The file is being written").wait_for()
    export_jobs.run_export(ExportJob.objects.get(format=form).pk)
    name = {"jsonl": "JSON lines", "parquet": "Parquet", "folder": "Hugging Face"}.get(form, form)
    link = page.get_by_role("link", name=re.compile(f"Download the {name}")).first
    with page.expect_download() as downloading:
        link.click()
    path = folder / f"{form}-{downloading.value.suggested_filename}"
    downloading.value.save_as(path)
    return path


def content_hash(digests: list[str]) -> str:
    """The hash of a version as documented, from the digests that a file holds."""
    return hashlib.sha256(b"".join(map(bytes.fromhex, digests))).hexdigest()


def test_a_collection_is_labelled_frozen_and_loaded_back_unchanged(
    page: Page, cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "randbits", lambda _bits: SEED)
    for person in annotators(cast, 2)[1:]:
        person.user.set_password(PASSWORD)
        person.user.save()
    sign_in(page, "ada")
    imported(page, collection(tmp_path / "mails.zip"))
    campaign = opened(page)
    labelled(page, "anna", sees_errors=True)
    labelled(page, "annotator-1", sees_errors=False)
    page.context.clear_cookies()
    settled(page, campaign)

    page.goto(f"/datasets/{campaign.dataset_id}")
    page.get_by_role("button", name="Freeze", exact=True).press("Enter")
    page.get_by_text("being frozen", exact=True).wait_for()
    version = versions.freeze_version(DatasetVersion.objects.get().pk)
    assert version is not None
    page.get_by_role("link", name="Version 1").press("Enter")
    expect(page.get_by_text(version.content_hash)).to_be_visible()

    # Not above: every process that collects tests would spend a second on them.
    import pandas as pd  # noqa: PLC0415
    from datasets import load_dataset  # noqa: PLC0415

    jsonl = pd.read_json(exported(page, "jsonl", tmp_path), lines=True)
    parquet = pd.read_parquet(exported(page, "parquet", tmp_path))
    with zipfile.ZipFile(exported(page, "folder", tmp_path)) as archive:
        archive.extractall(tmp_path / "folder")
    loaded = load_dataset(str(tmp_path / "folder"), cache_dir=str(tmp_path / "cache"))
    folder = pd.concat(loaded[split].to_pandas() for split in loaded).sort_values("ordinal")
    for rows in (jsonl, parquet, folder):
        assert len(rows) == TRACES
        assert content_hash(list(rows["digest"])) == version.content_hash
    assert set(folder["split"]) == {"train", "test"}
    methods = parquet["method"].value_counts()
    assert methods["adjudication"] == Adjudication.objects.count() > 0
    assert methods.sum() == TRACES
