"""The dataset, version or item that an address names, as far as the member may see it."""

from uuid import UUID

from reviews import access
from reviews.desk.membership import MemberRequest
from reviews.errors import found
from reviews.models import Dataset, DatasetItem, DatasetVersion


def find_dataset(request: MemberRequest, dataset_id: UUID) -> Dataset:
    """Raises `ForbiddenError` and `NotFoundError`."""
    return found(access.datasets_for(request.membership).filter(pk=dataset_id).first(), "dataset")


def find_version(request: MemberRequest, dataset_id: UUID, number: int) -> DatasetVersion:
    """Raises `ForbiddenError` and `NotFoundError`."""
    versions = access.dataset_versions_for(request.membership).filter(dataset=dataset_id, number=number)
    return found(versions.first(), "version")


def find_item(request: MemberRequest, dataset_id: UUID, item_id: UUID) -> DatasetItem:
    """An item that is not erased. Raises `ForbiddenError` and `NotFoundError`."""
    items = find_dataset(request, dataset_id).items.filter(pk=item_id, erased_at__isnull=True)
    read_with = ("dataset", "action__trace__query", "action__tool_set", "action__profile", "import_job")
    return found(items.select_related(*read_with).first(), "item in this dataset")
