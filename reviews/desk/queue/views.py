"""The queue: what waits for a person, and what was decided lately."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Prefetch, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from reviews import access, pagination
from reviews.desk import navigation
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.queue.filters import PAGE_SIZE, Filters, Holder
from reviews.errors import InvalidCursorError
from reviews.models import Action, Check, CheckMode, Decision, Membership, Review, VerdictLabel
from reviews.queue.order import QUEUE_ORDER

RECENT_ORDER: Final = ("-closed_at", "-id")


@dataclass(frozen=True)
class Row:
    """One waiting item as the table shows it."""

    review: Review
    stopped_by: str
    """A misalignment type, `undetermined` or `policy`."""
    holder: str
    """Who looks at it now: empty, a username, or `you`."""

    @property
    def state(self) -> str:
        """Everything about the row that can change while it waits."""
        return f"{self.review.pk} {self.review.priority} {self.holder}"


@require_safe
@member_page
def queue(request: MemberRequest) -> HttpResponse:
    """The waiting items. A poll names the state it shows (`since`) and hears nothing while that is still true."""
    membership, filters = request.membership, Filters.of(request.GET)
    page = _page(_waiting(membership, filters), order=QUEUE_ORDER, after=filters.after, limit=filters.shown)
    rows = [_row(review, membership) for review in page.items]
    pending = navigation.pending(membership)
    version = _version(rows, pending)
    if request.GET.get("since") == version:
        return HttpResponse(status=204)
    context = {
        "rows": rows,
        "filters": filters,
        "version": version,
        "more": filters.more(page.next_cursor),
        "top": filters.from_the_top().href(),
        "holders": filters.holder_chips(),
        "types": filters.type_chips(),
        "without_filters": Filters().href(),
        "submit_to": request.build_absolute_uri("/api/v1/actions"),
        "demo": settings.DEMO,
        "is_poll": "since" in request.GET,
    }
    return render(request, _part_of(request), context)


@require_safe
@member_page
def recent(request: MemberRequest) -> HttpResponse:
    """What left the queue, newest first: who decided what, and when."""
    closed = access.reviews_for(request.membership).filter(closed_at__isnull=False)
    in_force = Decision.objects.filter(in_force=True).select_related("reviewer")
    listing = closed.prefetch_related(Prefetch("action__decisions", in_force, to_attr="in_force"))
    after = request.GET.get("after", "")
    page = _page(listing, order=RECENT_ORDER, after=after, limit=PAGE_SIZE)
    older = f"?{urlencode({'after': page.next_cursor})}" if page.next_cursor else ""
    part = "queue/recent.html#list" if request.htmx else "queue/recent.html"
    return render(request, part, {"reviews": page.items, "older": older, "after": after})


def _page(listing: QuerySet[Review], *, order: Sequence[str], after: str, limit: int) -> pagination.Page[Review]:
    """The page behind a cursor; a cursor that is not ours starts at the top."""
    try:
        return pagination.keyset(listing, order=order, cursor=after or None, limit=limit)
    except InvalidCursorError:
        return pagination.keyset(listing, order=order, cursor=None, limit=limit)


def _waiting(membership: Membership, filters: Filters) -> QuerySet[Review]:
    reviews = access.open_reviews_for(membership).prefetch_related(
        Prefetch(
            "action__checks", Check.objects.enforced().only("action", "verdict", "misalignment").order_by("created_at")
        )
    )
    reviews = reviews.filter(_held(membership, filters.holder))
    if filters.tool:
        reviews = reviews.filter(action__tool__icontains=filters.tool)
    if filters.stopped_by == VerdictLabel.UNDETERMINED:
        return reviews.filter(action__in=_stopped(membership, checks__verdict=VerdictLabel.UNDETERMINED))
    if filters.stopped_by:
        return reviews.filter(action__in=_stopped(membership, checks__misalignment=filters.stopped_by))
    return reviews


def _stopped(membership: Membership, **by: str) -> QuerySet[Action]:
    return access.actions_for(membership).select_related(None).filter(checks__mode=CheckMode.ENFORCED, **by)


def _held(membership: Membership, holder: Holder) -> Q:
    now = timezone.now()
    match holder:
        case "mine":
            return Q(claimed_by=membership.user_id, claimed_until__gt=now)
        case "unclaimed":
            return Q(claimed_by__isnull=True) | Q(claimed_until__lte=now)
        case "all":
            return Q()


def _row(review: Review, membership: Membership) -> Row:
    checks = review.action.checks.all()
    stopped = [check.misalignment or check.verdict for check in checks if check.verdict != VerdictLabel.ALIGNED]
    return Row(review, stopped[0] if stopped else "policy", _holder(review, membership))


def _holder(review: Review, membership: Membership) -> str:
    if review.claimed_by is None or review.claimed_until is None or review.claimed_until <= timezone.now():
        return ""
    return "you" if review.claimed_by_id == membership.user_id else review.claimed_by.get_username()


def _version(rows: list[Row], pending: str) -> str:
    return hashlib.sha256("\n".join([pending, *(row.state for row in rows)]).encode()).hexdigest()[:16]


def _part_of(request: MemberRequest) -> str:
    """The page, or the part of it that htmx asked for by its target's id."""
    match request.htmx.target if request.htmx else None:
        case "queue-list":
            return "queue/queue.html#live"
        case "queue-panel":
            return "queue/queue.html#panel"
        case _:
            return "queue/queue.html"
