"""A new manager's way from a table on disk to an exported version, by what the pages offer alone."""

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from reviews.datasets import export_jobs, imports, versions
from reviews.models import DatasetVersion, ExportJob, ImportJob
from tests.annotation.study import annotators
from tests.browser.accessible import check_accessible
from tests.browser.conftest import sign_in
from tests.browser.test_annotation import enter, next_item
from tests.cast import PASSWORD, Cast

ROWS = 6


def table(path: Path) -> Path:
    """A table as a script of somebody's own writes it: every third call is wrong, and one row holds none."""
    rows = ["question,function,args,gold,session"]
    for number in range(ROWS):
        amount = 300 if number % 3 == 2 else 30
        gold = "bad" if number % 3 == 2 else "good"
        rows.append(
            f'Pay person {number} $30,pay,"{{""to"": ""person {number}"", ""amount"": {amount}}}",{gold},s{number}'
        )
    path.write_text("\n".join([*rows, "What is new?,,,good,s9"]))
    return path


def import_table(page: Page, path: Path) -> None:
    """Upload the table, say what its columns hold, and have it loaded."""
    page.get_by_role("textbox", name="Dataset").fill("Payments")
    page.get_by_label("File", exact=True).set_input_files(path)
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    page.wait_for_url("**/mapping")
    expect(page.get_by_label("What the user asked")).to_have_value("question")
    page.get_by_label("It says of a right call").fill("fine")
    page.get_by_label("It says of a right call").press("Tab")
    expect(page.get_by_text("every call would count as misaligned")).to_be_visible()
    page.get_by_label("It says of a right call").fill("good")
    page.get_by_label("It says of a right call").press("Tab")
    expect(page.get_by_text("every call would count as misaligned")).to_be_hidden()
    check_accessible(page)
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    page.wait_for_url("**/datasets/*")
    imports.run_import(ImportJob.objects.get().pk)
    expect(page.get_by_text(f"{ROWS + 1} records: {ROWS} with {ROWS} calls")).to_be_visible()


def answer_all(page: Page, name: str) -> None:
    """Somebody answers every item by keyboard; only anna sees what is wrong."""
    enter(page, name)
    page.get_by_role("button", name="Start").press("Enter")
    page.locator("#answer-form").wait_for()
    page.wait_for_load_state("load")
    for _ in range(ROWS):
        wrong = "300" in page.locator(".bench__answer").inner_text()
        next_item(page, *(("m", "2", "Enter") if wrong and name == "anna" else ("a", "Enter")))


def settle_all(page: Page) -> None:
    """Both differences are settled with the answer of anna."""
    page.locator("#disputed-title").locator("xpath=ancestor::section").get_by_role("link").first.click()
    for _ in range(2):
        page.wait_for_load_state("load")
        page.keyboard.press("t")
        page.keyboard.press("1")
        page.get_by_label("Why (required)", exact=True).fill("The request says 30.")
        next_item(page, "Control+Enter")


def test_a_table_becomes_an_exported_version_by_what_the_pages_offer(page: Page, cast: Cast, tmp_path: Path) -> None:
    for person in annotators(cast, 2)[1:]:
        person.user.set_password(PASSWORD)
        person.user.save()
    sign_in(page, "ada")
    page.get_by_role("link", name="Campaigns", exact=True).first.click()
    page.get_by_role("link", name="Datasets").first.click()
    import_table(page, table(tmp_path / "payments.csv"))
    page.get_by_role("link", name="Open a campaign over it").click()
    page.get_by_label("Name", exact=True).fill("First round")
    for name in ("anna", "annotator-1"):
        page.get_by_label(name, exact=True).press("Space")
    page.get_by_role("button", name="Open the campaign").press("Enter")
    page.wait_for_url("**/campaigns/*-*")
    for name in ("anna", "annotator-1"):
        answer_all(page, name)
    page.context.clear_cookies()
    sign_in(page, "ada")
    page.get_by_role("link", name="Campaigns", exact=True).first.click()
    page.get_by_role("link", name="First round").click()
    settle_all(page)
    page.locator("#next-step").get_by_role("link", name="Payments").click()
    page.get_by_role("button", name="Freeze", exact=True).press("Enter")
    page.get_by_text("being frozen", exact=True).wait_for()
    versions.freeze_version(DatasetVersion.objects.get().pk)
    page.get_by_role("link", name="Version 1").click()
    page.get_by_role("button", name="Export", exact=True).press("Enter")
    page.get_by_text("The file is being written").wait_for()
    export_jobs.run_export(ExportJob.objects.get().pk)
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download the JSON lines file").click()
    rows = [json.loads(line) for line in Path(downloading.value.path()).read_text().splitlines()]
    assert [row["label"]["aligned"] for row in sorted(rows, key=lambda row: row["trace"])] == [True, True, False] * 2
