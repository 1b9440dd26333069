"""The items that left the queue lately."""

from typing import Final
from urllib.parse import urlencode

from django.db.models import Prefetch
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from reviews import access, pagination
from reviews.desk.actions.rows import row_of_review
from reviews.desk.membership import MemberRequest, member_page
from reviews.errors import InvalidCursorError
from reviews.models import Decision

PAGE_SIZE: Final = 25
# The id makes the order total, without which a cursor could skip or repeat items that were closed in one instant.
RECENT_ORDER: Final = ("-closed_at", "-id")
# Where addresses of listings lead that are now listings of actions: people have bookmarked them.
_MOVED: Final = {
    "guard": "/actions?by=guard&outcome=approve",
    "policy": "/actions?by=policy&outcome=approve",
    "audit": "/audit",
}


@require_safe
@member_page
def recent_decisions(request: MemberRequest) -> HttpResponse:
    """The items that left the queue, newest first, with their decisions."""
    access.require(request.membership, access.Permission.VIEW)
    if address := _MOVED.get(request.GET.get("show", "")):
        return redirect(address)
    closed = access.reviews_for(request.membership).filter(closed_at__isnull=False)
    in_force = Decision.objects.filter(in_force=True).select_related("reviewer")
    listing = closed.prefetch_related(Prefetch("action__decisions", in_force, to_attr="in_force"))
    after = request.GET.get("after", "")
    try:
        page = pagination.keyset(listing, order=RECENT_ORDER, cursor=after or None, limit=PAGE_SIZE)
    except InvalidCursorError:
        page = pagination.keyset(listing, order=RECENT_ORDER, cursor=None, limit=PAGE_SIZE)
    context = {
        "rows": [row_of_review(review) for review in page.items],
        "older": f"?{urlencode({'after': page.next_cursor})}" if page.next_cursor else "",
        "after": after,
    }
    return render(request, "queue/recent.html#list" if request.htmx else "queue/recent.html", context)
