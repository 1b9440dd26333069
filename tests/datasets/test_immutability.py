"""What was frozen or said stands in the database itself, whoever writes to it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from reviews.models import (
    Adjudication,
    AgentKey,
    Annotation,
    DatasetItem,
    DatasetVersion,
    Tombstone,
    VersionEntry,
    Workspace,
)
from reviews.retention import dataset_erasure
from tests.annotation.study import MISALIGNED, Study, study
from tests.cast import Cast
from tests.datasets.collections import frozen, made_version


def refused(act: Callable[[], Any]) -> None:
    """The act fails at once, or when its transaction would end."""
    with pytest.raises(IntegrityError):
        done(act)


@transaction.atomic
def done(act: Callable[[], Any]) -> None:
    """The act, with all that is put off until its transaction ends."""
    act()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.parametrize(
    "change",
    [
        lambda version: version.entries.filter(ordinal=1).update(label={"aligned": True}),
        lambda version: version.entries.filter(ordinal=1).update(split="test"),
        lambda version: version.entries.filter(ordinal=1).update(digest="0" * 64),
        lambda version: version.entries.filter(ordinal=1).update(label=None, erased_at=timezone.now()),
        lambda version: version.entries.filter(ordinal=1).delete(),
        lambda version: DatasetVersion.objects.filter(pk=version.pk).update(card={}),
        lambda version: DatasetVersion.objects.filter(pk=version.pk).update(
            frozen_at=None, content_hash="", chain_hash=""
        ),
        lambda version: DatasetVersion.objects.filter(pk=version.pk).delete(),
        lambda version: version.dataset.items.filter(source_line=1).update(case={"query": "Another"}),
        lambda version: version.dataset.items.filter(source_line=1).update(given_label={"aligned": True}),
    ],
    ids=[
        "label", "split", "digest", "erased without a tombstone", "entry deleted", "card", "thawed", "deleted", "case",
        "given label",
    ],
)  # fmt: skip
def test_a_frozen_version_does_not_change(
    cast: Cast, tmp_path: Path, change: Callable[[DatasetVersion], object]
) -> None:
    version = made_version(cast, tmp_path, 3)
    refused(lambda: change(version))


def test_a_frozen_version_takes_no_further_entry(cast: Cast, tmp_path: Path) -> None:
    first = made_version(cast, tmp_path, 3)
    item = first.dataset.items.get(source_line=1)
    refused(lambda: VersionEntry.objects.create(version=first, ordinal=4, item=item, digest="0" * 64))


def test_the_database_goes_on_after_a_refusal_and_other_versions_are_frozen(cast: Cast, tmp_path: Path) -> None:
    first = made_version(cast, tmp_path, 3)
    refused(lambda: first.entries.all().delete())
    assert frozen(first.dataset).content_hash == first.content_hash


def test_erasure_is_the_exception_and_its_tombstone_stands(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, 3)
    item = version.dataset.items.get(source_line=1)
    assert dataset_erasure.erase_items([item.pk], reason="Asked for.") == 1
    refused(lambda: Tombstone.objects.update(reason="Another reason."))
    refused(lambda: Tombstone.objects.all().delete())
    refused(lambda: DatasetItem.objects.filter(pk=item.pk).update(erased_at=timezone.now()))


@pytest.fixture
def labelled(cast: Cast) -> Study:
    """A campaign of one item with an answer that a later one supersedes."""
    running = study(cast, items=1, people=1, per_item=1)
    running.gives(0, running.given(0).item, MISALIGNED)
    return running


@pytest.mark.parametrize(
    "values",
    [{"judgement": "cannot_tell"}, {"note": "Changed."}, {"seconds": 3.0}, {"flagged": True}, {"in_force": True}],
    ids=str,
)
def test_a_superseded_answer_does_not_change(labelled: Study, values: dict[str, Any]) -> None:
    refused(lambda: Annotation.objects.filter(in_force=False).update(**values))


def test_an_answer_is_not_deleted_alone(labelled: Study) -> None:
    refused(lambda: Annotation.objects.filter(in_force=False).delete())


def test_a_settled_label_does_not_change(cast: Cast, labelled: Study) -> None:
    answer = Annotation.objects.get(in_force=True)
    settled = Adjudication.objects.create(
        campaign=labelled.campaign, item=answer.item, adjudicator=cast.admin.user, judgement="aligned",
        method="written", reason="The request says so.",
    )  # fmt: skip
    refused(lambda: Adjudication.objects.update(reason="Another."))
    dataset_erasure.erase_items([settled.item_id], reason="Asked for.")
    assert Adjudication.objects.get().reason == "Asked for."


def test_a_workspace_goes_with_all_of_it(cast: Cast, tmp_path: Path) -> None:
    made_version(cast, tmp_path, 3)
    study(cast, items=1, people=1, per_item=1).given(0)
    AgentKey.objects.filter(workspace=cast.workspace).delete()
    done(Workspace.objects.filter(pk=cast.workspace.pk).delete)
    assert not VersionEntry.objects.exists()
