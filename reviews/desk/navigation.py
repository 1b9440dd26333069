"""What the frame around every page shows."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from reviews import access
from reviews.desk.held_approvals import latest_outgoing
from reviews.desk.membership import membership_of
from reviews.errors import ForbiddenError
from reviews.models import Membership

# Beyond this many the exact number helps nobody and would cost more with every item.
COUNTED_UP_TO: Final = 999
_PENDING: Final = "pending_reviews"
"""Where a request keeps it: the queue's page needs it too."""
# Which entry of the frame is marked as current, by the name of the address.
_SECTIONS = {
    "queue": "queue",
    "recent": "queue",
    "review": "queue",
    "approve": "queue",
    "groups": "queue",
    "group": "queue",
    "group-decide": "queue",
    "order-give": "queue",
    **dict.fromkeys(("actions", "action", "judge", "audit", "trace", "agent"), "actions"),
    "overview": "overview",
    "own-decisions": "overview",
    "settings": "settings",
    "settings-profile": "settings",
    "settings-preview": "settings",
    "settings-version": "settings",
    "settings-keys": "settings",
    "members": "settings",
    "reviewing": "settings",
    "members-invite": "settings",
    "audit-verify": "settings",
    "tools": "settings",
    "learning": "settings",
    "audit-log": "settings",
    "campaigns": "campaigns",
    "campaign": "campaigns",
    "campaign-new": "campaigns",
    "adjudicate": "campaigns",
    "datasets": "campaigns",
    **dict.fromkeys(
        ("experiments", "experiment", "experiment-begin", "experiment-case", "experiments-compare"), "campaigns"
    ),
    **dict.fromkeys(
        (
            "dataset",
            "dataset-mapping",
            "dataset-items",
            "dataset-item",
            "dataset-distributions",
            "dataset-version",
            "dataset-entries",
            "dataset-comparison",
            "annotate",
            "annotate-own",
        ),
        "campaigns",
    ),
}


@dataclass(frozen=True)
class Navigation:
    """The person, their workspace, and how much waits there."""

    username: str
    """Empty when nobody has signed in."""
    membership: Membership | None
    administers: bool
    memberships: list[Membership]
    """All of the person's, to switch between workspaces."""
    reviews: bool
    """Whether the queue is for this person."""
    annotates: bool
    """Whether campaigns are."""
    pending: str
    """How many items wait, as written: `14`, or `999+`."""
    section: str
    demo: bool


def navigation(request: HttpRequest) -> dict[str, object]:
    """Context processor: `navigation` and `outgoing` for every template."""
    # Lazy, so that the fragments htmx fetches, most of which do not show the frame, cost no query.
    return {
        "navigation": SimpleLazyObject(lambda: _build_navigation(request)),
        "outgoing": SimpleLazyObject(lambda: latest_outgoing(request)),
    }


def pending(request: HttpRequest, membership: Membership) -> str:
    """How many items wait for a person in the workspace, as written in the frame."""
    # One more than is counted tells that there are more.
    count = count_pending(request, membership, up_to=COUNTED_UP_TO + 1)
    return str(count) if count <= COUNTED_UP_TO else f"{COUNTED_UP_TO}+"


def count_pending(request: HttpRequest, membership: Membership, *, up_to: int) -> int:
    """How many items wait, at least up to this many; a request counts them once, by whoever asks first."""
    count: int | None = getattr(request, _PENDING, None)
    if count is None:
        count = access.count_open_reviews(membership, up_to=up_to)
        note_pending(request, count)
    return count


def note_pending(request: HttpRequest, count: int) -> None:
    """How many items wait, for a page that has counted them already."""
    setattr(request, _PENDING, count)


def _build_navigation(request: HttpRequest) -> Navigation:
    # A request that was refused before the authentication middleware has no user.
    user = getattr(request, "user", None)
    signed_in = user is not None and user.is_authenticated
    membership: Membership | None = getattr(request, "membership", None)
    # Pages outside `member_page`, such as the 404 page, have not looked the membership up.
    if membership is None and signed_in:
        try:
            membership = membership_of(request)
        except ForbiddenError:
            membership = None
    match = request.resolver_match
    return Navigation(
        username=user.get_username() if user is not None and signed_in else "",
        membership=membership,
        administers=membership is not None and access.can(membership, access.Permission.ADMINISTER),
        memberships=access.memberships_in_order(user) if user is not None and signed_in else [],
        reviews=membership is not None and access.can(membership, access.Permission.VIEW),
        annotates=membership is not None and access.can(membership, access.Permission.ANNOTATE),
        pending=pending(request, membership) if membership else "",
        section=_SECTIONS.get(match.url_name or "", "") if match else "",
        demo=settings.DEMO,
    )
