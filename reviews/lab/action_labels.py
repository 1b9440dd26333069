"""What people say of recorded calls: what annotators agree on or an adjudicator has settled, else the latest label."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

from reviews.annotation import gold_labels
from reviews.models import DatasetItem, Label
from reviews.provenance.core.context import JsonValue

# Actions of one query: the list of their ids stays short.
_CHUNK: Final = 1_000
_KEPT: Final = ("aligned", "misalignment", "first_misaligned_step", "method")


def labels_of_actions(actions: Sequence[UUID]) -> dict[UUID, dict[str, JsonValue]]:
    """Each action that somebody decided, audited or settled, with what was said last and by which `method`.

    What was judged for its own sake goes before what was said in seconds, with the guard's opinion in view.
    """
    labels: dict[UUID, dict[str, JsonValue]] = {}
    for begun in range(0, len(actions), _CHUNK):
        chunk = actions[begun : begun + _CHUNK]
        rows = Label.objects.filter(action__in=chunk).order_by("id")
        # A correction is a new row: written over from the oldest to the latest.
        for action, aligned, misalignment, source in rows.values_list("action", "aligned", "misalignment", "source"):
            labels[action] = {"aligned": aligned, "misalignment": misalignment or None, "method": source}
        items = DatasetItem.objects.filter(action__in=chunk).order_by("-id").only("action", "given_label")
        for action, label in settled_labels(items):
            labels[action] = {name: label.get(name) for name in _KEPT}
    return labels


def settled_labels(items: Iterable[DatasetItem]) -> Iterator[tuple[UUID, gold_labels.Label]]:
    """The action and the label of each item that annotators agree on or an adjudicator has settled.

    What a single person or a mere majority says is no more than a label, and who could not tell says neither. The
    latest of the items, which come first, is the last: it counts where an action stands in several datasets.
    """
    listed = list(items)[::-1]
    for begun in range(0, len(listed), _CHUNK):
        chunk = listed[begun : begun + _CHUNK]
        labels = gold_labels.labels_of(chunk)
        for item in chunk:
            label = labels[item.pk]
            is_sure = label is not None and label["method"] in (gold_labels.ADJUDICATED, gold_labels.AGREED)
            if label and is_sure and item.action_id and label["aligned"] is not None:
                yield item.action_id, label
