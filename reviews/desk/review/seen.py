"""What a person had before them when they decided: which call, and since when.

Every page that can send a decision carries a signed token of both, so that the rules of the desk hold on the server
too, with or without its scripts: nothing is decided that was not shown to this person, or only just appeared.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from django.core import signing
from django.utils import timezone

from reviews.desk.membership import MemberRequest
from reviews.errors import NotSeenError
from reviews.models import Membership, Review

MIN_LOOK: Final = timedelta(milliseconds=600)
"""As `IN_VIEW_MILLISECONDS` in static/js/review/safety.js: what a person needs to see that a page is another one."""
FIELD: Final = "seen"
_SALT: Final = "reviews.desk.review.seen"


def sign_token(review: Review, membership: Membership, at: datetime | None = None) -> str:
    """The word of a page that shows the item to this person since then, by default since now."""
    shown_at = (at or timezone.now()).timestamp()
    return signing.dumps([*_name_subject(review, membership), shown_at], salt=_SALT)


def keep_token(request: MemberRequest, review: Review) -> str:
    """The token that the request brought, for the page goes on showing the call; a new one where it brought none."""
    brought = (request.POST if request.method == "POST" else request.GET).get(FIELD, "")
    try:
        read_shown_at(brought, review, request.membership)
    except NotSeenError:
        return sign_token(review, request.membership)
    return brought


def check_seen(request: MemberRequest, review: Review) -> datetime:
    """Since when the page that sent a decision has shown this very call to this person.

    Raises `NotSeenError`, also when that is too short.
    """
    shown_at = read_shown_at(request.POST.get(FIELD, ""), review, request.membership)
    if timezone.now() - shown_at < MIN_LOOK:
        raise NotSeenError("This call has only just appeared. Look at it, then decide.")
    return shown_at


def read_shown_at(token: str, review: Review, membership: Membership) -> datetime:
    """When a page was made that shows this call to this person. Raises `NotSeenError` for any other token."""
    try:
        *subject, shown_at = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        raise NotSeenError("This page is not up to date. Reload it, look again, then decide.") from None
    if subject != _name_subject(review, membership):
        raise NotSeenError("This page showed another call. Reload it, look again, then decide.")
    return datetime.fromtimestamp(shown_at, UTC)


def _name_subject(review: Review, membership: Membership) -> list[str | int]:
    return [str(review.pk), review.action.digest, membership.user_id]
