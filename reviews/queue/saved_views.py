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
    """Keep these filters under this name; one of the same name is replaced, by whoever may remove it.

    Raises `ConflictError`.
    """
    access.require(membership, access.Permission.VIEW)
    views = views_of(membership, page)
    if views.exclude(name=name).count() >= MAX_SAVED_VIEWS:
        raise ConflictError(f"At most {MAX_SAVED_VIEWS} views can be saved. Remove one first.")
    if (standing := views.filter(name=name).first()) and not may_remove(standing, membership):
        raise ConflictError("Somebody else saved a view of this name. Give yours another one.")
    view, _ = SavedView.objects.update_or_create(
        workspace=membership.workspace,
        page=page,
        name=name,
        defaults={"query": query, "created_by": membership.user},
    )
    return view


def may_remove(view: SavedView, membership: Membership) -> bool:
    """Whether it is the person's own, or they administer the workspace."""
    return view.created_by_id == membership.user_id or access.can(membership, access.Permission.ADMINISTER)


def remove_view(*, view: SavedView, membership: Membership) -> None:
    """Remove a view. Raises `ForbiddenError` for one of somebody else, unless an administrator asks."""
    if view.created_by_id != membership.user_id:
        access.require(membership, access.Permission.ADMINISTER)
    view.delete()
