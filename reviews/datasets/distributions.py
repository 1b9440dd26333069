"""What a dataset is made of, before it is frozen: how many items, and shares of tools, sources, labels and lengths.

Shares are those of a random sample, so that a page takes as long with a million items as with a thousand. Items are
drawn by the SHA-256 they are known by: the smallest hashes are a random choice, the same on every look, and lie next to
each other in an index. A dataset no larger than the sample is counted whole.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from django.db.models import IntegerField, QuerySet
from django.db.models.expressions import RawSQL

from reviews.annotation import gold_labels
from reviews.datasets.item_search import name_label
from reviews.models import Dataset, DatasetItem

# A share of one half is then known to 3 points, which a bar shows as well as more.
SAMPLE: Final = 1_000
"""Items that are looked at."""
# Counted exactly up to here, which takes milliseconds; behind it the hashes tell how many there are.
MAX_COUNTED: Final = 10_000
# Bars of one distribution; the rest is one more.
MAX_BARS: Final = 12
# Steps before the call, as people speak of conversations.
_LENGTHS: Final = ((0, "no step before it"), (1, "1 step"), (5, "2 to 5"), (10, "6 to 10"), (20, "11 to 20"))
_LONGEST: Final = "more than 20"
_HASHES: Final = 16**64


@dataclass(frozen=True)
class ItemCount:
    """How many items a dataset holds."""

    count: int
    is_estimate: bool


@dataclass(frozen=True)
class Bar:
    """One value with its share of the sample."""

    value: str
    count: int
    share: float


@dataclass(frozen=True)
class Distributions:
    """What the items are, as far as the sample tells."""

    count: ItemCount
    sampled: int
    is_whole: bool
    """Whether the sample is the whole dataset."""
    parts: Mapping[str, Sequence[Bar]]
    """By what is counted: tools, sources, origins, labels, methods, lengths."""

    @property
    def margin(self) -> float:
        """Half the width of a share's 95 % interval at its widest, in points; 0 of a whole dataset."""
        return 0.0 if self.is_whole or not self.sampled else 98.0 / sqrt(self.sampled)


def count_items(dataset: Dataset) -> ItemCount:
    """How many items there are: counted, or of a large dataset estimated from its hashes to about 3 %."""
    items = dataset.items.filter(erased_at__isnull=True)
    return _count_from(items, list(items.order_by("content_key").values_list("content_key", flat=True)[: SAMPLE + 1]))


def _count_from(items: QuerySet[DatasetItem], keys: Sequence[str]) -> ItemCount:
    """How many items there are, from the smallest keys: all of them, or one more than a sample."""
    if len(keys) <= SAMPLE:
        return ItemCount(len(keys), is_estimate=False)
    # Of n hashes spread evenly the k-th smallest lies at about k / n of their range.
    estimate = int((len(keys) - 1) * _HASHES / max(1, int(keys[-1], 16)))
    # Near the bound the count decides: an estimate may lie on the wrong side of it.
    counted = items[:MAX_COUNTED].count() if estimate < 2 * MAX_COUNTED else MAX_COUNTED
    if counted < MAX_COUNTED:
        return ItemCount(counted, is_estimate=False)
    return ItemCount(max(MAX_COUNTED, round(estimate, -3)), is_estimate=True)


def measure_distributions(dataset: Dataset) -> Distributions:
    """The shares of what the dataset holds now."""
    items = dataset.items.filter(erased_at__isnull=True)
    steps = RawSQL("jsonb_array_length(reviews_datasetitem.\"case\"->'history')", [], IntegerField())
    rows = items.select_related("action").defer("case").annotate(steps=steps)
    drawn: list[Any] = list(rows.order_by("content_key")[: SAMPLE + 1])
    # From the same rows: looking for the smallest keys a second time would cost as much again.
    count = _count_from(items, [item.content_key for item in drawn])
    sample = drawn[:SAMPLE]
    labels = gold_labels.labels_of(sample)
    counts_by_part = {
        "tools": Counter(item.tool or "no call" for item in sample),
        "sources": Counter(item.source.partition(": ")[0] or "this workspace" for item in sample),
        "origins": Counter(item.get_origin_display() for item in sample),
        "labels": Counter(name_label(labels[item.pk]) for item in sample),
        "how labels came about": Counter(map(_method_of, labels.values())),
        "length": Counter(_length_of(item) for item in sample),
    }
    parts = {name: _bars_of(counts, len(sample), name) for name, counts in counts_by_part.items()}
    return Distributions(count, len(sample), len(drawn) <= SAMPLE, parts)


def _method_of(label: gold_labels.Label | None) -> str:
    return str(label["method"]) if label is not None and gold_labels.is_judged(label) else "none"


def _length_of(item: Any) -> str:
    steps = item.action.position if item.action is not None else item.steps or 0
    return next((words for most, words in _LENGTHS if steps <= most), _LONGEST)


def _bars_of(counts: Counter[str], total: int, name: str) -> list[Bar]:
    """The most frequent values, lengths in their order, and all others as one."""
    if name != "length":
        return bars_of_counts(counts, total)
    order = [words for _, words in _LENGTHS] + [_LONGEST]
    return [Bar(words, counts[words], counts[words] / total) for words in order if counts[words]]


def bars_of_counts(counts: Mapping[str, int], total: int) -> list[Bar]:
    """The most frequent values, and all others as one."""
    listed = Counter(counts).most_common(MAX_BARS)
    bars = [Bar(value, count, count / max(1, total)) for value, count in listed]
    rest = sum(counts.values()) - sum(bar.count for bar in bars)
    return [*bars, Bar("all others", rest, rest / max(1, total))] if rest else bars


def list_sources(dataset: Dataset) -> list[str]:
    """The collections of the sample, for a choice."""
    keys = dataset.items.filter(erased_at__isnull=True).order_by("content_key").values("pk")[:SAMPLE]
    sources = DatasetItem.objects.filter(pk__in=keys).exclude(source="").values_list("source", flat=True)
    return sorted({source.partition(": ")[0] for source in sources})


def list_tools(dataset: Dataset) -> list[str]:
    """The tools of the sample, for a choice; a tool that is rarer can be searched for."""
    keys = dataset.items.filter(erased_at__isnull=True).order_by("content_key").values("pk")[:SAMPLE]
    tools = DatasetItem.objects.filter(pk__in=keys).order_by("tool").values_list("tool", flat=True).distinct()
    return [tool for tool in tools if tool]
