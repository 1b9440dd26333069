from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from reviews.datasets import curation, versions
from reviews.models import Action, DatasetItem
from reviews.retention import dataset_erasure
from tests.cast import Cast, approved
from tests.datasets.collections import frozen, past_the_database
from tests.desk.desk import Desk


def test_a_conversation_is_erased_from_datasets_and_frozen_versions(cast: Cast, tmp_path: Path) -> None:
    action = approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    version = frozen(dataset)
    assert dataset_erasure.erase_items_of(action.trace, reason="asked by the person") == 1
    item = DatasetItem.objects.get()
    assert (item.action, item.case, item.given_label) == (None, None, None)
    assert action.trace.external_id not in item.conversation
    assert version.tombstones.get().reason == "asked by the person"
    assert versions.find_break(version) == ""
    # Nothing of a dataset keeps the action from being deleted now.
    action.delete()


def test_a_tombstone_that_is_changed_shows(cast: Cast) -> None:
    approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    version = frozen(dataset)
    dataset_erasure.erase_items(dataset.items.values_list("pk", flat=True), reason="on request")
    with past_the_database():
        version.tombstones.update(reason="never mind")
    assert versions.find_break(version) == "Tombstone 1 is not what was written."


def test_the_next_version_leaves_out_what_was_erased(cast: Cast) -> None:
    approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    first = frozen(dataset)
    approved(cast)
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    dataset_erasure.erase_items([first.entries.get().item_id], reason="on request")
    second = frozen(dataset)
    assert second.entries.count() == 1
    found = versions.compare_versions(first, second)
    assert (found.added.count(), found.removed.count()) == (1, 1)


def test_a_conversation_of_a_frozen_version_is_erased_at_the_shell_and_its_page_says_so(cast: Cast) -> None:
    action = approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    version = frozen(dataset)
    call_command("erase_trace", cast.workspace.slug, action.trace.external_id, stdout=StringIO())
    assert not Action.objects.exists()
    desk, page = Desk.of(cast.admin), f"/datasets/{dataset.pk}/versions/1"
    desk.shows(page, "1 entry of this version was erased on request", version.content_hash)
    desk.lacks(page, action.trace.external_id, "Daniel")
    desk.shows(f"{page}/verification", "are as they were written")


def test_what_was_changed_behind_the_back_of_a_version_shows(cast: Cast) -> None:
    approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    version = frozen(dataset)
    call_command("verify_audit", "--datasets", stdout=(output := StringIO()))
    assert "decided, version 1: 1 entries, as they were frozen." in output.getvalue()
    with past_the_database():
        version.entries.update(label={"aligned": True})
    Desk.of(cast.admin).shows(f"/datasets/{dataset.pk}/versions/1/verification", "Entry 1 is not what was frozen.")
    with pytest.raises(CommandError, match="Entry 1 is not what was frozen"):
        call_command("verify_audit", "--datasets", stdout=StringIO())
