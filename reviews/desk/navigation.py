"""What the frame around every page shows."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from reviews import access
from reviews.errors import ForbiddenError
from reviews.models import Membership

COUNTED_UP_TO: Final = 999
"""Beyond this many the exact number helps nobody and would cost more with every item."""
_SECTIONS = {
    "queue": "queue",
    "recent": "queue",
    "review": "queue",
    "settings": "settings",
    "settings-profile": "settings",
    "settings-preview": "settings",
    "settings-version": "settings",
    "settings-keys": "settings",
}


@dataclass(frozen=True)
class Navigation:
    """The person, where they work, and what waits there."""

    username: str
    membership: Membership | None
    administers: bool
    pending: str
    """How many items wait, as shown: `14`, or `999+`."""
    section: str
    demo: bool


def navigation(request: HttpRequest) -> dict[str, object]:
    """Context processor. Asks the database only when a template uses it."""
    return {"navigation": SimpleLazyObject(lambda: _navigation(request))}


def pending(membership: Membership) -> str:
    """How many items wait for a person in the workspace, as shown."""
    count = access.open_reviews_for(membership).order_by()[: COUNTED_UP_TO + 1].count()
    return str(count) if count <= COUNTED_UP_TO else f"{COUNTED_UP_TO}+"


def _navigation(request: HttpRequest) -> Navigation:
    membership = _membership(request)
    match = request.resolver_match
    return Navigation(
        username=_username(request),
        membership=membership,
        administers=membership is not None and access.can(membership, access.Permission.ADMINISTER),
        pending=pending(membership) if membership else "",
        section=_SECTIONS.get(match.url_name or "", "") if match else "",
        demo=settings.DEMO,
    )


def _username(request: HttpRequest) -> str:
    # A request refused before the authentication middleware has no user.
    user = getattr(request, "user", None)
    return user.get_username() if user is not None and user.is_authenticated else ""


def _membership(request: HttpRequest) -> Membership | None:
    known: Membership | None = getattr(request, "membership", None)
    if known is not None or not _username(request):
        return known
    try:
        return access.membership_for(request.user)
    except ForbiddenError:
        return None
