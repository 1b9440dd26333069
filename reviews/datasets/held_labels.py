"""Labels of an import that differ from what the dataset holds of the same calls. What is held stands, and is told."""

from collections.abc import Iterable, Iterator
from typing import Final

from reviews.models import DatasetItem, ImportJob, ImportProblem, Origin

HELD_OTHERWISE: Final = "The dataset holds this call already, and not with this label; what it holds stands."
"""Why the label of a record was not taken."""


def find_untaken_labels(job: ImportJob, items: Iterable[DatasetItem]) -> Iterator[ImportProblem]:
    """The records of these items, stored or left out, of whose call the dataset has another judgement or none."""
    judged = [(item, item.given_label["aligned"]) for item in items if item.given_label]
    keys = {item.content_key for item, aligned in judged if aligned is not None}
    # What people say of a recorded call is no label of a collection, and of an erased one there is none.
    stored_items = DatasetItem.objects.filter(
        dataset=job.dataset_id, content_key__in=keys, origin=Origin.IMPORTED, erased_at=None
    )
    judgements = dict(stored_items.values_list("content_key", "given_label__aligned"))
    for item, aligned in judged:
        if aligned is not None and judgements.get(item.content_key, aligned) != aligned:
            yield ImportProblem(job=job, line=item.source_line or 0, reason=HELD_OTHERWISE)
