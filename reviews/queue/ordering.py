"""The order of the queue: what comes next, what came before, and where an item stands."""

from dataclasses import dataclass
from typing import Any, Final, cast

from django.db.models import Q

from reviews import access
from reviews.models import Membership, Review, pipeline
from reviews.models.sql import reviews as sql
from reviews.queue.filtering import Selection, free_for, select_reviews

# The gravest first, and among equals the one with the least time left, or what a model ranks first within a quarter of
# an hour (`learned_order`). The key decides between two of the same moment, so no two are equal.
QUEUE_ORDER: Final = ("-priority", "order_at", "id")
_UPWARDS: Final = ("priority", "-order_at", "-id")
EVERYTHING: Final = Selection()


def next_review(
    *, membership: Membership, after: Review | None = None, selection: Selection = EVERYTHING
) -> Review | None:
    """The next item of the selection that nobody else holds: behind `after`, from the top when there is none behind.

    Without what it is joined with, which a person who opens it has read anew.
    """
    if selection.narrows:
        return _next_of(membership, after, selection)
    parameters = access.open_review_parameters(membership) | {"user": membership.user_id, "role": membership.role}
    if after is not None:
        parameters |= {"after": after.pk, "priority": after.priority, "order_at": after.order_at}
    return pipeline.fetch_first(sql.select_next(behind=after is not None), parameters, Review)


def _next_of(membership: Membership, after: Review | None, selection: Selection) -> Review | None:
    items = free_for(select_reviews(membership, selection), membership).order_by(*QUEUE_ORDER)
    if after is None:
        return items.first()
    return items.filter(_comes_behind(after)).first() or items.exclude(pk=after.pk).first()


def previous_review(*, membership: Membership, before: Review, selection: Selection = EVERYTHING) -> Review | None:
    """The item of the selection in front of `before`; None at the top. As bare as `next_review`."""
    # Claimed items are not left out: going back leads to what the reviewer has just looked at.
    if not selection.narrows:
        return pipeline.fetch_first(sql.select_previous(), _beside(before, membership), Review)
    items = select_reviews(membership, selection).exclude(pk=before.pk).exclude(_comes_behind(before))
    return items.order_by(*_UPWARDS).first()


@dataclass(frozen=True)
class QueuePosition:
    """Where an item stands among those that wait."""

    position: int
    """From 1, in queue order."""
    waiting: int
    """How many items wait in all."""


def position_of(*, membership: Membership, review: Review, selection: Selection = EVERYTHING) -> QueuePosition:
    """Where the item stands among those of the selection that wait now, claimed ones included."""
    if not selection.narrows:
        ahead, waiting = cast(Any, pipeline.execute(sql.COUNT_AHEAD, _beside(review, membership)).fetchone())
        return QueuePosition(ahead + 1, waiting)
    items = select_reviews(membership, selection).order_by()
    ahead = items.exclude(pk=review.pk).exclude(_comes_behind(review)).count()
    return QueuePosition(ahead + 1, items.count())


def _beside(review: Review, membership: Membership) -> dict[str, Any]:
    """The parameters of statements on what waits for the member around the item."""
    place = {"review": review.pk, "priority": review.priority, "order_at": review.order_at}
    return access.open_review_parameters(membership) | place


def _comes_behind(review: Review) -> Q:
    """What comes after the review in `QUEUE_ORDER`."""
    return (
        Q(priority__lt=review.priority)
        | Q(priority=review.priority, order_at__gt=review.order_at)
        | Q(priority=review.priority, order_at=review.order_at, id__gt=review.pk)
    )
