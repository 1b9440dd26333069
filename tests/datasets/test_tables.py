"""What the tables of ground truth refuse, whoever writes to them."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError
from django.db.models import RestrictedError
from django.utils import timezone

from reviews.datasets import curation
from reviews.decisions import decide
from reviews.models import (
    Assignment,
    Dataset,
    DatasetItem,
    DatasetVersion,
    ExportJob,
    ImportJob,
    ImportProblem,
    Tombstone,
    VersionEntry,
)
from tests.annotation.study import dataset_of, study
from tests.cast import Cast, flagged

HASH = "a" * 64
IMPORTED: dict[str, Any] = {"origin": "imported", "case": {}, "source": "x", "content_key": HASH, "tool": "pay"}


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return dataset_of(cast, 1)


@pytest.mark.parametrize(
    "values",
    [
        {"origin": "found"},
        {"content_key": "short"},
        {"case": None},
        {"source": ""},
        {"audit_probability": 0.5},
        {"origin": "audit", "audit_probability": 0.5},
        {"erased_at": timezone.now()},
    ],
)
def test_an_item_that_cannot_be_read_is_refused(dataset: Dataset, values: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError):
        DatasetItem.objects.create(dataset=dataset, **{**IMPORTED, **values})


def test_an_erased_item_keeps_its_hash_alone(dataset: Dataset) -> None:
    item = DatasetItem.objects.create(dataset=dataset, **IMPORTED)
    DatasetItem.objects.filter(pk=item.pk).update(case=None, erased_at=timezone.now())
    with pytest.raises(IntegrityError):
        DatasetItem.objects.create(dataset=dataset, **IMPORTED)


def test_a_call_in_a_dataset_is_not_deleted_behind_its_labels(cast: Cast) -> None:
    review = flagged(cast)
    decide.decide_action(action=review.action, choice=decide.Reject("No."), membership=cast.reviewer)
    decided = curation.create_dataset(by=cast.admin, name="Decided")
    curation.add_decided_calls(dataset=decided, by=cast.admin)
    with pytest.raises(RestrictedError):
        review.action.delete()


@pytest.mark.parametrize(
    "values",
    [
        {"number": 2},
        {"frozen_at": timezone.now()},
        {"content_hash": HASH, "chain_hash": HASH},
        {"frozen_at": timezone.now(), "content_hash": HASH, "chain_hash": "short"},
    ],
)
def test_a_version_is_frozen_with_its_hashes_and_follows_its_parent(dataset: Dataset, values: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError):
        DatasetVersion.objects.create(dataset=dataset, **{"number": 1, **values})


def test_a_chain_of_versions_has_no_fork(dataset: Dataset) -> None:
    first = DatasetVersion.objects.create(dataset=dataset, number=1)
    DatasetVersion.objects.create(dataset=dataset, number=2, parent=first)
    with pytest.raises(IntegrityError):
        DatasetVersion.objects.create(dataset=dataset, number=3, parent=first)


def test_a_tombstone_says_why(dataset: Dataset) -> None:
    version = DatasetVersion.objects.create(dataset=dataset, number=1)
    entry = VersionEntry.objects.create(version=version, ordinal=1, item=dataset.items.get(), digest=HASH)
    with pytest.raises(IntegrityError):
        Tombstone.objects.create(
            version=version, sequence=1, entry=entry, reason="", at=timezone.now(), chain_hash=HASH
        )


@pytest.mark.parametrize(
    "values",
    [
        {"status": "odd"},
        {"status": "done"},
        {"status": "failed", "finished_at": timezone.now()},
        {"status": "running"},
        {"finished_at": timezone.now()},
    ],
)
def test_a_job_says_how_it_stands(cast: Cast, dataset: Dataset, values: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError):
        ImportJob.objects.create(workspace=cast.workspace, dataset=dataset, reader="jsonl", **values)


def test_an_import_explains_a_line_once(cast: Cast, dataset: Dataset) -> None:
    job = ImportJob.objects.create(workspace=cast.workspace, dataset=dataset, reader="jsonl")
    ImportProblem.objects.create(job=job, line=3, reason="No tool.")
    with pytest.raises(IntegrityError):
        ImportProblem.objects.create(job=job, line=3, reason="No tool.")


@pytest.mark.parametrize("values", [{"format": "xml"}, {"status": "done", "finished_at": timezone.now()}])
def test_an_export_has_a_format_and_in_the_end_a_file(cast: Cast, values: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError):
        ExportJob.objects.create(workspace=cast.workspace, **{"format": "csv", **values})


def test_an_export_is_of_one_thing(cast: Cast) -> None:
    campaign = study(cast).campaign
    version = DatasetVersion.objects.create(dataset=campaign.dataset, number=1)
    with pytest.raises(IntegrityError):
        ExportJob.objects.create(workspace=cast.workspace, format="csv", campaign=campaign, version=version)


@pytest.mark.parametrize(
    "values",
    [
        {"taken_at": timezone.now()},
        {"reserved": True},
        {"answered_at": timezone.now()},
        {"slot": 0},
    ],
)
def test_a_free_slot_is_nobodys(cast: Cast, values: dict[str, Any]) -> None:
    slot = study(cast).campaign.assignments.all()[0]
    with pytest.raises(IntegrityError):
        Assignment.objects.filter(pk=slot.pk).update(**values)


def test_an_answered_slot_is_not_on_loan(cast: Cast) -> None:
    slot = study(cast).next()
    later = timezone.now() + timedelta(hours=1)
    with pytest.raises(IntegrityError):
        Assignment.objects.filter(pk=slot.pk).update(answered_at=timezone.now(), leased_until=later)


def test_a_slot_is_there_once(cast: Cast) -> None:
    slot = study(cast).next()
    with pytest.raises(IntegrityError):
        Assignment.objects.create(id=uuid4(), campaign=slot.campaign, item=slot.item, slot=slot.slot, rank=99)
