from pathlib import Path

import pytest

from reviews.annotation import answers
from reviews.datasets import distributions, item_search
from reviews.datasets.item_search import ItemFilters
from reviews.models import Dataset, DatasetItem
from tests.annotation.study import MISALIGNED, study
from tests.cast import Cast
from tests.datasets.collections import line, load, made_version, write_lines


def names(dataset: Dataset, cursor: str = "", **filters: str) -> list[str]:
    """The conversations of a page's items."""
    page = item_search.search_items(dataset, ItemFilters(**filters), cursor)
    return [item.conversation for item, _ in page.items]


@pytest.fixture
def dataset(cast: Cast, tmp_path: Path) -> Dataset:
    """Six imported calls in three conversations."""
    return load(cast, write_lines(tmp_path / "calls.jsonl", map(line, range(6)))).dataset


def test_items_are_found_by_their_words_tool_source_and_label(dataset: Dataset) -> None:
    assert names(dataset) == ["talk-2", "talk-2", "talk-1", "talk-1", "talk-0", "talk-0"]
    assert names(dataset, text="ANN3@") == ["talk-1"]
    assert names(dataset, text="nowhere") == []
    assert len(names(dataset, tool="send", source="Our own JSON lines", origin="imported")) == 6
    assert names(dataset, tool="call") == []
    assert names(dataset, label="misaligned") == ["talk-1", "talk-0"]
    assert len(names(dataset, method="given by the collection")) == 6


def test_items_of_a_split_are_those_of_the_latest_version(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, shares={"train": 0.5, "test": 0.5})
    counts = [len(names(version.dataset, split=split)) for split in ("train", "test", "other")]
    assert (sum(counts), counts[2]) == (10, 0)
    assert all(counts[:2])


def test_flags_and_given_back_items_are_cases(cast: Cast) -> None:
    running = study(cast, items=3)
    flagged = running.given(0, MISALIGNED, flagged=True).item
    skipped = running.next()
    answers.skip_item(
        campaign=running.campaign, item=skipped.item_id, membership=running.people[0], reason="Broken.", seconds=1
    )
    dataset = running.campaign.dataset
    assert names(dataset, mark="flagged") == [flagged.conversation]
    assert names(dataset, mark="skipped") == [skipped.item.conversation]


def test_a_page_looks_through_a_window_and_says_where_to_go_on(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_search, "WINDOW", 4)
    first = item_search.search_items(dataset, ItemFilters(label="misaligned"))
    assert ([item.conversation for item, _ in first.items], first.is_partial) == (["talk-1"], True)
    assert names(dataset, first.next_cursor, label="misaligned") == ["talk-0"]
    assert names(dataset, "not a cursor") == ["talk-2", "talk-2", "talk-1", "talk-1"]


def test_a_page_takes_as_many_queries_whatever_it_finds(
    dataset: Dataset, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    for filters in (ItemFilters(), ItemFilters(text="ann"), ItemFilters(label="none")):
        with django_assert_num_queries(4):  # type: ignore[operator]
            item_search.search_items(dataset, filters)


def test_a_small_dataset_is_counted_whole(dataset: Dataset) -> None:
    measured = distributions.measure_distributions(dataset)
    assert (measured.sampled, measured.is_whole, measured.margin) == (6, True, 0)
    labels = {bar.value: bar.count for bar in measured.parts["labels"]}
    assert labels == {"aligned": 4, "misaligned": 2}
    assert [(bar.value, bar.share) for bar in measured.parts["length"]] == [("1 step", 1.0)]
    assert distributions.count_items(dataset).count == 6


def test_a_large_dataset_is_estimated_from_its_hashes(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributions, "SAMPLE", 2)
    assert not distributions.measure_distributions(dataset).is_whole
    monkeypatch.setattr(distributions, "MAX_COUNTED", 500)
    monkeypatch.setattr(distributions, "SAMPLE", 1_000)
    number = 3_000
    DatasetItem.objects.bulk_create(
        DatasetItem(
            dataset=dataset, origin="imported", case={}, content_key=f"{index * 16**64 // number:064x}", source="s: 1",
            conversation=str(index),
        )
        for index in range(number)
    )  # fmt: skip
    counted = distributions.count_items(dataset)
    assert counted.is_estimate
    assert counted.count == pytest.approx(number, rel=0.1)
