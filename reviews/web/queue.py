"""The queue: what waits for a person, and what was decided lately."""

import hashlib
from dataclasses import dataclass, replace
from typing import Final, Literal
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Prefetch, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from reviews import access, pagination
from reviews.models import Action, Check, Decision, Membership, MisalignmentType, Review, VerdictLabel
from reviews.reviewing import QUEUE_ORDER
from reviews.web import navigation
from reviews.web.membership import MemberRequest, member_page

PAGE_SIZE: Final = 50
MOST_SHOWN: Final = 300
"""Rows one page may grow to; behind them the listing goes on as a new page."""
RECENT_ORDER: Final = ("-closed_at", "-id")
LONGEST_SEARCH: Final = 100
STOPPED_BY: Final = (*MisalignmentType.values, VerdictLabel.UNDETERMINED.value)

Holder = Literal["all", "mine", "unclaimed"]
HOLDERS: Final[tuple[Holder, ...]] = ("all", "mine", "unclaimed")


@dataclass(frozen=True)
class Filters:
    """What of the queue is shown. Lives in the address, so that it can be kept and shared."""

    holder: Holder = "all"
    stopped_by: str = ""
    """A misalignment type, or `undetermined`; empty for every one."""
    tool: str = ""
    """Part of a tool's name."""
    after: str = ""
    """Cursor the page starts behind."""
    shown: int = PAGE_SIZE

    @classmethod
    def of(cls, request: MemberRequest) -> "Filters":
        """The filters in the address; what is not understood is left out."""
        asked = request.GET
        shown = asked.get("shown", "")
        return cls(
            holder=next((name for name in HOLDERS if name == asked.get("holder")), "all"),
            stopped_by=asked["type"] if asked.get("type") in STOPPED_BY else "",
            tool=asked.get("tool", "").replace("\x00", "").strip()[:LONGEST_SEARCH],
            after=asked.get("after", ""),
            shown=min(max(int(shown), PAGE_SIZE), MOST_SHOWN) if shown.isdecimal() else PAGE_SIZE,
        )

    @property
    def narrowed(self) -> bool:
        """Whether anything is hidden by choice."""
        return bool(self.holder != "all" or self.stopped_by or self.tool)

    def href(self) -> str:
        """The address of the queue under these filters."""
        asked = {
            "holder": self.holder if self.holder != "all" else "",
            "type": self.stopped_by,
            "tool": self.tool,
            "after": self.after,
            "shown": self.shown if self.shown != PAGE_SIZE else "",
        }
        query = urlencode({name: value for name, value in asked.items() if value})
        return reverse("queue") + (f"?{query}" if query else "")


@dataclass(frozen=True)
class Chip:
    """A filter that is one click away."""

    label: str
    href: str
    chosen: bool


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
    membership, filters = request.membership, Filters.of(request)
    page = pagination.keyset(
        _waiting(membership, filters), order=QUEUE_ORDER, cursor=filters.after or None, limit=filters.shown
    )
    rows = [_row(review, membership) for review in page.items]
    pending = navigation.pending(membership)
    version = _version(rows, pending)
    if request.GET.get("since") == version:
        return HttpResponse(status=204)
    context = {
        "rows": rows,
        "filters": filters,
        "version": version,
        "more": _more(filters, page.next_cursor),
        "top": replace(filters, after="", shown=PAGE_SIZE).href(),
        "holders": _holder_chips(filters),
        "types": _type_chips(filters),
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
    page = pagination.keyset(listing, order=RECENT_ORDER, cursor=request.GET.get("after") or None, limit=PAGE_SIZE)
    older = f"?{urlencode({'after': page.next_cursor})}" if page.next_cursor else ""
    part = "queue/recent.html#list" if request.htmx else "queue/recent.html"
    return render(request, part, {"reviews": page.items, "older": older, "after": request.GET.get("after", "")})


def _waiting(membership: Membership, filters: Filters) -> QuerySet[Review]:
    reviews = access.open_reviews_for(membership).prefetch_related(
        Prefetch("action__checks", Check.objects.only("action", "verdict", "misalignment"))
    )
    reviews = reviews.filter(_held(membership, filters.holder))
    if filters.tool:
        reviews = reviews.filter(action__tool__icontains=filters.tool)
    if filters.stopped_by == VerdictLabel.UNDETERMINED:
        return reviews.filter(action__in=_checked(membership).filter(checks__verdict=VerdictLabel.UNDETERMINED))
    if filters.stopped_by:
        return reviews.filter(action__in=_checked(membership).filter(checks__misalignment=filters.stopped_by))
    return reviews


def _checked(membership: Membership) -> QuerySet[Action]:
    return access.actions_for(membership).select_related(None)


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


def _more(filters: Filters, next_cursor: str | None) -> str:
    """Where the next rows are: on this page while it may still grow, else on the next."""
    if next_cursor is None:
        return ""
    if filters.shown < MOST_SHOWN:
        return replace(filters, shown=filters.shown + PAGE_SIZE).href()
    return replace(filters, after=next_cursor, shown=PAGE_SIZE).href()


def _holder_chips(filters: Filters) -> list[Chip]:
    start = replace(filters, after="", shown=PAGE_SIZE)
    return [Chip(name.capitalize(), replace(start, holder=name).href(), filters.holder == name) for name in HOLDERS]


def _type_chips(filters: Filters) -> list[Chip]:
    start = replace(filters, after="", shown=PAGE_SIZE)
    chips = []
    for name in STOPPED_BY:
        chosen = filters.stopped_by == name
        chips.append(Chip(name.capitalize(), replace(start, stopped_by="" if chosen else name).href(), chosen))
    return chips


def _part_of(request: MemberRequest) -> str:
    """The page, or the part of it that htmx asked for by its target's id."""
    match request.htmx.target if request.htmx else None:
        case "queue-list":
            return "queue/queue.html#live"
        case "queue-panel":
            return "queue/queue.html#panel"
        case _:
            return "queue/queue.html"
