"""Items of datasets as the engine's values, and the lock that keeps one from being erased meanwhile."""

from uuid import UUID

from reviews.errors import NotFoundError
from reviews.models import DatasetItem
from reviews.provenance.core.context import Case
from reviews.records import load
from reviews.records.cases import case_from_json


def case_of_item(item: DatasetItem) -> Case:
    """The call in its context. Raises `NotFoundError` once the item is erased."""
    if item.action is not None:
        return load.load_case(item.action)
    if item.case is None:
        raise NotFoundError("This item was erased on request.")
    return case_from_json(item.case)


def lock_item(item_id: UUID) -> DatasetItem:
    """The item, held until the transaction ends: it is not erased before. Raises `NotFoundError` once it is erased."""
    item = DatasetItem.objects.select_for_update(of=("self",), no_key=True).get(pk=item_id)
    if item.erased_at is not None:
        raise NotFoundError("This item was erased on request.")
    return item
