from pathlib import Path

from reviews.labels import datasets, erasure, versions
from reviews.models import DatasetItem
from tests.cast import Cast, approved
from tests.labels.collections import frozen


def test_a_conversation_is_erased_from_datasets_and_frozen_versions(cast: Cast, tmp_path: Path) -> None:
    action = approved(cast)
    dataset = datasets.create(membership=cast.admin, name="decided")
    datasets.add_decided(dataset=dataset, membership=cast.admin)
    version = frozen(dataset)
    assert erasure.erase_trace(action.trace, reason="asked by the person") == 1
    item = DatasetItem.objects.get()
    assert (item.action, item.case, item.given_label) == (None, None, None)
    assert action.trace.external_id not in item.conversation
    assert version.tombstones.get().reason == "asked by the person"
    assert versions.broken(version) == ""
    # Nothing of a dataset keeps the action from being deleted now.
    action.delete()


def test_a_tombstone_that_is_changed_shows(cast: Cast) -> None:
    approved(cast)
    dataset = datasets.create(membership=cast.admin, name="decided")
    datasets.add_decided(dataset=dataset, membership=cast.admin)
    version = frozen(dataset)
    erasure.erase_items(dataset.items.values_list("pk", flat=True), reason="on request")
    version.tombstones.update(reason="never mind")
    assert versions.broken(version) == "Tombstone 1 is not what was written."


def test_the_next_version_leaves_out_what_was_erased(cast: Cast) -> None:
    approved(cast)
    dataset = datasets.create(membership=cast.admin, name="decided")
    datasets.add_decided(dataset=dataset, membership=cast.admin)
    first = frozen(dataset)
    approved(cast)
    datasets.add_decided(dataset=dataset, membership=cast.admin)
    erasure.erase_items([first.entries.get().item_id], reason="on request")
    second = frozen(dataset)
    assert second.entries.count() == 1
    found = versions.difference(first, second)
    assert (found.added.count(), found.removed.count()) == (1, 1)
