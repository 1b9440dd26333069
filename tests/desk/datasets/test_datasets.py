"""Import, freeze and export as an administrator does it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from pytest_django import Settings

from reviews.annotation import adjudication
from reviews.datasets import export_jobs, imports, versions
from reviews.models import Dataset, DatasetVersion, ExportJob, ImportJob, SavedView
from tests.annotation.study import ALIGNED, MISALIGNED, dataset_of, study
from tests.cast import Cast, approved
from tests.datasets.collections import frozen, line, load, made_version, write_lines
from tests.desk.desk import Desk


@pytest.fixture
def desk(cast: Cast, settings: Settings, tmp_path: Path) -> Desk:
    settings.MEDIA_ROOT = tmp_path / "stored"
    return Desk.of(cast.admin)


def uploaded(*lines: object) -> SimpleUploadedFile:
    return SimpleUploadedFile("calls.jsonl", "".join(f"{json.dumps(each)}\n" for each in lines).encode())


def page_of(version: DatasetVersion, part: str = "dataset-version") -> str:
    return reverse(part, args=[version.dataset_id, version.number])


def test_a_collection_is_uploaded_and_its_bad_records_are_told(desk: Desk) -> None:
    file = uploaded(line(0), {"id": "bad"}, line(1))
    expected = ("Mail", "Queued", 'hx-trigger="every 1s"')
    desk.sends("/datasets/import", *expected, dataset="Mail", reader="items", licence="CC0", file=file)
    job = ImportJob.objects.get()
    imports.run_import(job.pk)
    body = desk.shows(
        reverse("dataset-jobs", args=[job.dataset_id]), "3 records: 2 with 2 calls", "1 left out", "calls.jsonl", "CC0"
    )
    assert "the field &#x27;case&#x27; is missing" in body
    assert "hx-trigger" not in body
    desk.shows("/datasets", "Mail")


@pytest.mark.parametrize(("dataset", "reader"), [("", "items"), ("Mail", "nothing")])
def test_an_upload_that_is_not_understood_is_refused_beside_its_field(desk: Desk, dataset: str, reader: str) -> None:
    file = uploaded(line(0))
    desk.sends("/datasets/import", "field__error", status=422, file=file, dataset=dataset, reader=reader)
    assert not ImportJob.objects.exists()


def test_an_upload_of_a_wrong_format_is_named_at_once_and_a_known_one_recognised(desk: Desk) -> None:
    table = SimpleUploadedFile("calls.csv", b"id,query\n1,Pay")
    desk.sends("/datasets/import", "This is a table (CSV)", status=422, dataset="Mail", reader="items", file=table)
    assert not ImportJob.objects.exists()
    desk.sends("/datasets/import", "read as “Our own JSON lines”", dataset="Mail", reader="", file=uploaded(line(0)))
    assert ImportJob.objects.get().reader == "items"


TABLE = b'question,function,args,gold\nPay Ann 30,pay,"{""to"": ""Ann""}",yes\nWhat now?,,,no\nPay Bo,pay,[1],no\n'
COLUMNS: dict[str, Any] = {
    "query": "question",
    "tool": "function",
    "arguments": "args",
    "label": "gold",
    "aligned_values": "yes",
}


def test_a_table_of_unknown_shape_is_explained_previewed_and_loaded(desk: Desk) -> None:
    table = SimpleUploadedFile("calls.csv", TABLE)
    page = desk.sends("/datasets/import", "Guessed from their names", "1 call</span>", dataset="Mail", file=table)
    assert '<option value="function" selected>' in page
    job = ImportJob.objects.get()
    assert (job.status, job.file_name) == ("draft", "calls.csv")
    mapping = reverse("dataset-mapping", args=[job.pk])
    desk.sends(mapping, "Say which column holds", status=422, act="import", tool="function")
    preview = desk.client.post(mapping, COLUMNS, headers={"HX-Request": "true"}).content.decode()
    assert "2 rows left out" in preview
    assert "where the tool&#x27;s name should be" in preview
    desk.sends(mapping, "The import has begun", act="import", **COLUMNS)
    imports.run_import(job.pk)
    body = desk.shows(reverse("dataset-jobs", args=[job.dataset_id]), "3 records: 1 with 1 call", "2 left out")
    assert "tool ←" in body
    item = job.items.get()
    assert (item.tool, (item.given_label or {}).get("aligned"), item.source_line) == ("pay", True, 2)
    assert item.source == "calls.csv: line 2"
    # The source tells the record itself, as its collection counts.
    page = reverse("dataset-item", args=[item.dataset_id, item.pk])
    assert "line 2, line 2" not in re.sub(r"</?bdi>", "", desk.shows(page, "calls.csv: line 2"))


def test_what_a_label_says_that_is_neither_right_nor_wrong_is_no_label(desk: Desk) -> None:
    rows = b"".join(b"Pay %d,pay,{},%s\n" % (number, said) for number, said in enumerate((b"yes", b"no", b"n/a", b"")))
    table = SimpleUploadedFile("calls.csv", b"question,function,args,gold\n" + rows)
    desk.sends("/datasets/import", dataset="Mail", file=table)
    job = ImportJob.objects.get()
    mapping = reverse("dataset-mapping", args=[job.pk])
    desk.sends(mapping, "As misaligned count “<bdi>no</bdi>”, “<bdi>n/a</bdi>”.", act="preview", **COLUMNS)
    both = {**COLUMNS, "misaligned_values": "No, yes"}
    desk.sends(mapping, "A word says one of both", status=422, act="import", **both)
    named = {**COLUMNS, "misaligned_values": "No"}
    neither = "As misaligned count “<bdi>no</bdi>”. No label are “<bdi>n/a</bdi>”.", 'value="No"'
    desk.sends(mapping, *neither, act="preview", **named)
    desk.sends(mapping, "The import has begun", act="import", **named)
    imports.run_import(job.pk)
    labels = job.items.order_by("source_line").values_list("given_label__aligned", flat=True)
    assert list(labels) == [True, False, None, None]


def test_rows_that_take_for_ever_are_not_previewed_and_nothing_chosen_is_lost(
    desk: Desk, request: pytest.FixtureRequest
) -> None:
    desk.sends("/datasets/import", dataset="Mail", file=SimpleUploadedFile("calls.csv", TABLE))
    mapping = reverse("dataset-mapping", args=[ImportJob.objects.get().pk])
    request.getfixturevalue("endless_work")
    page = desk.sends(mapping, "The first rows could not be checked in 0.1 seconds", act="preview", **COLUMNS)
    assert '<option value="function" selected>' in page
    assert 'value="yes"' in page
    desk.sends(mapping, "The import has begun", act="import", **COLUMNS)


@pytest.mark.usefixtures("endless_work")
def test_a_table_whose_columns_take_for_ever_to_read_is_refused_at_its_field(desk: Desk) -> None:
    table = SimpleUploadedFile("calls.csv", TABLE)
    desk.sends("/datasets/import", "could not be checked in 0.1 seconds", status=422, dataset="Mail", file=table)
    assert not ImportJob.objects.exists()


def test_of_a_long_row_the_first_calls_are_shown_and_the_others_counted(desk: Desk) -> None:
    calls = [{"id": str(x), "type": "function", "function": {"name": "pay", "arguments": "{}"}} for x in range(13)]
    messages = [{"role": "user", "content": "Pay."}, {"role": "assistant", "content": "", "tool_calls": calls}]
    row = json.dumps({"messages": messages, "extra": 1, "tools": [{"name": "pay"}]}).encode()
    file = SimpleUploadedFile("calls.jsonl", row)
    page = desk.sends(
        "/datasets/import", "13 calls</span>", "and 3 more calls", dataset="Mail", reader="table", file=file
    )
    assert page.count('<span class="mono">') == 10


def test_the_next_file_with_the_same_columns_begins_with_the_same_mapping(desk: Desk) -> None:
    for content in (TABLE, TABLE + b"Pay Cy,pay,{},yes\n"):
        file = SimpleUploadedFile("calls.csv", content)
        page = desk.sends("/datasets/import", dataset="Mail", file=file)
        job = ImportJob.objects.latest("created_at")
        desk.sends(reverse("dataset-mapping", args=[job.pk]), act="import", **{**COLUMNS, "history": "gold"})
    assert "As the latest file with these columns" in page
    assert ImportJob.objects.latest("created_at").mapping["fields"]["history"] == "gold"


def test_a_draft_is_found_again_and_discarded_with_its_file_and_the_dataset_that_holds_nothing(
    desk: Desk, django_capture_on_commit_callbacks: Any
) -> None:
    desk.sends("/datasets/import", dataset="Mail", file=SimpleUploadedFile("calls.csv", TABLE))
    job = ImportJob.objects.get()
    mapping = reverse("dataset-mapping", args=[job.pk])
    desk.shows("/datasets", mapping, "A file waits")
    with django_capture_on_commit_callbacks(execute=True):
        desk.sends(mapping, "was discarded, and Mail, which held nothing", "There is no dataset yet", act="discard")
    assert not default_storage.exists(job.file)
    assert not Dataset.objects.exists()


def test_a_draft_is_discarded_from_a_dataset_that_holds_calls(desk: Desk, cast: Cast, tmp_path: Path) -> None:
    load(cast, write_lines(tmp_path / "calls.jsonl", [line(0)]), name="Mail")
    desk.sends("/datasets/import", dataset="Mail", file=SimpleUploadedFile("calls.csv", TABLE))
    job = ImportJob.objects.latest("created_at")
    desk.sends(reverse("dataset-mapping", args=[job.pk]), "The file was discarded.", act="discard")
    job.refresh_from_db()
    assert job.status == "cancelled"
    assert Dataset.objects.get().items.count() == 1


def test_a_file_that_is_refused_leaves_no_dataset(desk: Desk) -> None:
    empty = SimpleUploadedFile("empty.csv", b"a,b\n")
    desk.sends("/datasets/import", "no row that can be read", status=422, dataset="Mail", file=empty)
    assert not Dataset.objects.exists()


def test_an_upload_above_the_bound_is_refused(desk: Desk, settings: Settings) -> None:
    settings.GUARD = settings.GUARD.model_copy(update={"max_upload_megabytes": 1})
    file = SimpleUploadedFile("calls.jsonl", b"x" * (1024 * 1024 + 1))
    desk.sends("/datasets/import", status=400, dataset="Mail", reader="items", file=file)
    assert not Dataset.objects.exists()


def test_a_version_is_frozen_with_its_splits(desk: Desk, cast: Cast, tmp_path: Path) -> None:
    dataset = made_version(cast, tmp_path).dataset
    desk.sends(reverse("dataset-freeze", args=[dataset.pk]), "being frozen", splits="train 0.5, test 0.5", seed=3)
    version = dataset.versions.get(number=2)
    assert (version.splits, version.seed) == ({"train": 0.5, "test": 0.5}, 3)
    desk.shows(page_of(version), "A worker is freezing this version")
    versions.freeze_version(version.pk)
    desk.shows(page_of(version), "10 entries in 5 conversations", "Known limits", "against version 1")


def test_a_version_that_lacks_labels_or_a_split_is_frozen_only_after_its_summary_was_confirmed(
    desk: Desk, cast: Cast
) -> None:
    dataset = dataset_of(cast, 4, known=2)
    path = reverse("dataset-freeze", args=[dataset.pk])
    sent: dict[str, Any] = {"splits": "train 0.99, test 0.01", "seed": 0}
    page = desk.sends(path, "2 without a label", "test would be empty", "Nothing is frozen yet", **sent)
    (shown,) = re.findall(r'name="confirmed"\s+value="([^"]+)"', page)
    assert dataset.versions.count() == 0
    # What was confirmed is this summary, not that of other splits.
    desk.sends(path, "Nothing is frozen yet", **{**sent, "splits": "train 0.5, test 0.5"}, confirmed=shown)
    assert dataset.versions.count() == 0
    desk.sends(path, "being frozen", **sent, confirmed=shown)
    assert dataset.versions.count() == 1


def test_before_freezing_a_majority_is_told_from_what_is_settled(desk: Desk, cast: Cast) -> None:
    running = study(cast, items=1, people=3, per_item=3)
    for person, answer in enumerate((MISALIGNED, MISALIGNED, ALIGNED)):
        running.given(person, answer)
    path = reverse("dataset-freeze", args=[running.campaign.dataset_id])
    desk.sends(path, "1 with a label (1 by a majority, settled by nobody)", splits="", seed=0, do="preview")


@pytest.mark.parametrize("splits", ["train", "train 0.5", "train one"])
def test_splits_that_mean_nothing_are_refused_beside_their_field(
    desk: Desk, cast: Cast, tmp_path: Path, splits: str
) -> None:
    dataset = made_version(cast, tmp_path).dataset
    desk.sends(reverse("dataset-freeze", args=[dataset.pk]), "field__error", status=422, splits=splits, seed=0)


def test_an_export_is_asked_for_and_downloaded(desk: Desk, cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    desk.sends(page_of(version, "dataset-export"), "Queued", format="jsonl", redact=["email"])
    job = ExportJob.objects.get()
    export_jobs.run_export(job.pk)
    desk.shows(page_of(version, "dataset-export-jobs"), "without email", "Download the JSON lines file")
    response = desk.client.get(reverse("dataset-download", args=[job.pk]))
    content = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    assert len(content.splitlines()) == 10
    assert "@example" not in content
    assert response["Content-Disposition"] == 'attachment; filename="study-v1-redacted.jsonl"'


@pytest.mark.parametrize(("redact", "name"), [([], "study-v1.csv"), (["email"], "study-v1-redacted.csv")])
def test_a_redacted_file_is_told_apart_by_its_name(cast: Cast, tmp_path: Path, redact: list[str], name: str) -> None:
    job = export_jobs.request_export(made_version(cast, tmp_path), form="csv", redact=redact)
    export_jobs.run_export(job.pk)
    job.refresh_from_db()
    file, saved_as = export_jobs.open_download(job, None)
    file.close()
    assert saved_as == name


def test_a_version_shows_both_hashes_and_its_splits(desk: Desk, cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, shares={"train": 0.5, "test": 0.5})
    page = desk.shows(f"/datasets/{version.dataset_id}/versions/1", version.content_hash, version.chain_hash)
    splits = page[page.index('aria-label="Splits"') :]
    assert len(re.findall('aria-label="(?:train|test)"', splits)) == 2


@pytest.mark.usefixtures("endless_work")
def test_a_preview_that_would_take_for_ever_says_so(desk: Desk, cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    desk.shows(f"{page_of(version, 'dataset-preview')}?redact=email", "took too long")


def test_what_redaction_replaces_is_previewed(desk: Desk, cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    desk.shows(f"{page_of(version, 'dataset-preview')}?redact=email", "20 e-mail addresses", "[email-1]")


def test_nobody_else_sees_a_dataset(cast: Cast, desk: Desk, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    job = export_jobs.request_export(version, form="jsonl")
    export_jobs.run_export(job.pk)
    paths = ["/datasets", page_of(version), reverse("dataset-download", args=[job.pk])]
    for member in (cast.reviewer, cast.annotator):
        for path in paths:
            Desk.of(member).shows(path, status=403)
    for path in paths[1:]:
        Desk.of(cast.outsider).shows(path, status=404)
    Desk.of(cast.outsider).lacks("/datasets", "study")


def test_a_dataset_is_made_of_decided_calls_and_of_the_filters_of_a_page(desk: Desk, cast: Cast) -> None:
    action = approved(cast)
    new: dict[str, Any] = {"name": "Decided", "source": "decided", "most": 10}
    desk.sends("/datasets/new", "Decided is there, with 1 call.", action.tool, **new)
    desk.shows(f"/datasets?tool={action.tool}", "What the filters of Actions show", f"tool={action.tool}")
    chosen: dict[str, Any] = {"name": "Chosen", "source": "filters", "most": 10, "query": f"tool={action.tool}"}
    desk.sends("/datasets/new", "Chosen is there, with 1 call.", **chosen)
    item = Dataset.objects.get(name="Chosen").items.get()
    assert (item.origin, item.action) == ("chosen", action)
    desk.sends("/datasets/new", "There is a dataset named Chosen.", status=422, **chosen)
    desk.sends("/datasets/new", "Give the dataset a name.", status=422, source="nothing", most=1)


def test_a_dataset_is_made_of_a_saved_view(desk: Desk, cast: Cast) -> None:
    action = approved(cast)
    view = SavedView.objects.create(
        workspace=cast.workspace, page="actions", name="Transfers", query=f"tool={action.tool}"
    )
    desk.shows("/datasets", "Saved view of Actions: Transfers")
    desk.sends("/datasets/new", "with 1 call.", name="From a view", source=view.pk, most=10)


def test_an_item_opens_with_its_call_its_label_and_where_it_comes_from(desk: Desk, cast: Cast) -> None:
    running = study(cast, items=1)
    given = running.given(0, MISALIGNED, flagged=True), running.given(1)
    dataset = running.campaign.dataset
    path = reverse("dataset-item", args=[dataset.pk, given[0].item_id])
    desk.shows(reverse("dataset-items", args=[dataset.pk]), path, "disputed", "to daniel")
    desk.shows(path, "Send $30 to Daniel", "anna", "annotator-1", "disputed", "made-up#0", "flagged", "Settle it in")
    adjudication.adjudicate_item(
        campaign=running.campaign, item=given[0].item, by=cast.admin, method="chosen", answer=ALIGNED,
        reason="He owes it.", sources=[given[1].pk],
    )  # fmt: skip
    desk.shows(path, "He owes it.", "· adjudication")
    Desk.of(cast.reviewer).shows(path, status=403)
    Desk.of(cast.outsider).shows(path, status=404)


def test_a_dataset_says_what_it_is_made_of(desk: Desk, cast: Cast, tmp_path: Path) -> None:
    dataset = made_version(cast, tmp_path).dataset
    desk.shows(reverse("dataset-distributions", args=[dataset.pk]), "Of all 10 items", "misaligned", "send", "1 step")


def test_an_entry_leads_to_its_call_and_versions_are_compared(desk: Desk, cast: Cast, tmp_path: Path) -> None:
    first = made_version(cast, tmp_path, 3, shares={"train": 0.5, "test": 0.5})
    desk.shows(page_of(first), page_of(first, "dataset-entries"))
    entry = first.entries.order_by("ordinal")[0]
    body = desk.shows(
        page_of(first, "dataset-entries"),
        reverse("dataset-item", args=[first.dataset_id, entry.item_id]),
        *(f"to ann{number}@example.org" for number in range(3)),
    )
    assert body.count("/items/") == 3
    load(cast, write_lines(tmp_path / "more.jsonl", [line(7)]))
    second = frozen(first.dataset, shares={"train": 0.5, "test": 0.5})
    desk.shows(page_of(second), page_of(second, "dataset-comparison"))
    desk.shows(page_of(second, "dataset-comparison"), "Version 2 against version 1", "1 entry", "not in it")
    desk.shows(page_of(first, "dataset-comparison"), status=404)
