"""Claims on items of the queue: hold one with a lease, give it back, snooze it, take it over."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from reviews import access, audit
from reviews.errors import ClaimedError, ExpiresSoonError, not_open
from reviews.models import Action, Membership, Review, pipeline
from reviews.models.sql import reviews as sql
from reviews.records.transactions import retry_on_conflict

# As long as the last minutes are counted down on the page: what a careful decision takes.
LEFT_AFTER_SNOOZE: Final = timedelta(minutes=5)
"""How long before its expiry an item that was put off is back at the latest."""


def claim_review(*, review: Review, membership: Membership) -> Review:
    """Hold an item for `claim_seconds` of its profile; claiming one's own again renews the lease.

    Raises `ForbiddenError`, `ClaimedError`, `AlreadyDecidedError` and `NotOpenError`.
    """
    access.require(membership, access.Permission.DECIDE)
    now = timezone.now()
    until = now + timedelta(seconds=review.action.profile.claim_seconds)
    mine = Q(claimed_by=membership.user_id, claimed_until__gt=now)
    free = Q(claimed_by__isnull=True) | Q(claimed_until__lte=now)
    items = Review.objects.filter(pk=review.pk, closed_at__isnull=True)
    # One statement each: whether the item is free is decided by the database, not by what was read before.
    is_claimed = items.filter(mine).update(claimed_until=until) or items.filter(free).update(
        claimed_by=membership.user_id, claimed_at=now, claimed_until=until
    )
    review.refresh_from_db()
    if not is_claimed:
        raise ClaimedError(review) if review.closed_at is None else not_open(review.action)
    return review


def release_claim(*, review: Review, membership: Membership, until: datetime | None = None) -> None:
    """Give back what one holds; with `until` only the lease that ends then."""
    claimed = Review.objects.filter(pk=review.pk, claimed_by=membership.user_id)
    if until:
        claimed = claimed.filter(claimed_until=until)
    claimed.update(claimed_by=None, claimed_at=None, claimed_until=None)


def latest_wake(review: Review) -> datetime:
    """Until when the item may be hidden at most."""
    return review.due_at - LEFT_AFTER_SNOOZE


@retry_on_conflict
@transaction.atomic
def snooze_review(*, review: Review, membership: Membership, seconds: int) -> None:
    """Hide an item for `seconds` and give it back, but never until it expires: it comes back while there is time.

    Raises as `claim_review` does, and `ExpiresSoonError`.
    """
    # Claimed first, so that nobody can hide what another person is looking at.
    claim_review(review=review, membership=membership)
    now = timezone.now()
    wake = min(now + timedelta(seconds=seconds), latest_wake(review))
    if wake <= now:
        raise ExpiresSoonError("It expires too soon to be put off.")
    Review.objects.filter(pk=review.pk).update(snoozed_until=wake)
    release_claim(review=review, membership=membership)


@retry_on_conflict
@transaction.atomic
def take_over_claim(*, review: Review, membership: Membership) -> Review:
    """Claim an item that somebody else may hold: their lease ends. Raises as `claim_review` does."""
    access.require(membership, access.Permission.ADMINISTER)
    # Locked before its holder is read: the log names whom it was taken from.
    locked = Review.objects.select_for_update(of=("self",), no_key=True).select_related("claimed_by")
    current = locked.filter(pk=review.pk, closed_at__isnull=True).first()
    holder = current.claimed_by if current else None
    is_taken = holder is not None and holder.pk != membership.user_id
    if is_taken:
        Review.objects.filter(pk=review.pk).update(claimed_by=None, claimed_at=None, claimed_until=None)
    claim_review(review=review, membership=membership)
    if is_taken and holder is not None:
        audit.record(
            workspace=membership.workspace,
            verb="review.taken_over",
            subject=str(review.action_id),
            by=membership,
            details={"from": holder.get_username()},
        )
    return review


def check_free(review: Review, membership: Membership) -> None:
    """Raises `ClaimedError` while another person's lease on the item runs."""
    now = timezone.now()
    if review.claimed_by_id not in (None, membership.user_id) and review.claimed_until and review.claimed_until > now:
        raise ClaimedError(review)


def close_review(action: Action) -> None:
    """Take an action out of the queue; without an open review nothing changes."""
    pipeline.execute(sql.CLOSE, (timezone.now(), action.pk))


def free_review(action: Action) -> None:
    """Leave an action in the queue, claimed by nobody."""
    free = {"claimed_by_id": None, "claimed_at": None, "claimed_until": None}
    pipeline.begin_update(Review, free, action_id=action.pk)


def reopen_review(action: Action, membership: Membership) -> Review:
    """Put an action that was taken out of the queue back into it, held by this person."""
    now = timezone.now()
    Review.objects.filter(action=action, closed_at__isnull=False).update(
        closed_at=None,
        claimed_by=membership.user_id,
        claimed_at=now,
        claimed_until=now + timedelta(seconds=action.profile.claim_seconds),
    )
    return Review.objects.get(action=action)


def stale_claims() -> QuerySet[Review]:
    """Open items whose lease ran out, the oldest lease first."""
    stale = Review.objects.filter(claimed_by__isnull=False, claimed_until__lte=timezone.now(), closed_at__isnull=True)
    return stale.order_by("claimed_until")


def release_stale_claim(review_id: UUID) -> bool:
    """Give the item back if its lease ran out. Returns whether this call did it."""
    # Compared again in the statement: its holder may have renewed the lease since it was found.
    released = stale_claims().order_by().filter(pk=review_id)
    return bool(released.update(claimed_by=None, claimed_at=None, claimed_until=None))
