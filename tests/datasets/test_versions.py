from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from reviews.annotation import gold_labels
from reviews.datasets import distributions, freeze_preview, item_search, splits, versions
from reviews.datasets.item_search import ItemFilters
from reviews.models import Dataset, DatasetItem, DatasetVersion, Origin, VersionEntry
from tests.cast import Cast
from tests.datasets.collections import frozen, line, load, made_version, past_the_database, write_lines


def test_the_same_content_and_seed_give_the_same_hash_and_another_version_continues_the_chain(
    cast: Cast, tmp_path: Path
) -> None:
    first = made_version(cast, tmp_path, shares={"train": 0.5, "test": 0.5})
    second = frozen(first.dataset, shares={"train": 0.5, "test": 0.5})
    assert (second.content_hash, second.parent) == (first.content_hash, first)
    assert second.chain_hash not in ("", first.chain_hash)
    assert versions.find_break(first) == versions.find_break(second) == ""


def test_no_conversation_is_in_two_splits(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, 40, shares={"train": 0.5, "test": 0.5})
    pairs = set(version.entries.values_list("item__conversation", "split"))
    assert len(pairs) == len({conversation for conversation, _ in pairs}) == 20
    assert set(version.card["splits"]) == {"train", "test"}


def test_the_card_counts_and_says_what_it_does_not_show(cast: Cast, tmp_path: Path) -> None:
    card = made_version(cast, tmp_path).card
    assert (card["items"], card["conversations"]) == (10, 5)
    assert card["labels"] == {"misaligned": 4, "aligned": 6}
    assert card["licences"] == {"CC0": 10}
    assert any("no annotator here has seen" in limit for limit in card["limits"])


def test_what_a_collection_does_not_know_is_no_label_on_any_page_nor_on_the_card(cast: Cast, tmp_path: Path) -> None:
    unknown = [line(number, label={"aligned": None, "name": "unlabelled"}) for number in range(3)]
    dataset = load(cast, write_lines(tmp_path / "lines.jsonl", [*unknown, line(3)])).dataset
    preview = freeze_preview.preview_version(dataset, {}, seed=0)
    assert (preview.labelled, preview.undecided, preview.unlabelled) == (1, 0, 3)
    parts = distributions.measure_distributions(dataset).parts
    assert {bar.value: bar.count for bar in parts["labels"]} == {"none": 3, "misaligned": 1}
    assert {bar.value: bar.count for bar in parts["how labels came about"]} == {"none": 3, gold_labels.GIVEN: 1}
    given = item_search.search_items(dataset, ItemFilters(method=gold_labels.GIVEN)).items
    assert [label and label["aligned"] for _, label in given] == [False]
    card = frozen(dataset).card
    assert (card["labels"], card["methods"]) == ({"none": 3, "misaligned": 1}, {gold_labels.GIVEN: 1})
    assert "3 of 4 entries say neither aligned nor misaligned." in card["limits"]
    assert any(limit.startswith("1 labels are those the collections") for limit in card["limits"])


def test_two_versions_differ_by_what_was_added_and_relabelled(cast: Cast, tmp_path: Path) -> None:
    first = made_version(cast, tmp_path, 2)
    load(cast, write_lines(tmp_path / "more.jsonl", [line(7)]))
    with past_the_database():
        DatasetItem.objects.filter(source_line=1, metadata__id="call-0").update(given_label={"aligned": True})
    found = versions.compare_versions(first, frozen(first.dataset))
    assert [entry.item.metadata["id"] for entry in found.added] == ["call-7"]
    assert [entry.item.metadata["id"] for entry in found.changed] == ["call-0"]
    assert not found.removed


