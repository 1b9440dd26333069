"""The order of the queue: what comes next, what came before, and where an item stands."""

from dataclasses import dataclass

from django.db.models import Q
from django.utils import timezone

from reviews import access
from reviews.models import Membership, Review

# First come, first served within a priority. The key decides between two of the same moment, so no two are equal.
QUEUE_ORDER = ("-priority", "created_at", "id")


def next_review(*, membership: Membership, after: Review | None = None) -> Review | None:
    """The next item nobody else holds: behind `after` in queue order, from the top when there is none behind it.

    Without what it is joined with, which a person who opens it has read anew.
    """
    free = Q(claimed_by__isnull=True) | Q(claimed_by=membership.user_id) | Q(claimed_until__lte=timezone.now())
    items = access.open_reviews_for(membership).select_related(None).filter(free).order_by(*QUEUE_ORDER)
    if after is None:
        return items.first()
    # From the top again: what was passed over earlier still waits.
    others = items.exclude(pk=after.pk)
    return others.filter(_behind(after)).first() or others.first()


def previous_review(*, membership: Membership, before: Review) -> Review | None:
    """The item in front of `before` in queue order; None at the top."""
    # Claimed items are not left out: going back leads to what the reviewer has just looked at.
    items = access.open_reviews_for(membership).exclude(pk=before.pk).exclude(_behind(before))
    return items.order_by("priority", "-created_at", "-id").first()


@dataclass(frozen=True)
class QueuePosition:
    """Where an item stands among those that wait."""

    position: int
    """From 1, in queue order."""
    waiting: int
    """How many items wait in all."""


def position_of(*, membership: Membership, review: Review) -> QueuePosition:
    """Where the item stands among those that wait now, claimed ones included."""
    items = access.open_reviews_for(membership).order_by()
    ahead = items.exclude(pk=review.pk).exclude(_behind(review)).count()
    return QueuePosition(ahead + 1, items.count())


def _behind(review: Review) -> Q:
    """What comes after the review in `QUEUE_ORDER`."""
    return (
        Q(priority__lt=review.priority)
        | Q(priority=review.priority, created_at__gt=review.created_at)
        | Q(priority=review.priority, created_at=review.created_at, id__gt=review.pk)
    )
