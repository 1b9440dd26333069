"""What people say about an item to each other."""

from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from reviews import access, audit
from reviews.errors import ConflictError
from reviews.models import Comment, Membership, Review

# Characters: half a page. What takes longer is not said beside one call.
MAX_COMMENT_LENGTH: Final = 2_000
# All of them stand on the item's page.
MAX_COMMENTS: Final = 200


def comments_on(review: Review, membership: Membership) -> QuerySet[Comment]:
    """The comments on the item, the earliest first."""
    return access.comments_for(membership).filter(review=review.pk)


@transaction.atomic
def add_comment(*, review: Review, membership: Membership, body: str) -> Comment:
    """Say something about an item, also once it is decided. Raises `ForbiddenError` and `ConflictError`."""
    access.require(membership, access.Permission.VIEW)
    if comments_on(review, membership).count() >= MAX_COMMENTS:
        raise ConflictError(f"An item has at most {MAX_COMMENTS} comments.")
    comment = Comment.objects.create(
        workspace=membership.workspace, review=review, author=membership.user, body=body[:MAX_COMMENT_LENGTH]
    )
    audit.record(workspace=membership.workspace, verb="review.commented", subject=str(review.action_id), by=membership)
    return comment
