"""Hand an item over: say whom it is meant for, or put it on top for somebody else."""

from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.utils import timezone

from reviews import access, audit
from reviews.errors import ForbiddenError
from reviews.models import Membership, Review, ReviewAssignment, Role
from reviews.queue import comments, review_claims
from reviews.queue.priority import ESCALATED_PRIORITY
from reviews.records.transactions import retry_on_conflict


@dataclass(frozen=True)
class Recipient:
    """Whom an item is meant for: one person, everybody of a role, or anybody."""

    member: Membership | None = None
    role: Role | None = None

    @property
    def name(self) -> str:
        """As the log has it; empty for anybody."""
        return self.member.user.get_username() if self.member else str(self.role or "")


ANYBODY: Final = Recipient()


@retry_on_conflict
@transaction.atomic
def assign_review(*, review: Review, membership: Membership, to: Recipient, note: str = "") -> None:
    """Say whom an item is meant for; it keeps its place. A note stands among its comments.

    Raises as `review_claims.claim_review` does, and `ForbiddenError` for a recipient who may not decide.
    """
    # Claimed first, so that nobody hands over what another person is looking at.
    review_claims.claim_review(review=review, membership=membership)
    _hand_over(review, membership, to, note)
    _record(review, membership, "review.assigned", to)


@retry_on_conflict
@transaction.atomic
def escalate_review(*, review: Review, membership: Membership, to: Recipient = ANYBODY, note: str = "") -> None:
    """Put an item on top for somebody else. Raises as `assign_review` does."""
    review_claims.claim_review(review=review, membership=membership)
    Review.objects.filter(pk=review.pk).update(priority=ESCALATED_PRIORITY, escalated_at=timezone.now())
    _hand_over(review, membership, to, note)
    _record(review, membership, "review.escalated", to)


def _hand_over(review: Review, membership: Membership, to: Recipient, note: str) -> None:
    """Store whom the claimed item is meant for, and give it back."""
    _store_recipient(review, membership, to)
    review_claims.release_claim(review=review, membership=membership)
    if note:
        comments.add_comment(review=review, membership=membership, body=note)


def _store_recipient(review: Review, membership: Membership, to: Recipient) -> None:
    if to == ANYBODY:
        ReviewAssignment.objects.filter(review=review).delete()
        return
    recipients = access.deciders_of(membership.workspace_id)
    if not recipients.filter(**{"pk": to.member.pk} if to.member else {"role": to.role}).exists():
        raise ForbiddenError("Nobody of this name decides here.")
    values = {"assignee": to.member.user if to.member else None, "role": to.role or ""}
    ReviewAssignment.objects.update_or_create(review=review, defaults=values | {"assigned_by": membership.user})


def _record(review: Review, membership: Membership, verb: str, to: Recipient) -> None:
    details = {"to": to.name} if to.name else {}
    audit.record(
        workspace=membership.workspace, verb=verb, subject=str(review.action_id), by=membership, details=details
    )
