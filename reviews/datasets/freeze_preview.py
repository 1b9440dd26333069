"""What a version would hold if it were frozen now, told before anything is made that cannot be undone."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from reviews.annotation.gold_labels import DISPUTED, MAJORITY, is_judged
from reviews.datasets import splits
from reviews.datasets.versions import iterate_labelled, stratum_of
from reviews.models import Dataset


@dataclass
class FreezePreview:
    """How many items have a label, and where each would stand."""

    labelled: int = 0
    """Items whose label says whether the call is right."""
    by_majority: int = 0
    """Those of them on which people differ; nobody has settled it."""
    undecided: int = 0
    """Items of which people say that nobody can tell."""
    unlabelled: int = 0
    disputed: int = 0
    """Items on which no answer is that of more than half, and that nobody has settled."""
    splits: dict[str, int] = field(default_factory=dict)
    """Items in each split, also in one that would be empty."""

    @property
    def items(self) -> int:
        """All that would be frozen."""
        return self.labelled + self.undecided + self.unlabelled + self.disputed

    @property
    def fingerprint(self) -> str:
        """The summary in one line: what a confirmation is of."""
        counts = (self.labelled, self.undecided, self.unlabelled, self.disputed)
        return " ".join([*map(str, counts), *(f"{name}={count}" for name, count in self.splits.items())])

    @property
    def empty_splits(self) -> list[str]:
        """Splits with a share and without an item."""
        return [name for name, count in self.splits.items() if not count]

    @property
    def needs_confirmation(self) -> bool:
        """Whether the version would lack labels, or one of its splits."""
        return bool(self.unlabelled or self.disputed or self.empty_splits)


def preview_version(dataset: Dataset, shares: Mapping[str, float], *, seed: int) -> FreezePreview:
    """Count the dataset's items as a version with these splits would hold them. Raises `InvalidError`."""
    splits.check_shares(shares)
    preview, conversations = FreezePreview(splits=dict.fromkeys(shares, 0)), Counter[str]()
    strata: list[tuple[str, str]] = []
    for batch in iterate_labelled(dataset.items.filter(erased_at__isnull=True).order_by("id")):
        for item, label in batch:
            conversations[item.conversation] += 1
            strata.append((item.conversation, stratum_of(item, label)))
            if label is None or not is_judged(label):
                preview.unlabelled += 1
            elif label["method"] == DISPUTED:
                preview.disputed += 1
            elif label["aligned"] is None:
                preview.undecided += 1
            else:
                preview.labelled += 1
                preview.by_majority += label["method"] == MAJORITY
    for conversation, split in splits.assign_splits(strata, shares, seed=seed).items():
        if split:
            preview.splits[split] += conversations[conversation]
    return preview