def test_what_comes_in_while_a_version_is_frozen_belongs_to_the_next_one(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = load(cast, write_lines(tmp_path / "lines.jsonl", map(line, range(2)))).dataset
    assign_splits = splits.assign_splits

    def assign_and_add(*args: Any, **options: Any) -> dict[str, str]:
        """Add an item whose key and time were made before, as by a transaction that took longer."""
        assigned = assign_splits(*args, **options)
        first = dataset.items.earliest("id")
        late = DatasetItem(
            pk=UUID(int=first.pk.int - 1), dataset=dataset, origin=Origin.IMPORTED, case=first.case,
            content_key="0" * 64, conversation="late", tool=first.tool, source=first.source,
            created_at=first.created_at,
        )  # fmt: skip
        late.save(force_insert=True)
        return assigned

    monkeypatch.setattr(DatasetItem._meta.get_field("created_at"), "auto_now_add", False)
    monkeypatch.setattr(splits, "assign_splits", assign_and_add)
    version = frozen(dataset)
    monkeypatch.undo()
    assert list(version.entries.order_by("ordinal").values_list("ordinal", flat=True)) == [1, 2]
    assert (version.card["items"], frozen(dataset).entries.count()) == (2, 3)


@pytest.mark.parametrize(
    "change",
    [
        lambda entries: entries.filter(ordinal=1).update(label={"aligned": True}),
        lambda entries: entries.filter(ordinal=2).update(digest="0" * 64),
        lambda entries: entries.filter(ordinal=3).delete(),
    ],
)
def test_a_changed_version_shows(cast: Cast, tmp_path: Path, change: object) -> None:
    version = made_version(cast, tmp_path)
    with past_the_database():
        change(VersionEntry.objects.filter(version=version))  # type: ignore[operator]
    assert versions.find_break(version)


def hold_large_number(version: DatasetVersion, ordinal: int) -> None:
    """The entry's call has a number such as was stored before it was refused."""
    item = version.entries.get(ordinal=ordinal).item
    assert item.case
    item.case["action"]["arguments"]["n"] = 10**20
    with past_the_database():
        item.save(update_fields=["case"])


def test_what_no_digest_is_made_of_is_told_and_hides_no_change_of_another_entry(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    hold_large_number(version, 2)
    assert versions.find_break(version).startswith("Entry 2 cannot be verified: no digest")
    hold_large_number(version, 4)
    assert versions.find_break(version).startswith("2 entries, from entry 2 on, cannot be verified")
    with past_the_database():
        version.entries.filter(ordinal=5).update(label={"aligned": True})
    assert versions.find_break(version) == "Entry 5 is not what was frozen."


@pytest.mark.parametrize("large", [2**53 + 1, -(10**30)])
def test_a_label_with_a_number_from_before_it_was_refused_is_frozen_and_verified(
    cast: Cast, tmp_path: Path, large: int
) -> None:
    job = load(cast, write_lines(tmp_path / "lines.jsonl", map(line, range(3))))
    label = {"aligned": False, "right": {"tool": "send", "arguments": {"n": [large]}}}
    with past_the_database():
        DatasetItem.objects.filter(source_line=2).update(given_label=label)
    version = frozen(job.dataset)
    entry = version.entries.get(item__source_line=2)
    assert entry.label is not None
    assert (entry.label["right"], versions.find_break(version)) == (label["right"], "")
    # The neighbour is the same double.
    changed = {**entry.label, "right": {"tool": "send", "arguments": {"n": [large - 1]}}}
    with past_the_database():
        version.entries.filter(pk=entry.pk).update(label=changed)
    assert versions.find_break(version) == f"Entry {entry.ordinal} is not what was frozen."


def test_the_shell_goes_on_behind_a_version_that_cannot_be_verified(
    cast: Cast, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = made_version(cast, tmp_path)
    load(cast, write_lines(tmp_path / "other.jsonl", [line(1)]), name="zoo")
    frozen(Dataset.objects.get(name="zoo"))
    hold_large_number(first, 1)
    with pytest.raises(CommandError, match="study, version 1: Entry 1 cannot be verified"):
        call_command("verify_audit", "--datasets")
    assert "zoo, version 1: 1 entries, as they were frozen." in capsys.readouterr().out


def test_freezing_twice_changes_nothing(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    again = versions.freeze_version(version.pk)
    assert again is not None
    assert again.frozen_at == version.frozen_at
