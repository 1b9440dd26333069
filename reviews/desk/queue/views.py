"""The queue: the items that wait for a person."""

import hashlib
from collections.abc import Collection
from typing import Final

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from reviews import access
from reviews.desk import navigation
from reviews.desk.addresses import Choice
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.queue import rows
from reviews.desk.queue.filters import MAX_COUNTED, PAGE_SIZE, Filters, choices_of
from reviews.desk.queue.pager import Pager
from reviews.models import Membership, Review, Role, SavedPage
from reviews.queue import saved_views
from reviews.queue.filtering import STOPPED_BY, select_reviews, types_among
from reviews.queue.ordering import QUEUE_ORDER

# Names that a list of choices offers at most: nobody reads through more.
MAX_OPTIONS: Final = 200
# Hexadecimal digits of the queue's version: 64 bits are far more than a poll needs to notice a change.
_VERSION_LENGTH: Final = 16
# Parts of the page that htmx fetches alone, by the id of the element that they replace.
_PARTS: Final = {"queue-list": "queue/queue.html#live", "queue-panel": "queue/queue.html#panel"}


@require_safe
@member_page
def queue(request: MemberRequest) -> HttpResponse:
    """The waiting items, or 204 for a poll that names the version (`since`) which is still current."""
    membership, filters = request.membership, Filters.of(request.GET)
    if not access.can(membership, access.Permission.VIEW):
        # Where signing in and old bookmarks lead: an annotator's work is elsewhere.
        return redirect("campaigns")
    waiting = select_reviews(membership, filters.selection)
    pager = Pager.of(filters, _count(request, filters, waiting))
    items = rows.row_values(_slice(waiting, pager, membership))
    listed = rows.rows_of(items, membership, within=pager.filters.within)
    # Everything about a listing that can change while it is open, and nothing else: otherwise every poll would swap
    # the table under the reader's eyes.
    changing = ("id", "priority", "holder", "approved_first_by", "meant_for")
    states = [" ".join(str(row[name]) for name in changing) for row in listed]
    facts = [navigation.pending(request, membership), str(pager.counted), *states]
    digest = hashlib.sha256("\n".join(facts).encode()).hexdigest()
    version = digest[:_VERSION_LENGTH]
    if request.GET.get("since") == version:
        return HttpResponse(status=204)
    context = {
        "rows": listed,
        "filters": pager.filters,
        "pager": pager,
        "version": version,
        "holders": filters.holder_chips(),
        # For the panel around the list only: a poll reads neither agents nor people.
        "types": lambda: filters.type_chips(_types_present(filters, pager, membership)),
        "choices": lambda: _choices(filters, membership),
        "views": lambda: list(saved_views.views_of(membership, SavedPage.QUEUE)),
        "view_page": SavedPage.QUEUE,
        "view_query": filters.first_page().query,
        "without_filters": Filters().href(),
        "submit_to": request.build_absolute_uri("/api/v1/actions"),
        "demo": settings.DEMO,
        "is_poll": "since" in request.GET,
    }
    target = request.htmx.target if request.htmx else None
    return render(request, _PARTS.get(target or "", "queue/queue.html"), context)


def _types_present(filters: Filters, pager: Pager, membership: Membership) -> Collection[str]:
    """The reasons to stop that some of the items have which the other filters let through; all where those are many."""
    if pager.counted > MAX_COUNTED:
        return STOPPED_BY
    return types_among(select_reviews(membership, filters.changed(stopped_by="").selection))


def _choices(filters: Filters, membership: Membership) -> list[Choice]:
    agents = access.agents_for(membership).order_by("name").values_list("name", flat=True)[:MAX_OPTIONS]
    people = access.members_for(membership).exclude(role=Role.ANNOTATOR).order_by("user__username")
    return choices_of(filters, agents, list(people.values_list("user__username", flat=True)[:MAX_OPTIONS]))


def _count(request: MemberRequest, filters: Filters, waiting: QuerySet[Review]) -> int:
    """How many items the filters let through, up to one more than are counted."""
    if filters.narrowed:
        return waiting.order_by().values("pk")[: MAX_COUNTED + 1].count()
    return navigation.count_pending(request, request.membership, up_to=MAX_COUNTED + 1)


def _slice(waiting: QuerySet[Review], pager: Pager, membership: Membership) -> QuerySet[Review]:
    """The items of one page, in the order of the queue."""
    keys = waiting.select_related(None).order_by(*QUEUE_ORDER).values("pk")[pager.start : pager.start + PAGE_SIZE]
    # What a row is joined with is read for these items only, not for all that stand before them.
    return access.reviews_for(membership).filter(pk__in=keys).order_by(*QUEUE_ORDER)
