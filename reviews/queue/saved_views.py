"""Listings that are saved under a name, for the whole workspace."""

from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from reviews import access
from reviews.errors import ConflictError
from reviews.models import Membership, SavedPage, SavedView

# Each stands on the page as a link: nobody looks through more.
MAX_SAVED_VIEWS: Final = 40


def views_of(membership: Membership, page: SavedPage) -> QuerySet[SavedView]:
    """The saved views of this page, by name."""
    return access.saved_views_for(membership).filter(page=page).order_by("name")


@transaction.atomic
def save_view(*, membership: Membership, page: SavedPage, name: str, query: str) -> SavedView:
    """Keep these filters under this name; one of the same name is replaced. Raises `ConflictError`."""
    access.require(membership, access.Permission.VIEW)
    views = views_of(membership, page)
    if views.exclude(name=name).count() >= MAX_SAVED_VIEWS:
        raise ConflictError(f"At most {MAX_SAVED_VIEWS} views can be saved. Remove one first.")
    view, _ = SavedView.objects.update_or_create(
        workspace=membership.workspace,
        page=page,
        name=name,
        defaults={"query": query, "created_by": membership.user},
    )
    return view


def remove_view(*, view: SavedView, membership: Membership) -> None:
    """Remove a view. Raises `ForbiddenError` for one of somebody else, unless an administrator asks."""
    if view.created_by_id != membership.user_id:
        access.require(membership, access.Permission.ADMINISTER)
    view.delete()
