"""Import, freeze and export as an administrator does it."""

import json
import re
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from pytest_django import Settings

from reviews.datasets import exports, imports, versions
from reviews.models import Dataset, DatasetVersion, ExportJob, ImportJob
from tests.cast import Cast
from tests.datasets.collections import line, made_version
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
    body = desk.shows(reverse("dataset-jobs", args=[job.dataset_id]), "2 calls loaded", "1 records not loaded")
    assert "the field &#x27;case&#x27; is missing" in body
    assert "hx-trigger" not in body
    desk.shows("/datasets", "Mail")


@pytest.mark.parametrize(("dataset", "reader"), [("", "items"), ("Mail", "nothing")])
def test_an_upload_that_is_not_understood_is_refused_beside_its_field(desk: Desk, dataset: str, reader: str) -> None:
    file = uploaded(line(0))
    desk.sends("/datasets/import", "field__error", status=422, file=file, dataset=dataset, reader=reader)
    assert not ImportJob.objects.exists()


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
    desk.shows(page_of(version), "10 entries in 5 conversations", "Known limits", "since version 1")


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
    exports.run_export(job.pk)
    desk.shows(page_of(version, "dataset-export-jobs"), "without email", "Download the JSON lines file")
    response = desk.client.get(reverse("dataset-download", args=[job.pk]))
    content = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    assert len(content.splitlines()) == 10
    assert "@example" not in content
    assert response["Content-Disposition"] == 'attachment; filename="study-v1.jsonl"'


def test_a_version_shows_both_hashes_and_its_splits(desk: Desk, cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, shares={"train": 0.5, "test": 0.5})
    page = desk.shows(f"/datasets/{version.dataset_id}/versions/1", version.content_hash, version.chain_hash)
    assert len(re.findall(r'<th scope="row">split</th>', page)) == 2


@pytest.mark.usefixtures("endless_work")
def test_a_preview_that_would_take_for_ever_says_so(desk: Desk, cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    desk.shows(f"{page_of(version, 'dataset-preview')}?redact=email", "took too long")


def test_what_redaction_replaces_is_previewed(desk: Desk, cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    desk.shows(f"{page_of(version, 'dataset-preview')}?redact=email", "20 e-mail addresses", "[email-1]")


def test_nobody_else_sees_a_dataset(cast: Cast, desk: Desk, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    job = exports.request_export(version, form="jsonl")
    exports.run_export(job.pk)
    paths = ["/datasets", page_of(version), reverse("dataset-download", args=[job.pk])]
    for member in (cast.reviewer, cast.annotator):
        for path in paths:
            Desk.of(member).shows(path, status=403)
    for path in paths[1:]:
        Desk.of(cast.outsider).shows(path, status=404)
    Desk.of(cast.outsider).lacks("/datasets", "study")
