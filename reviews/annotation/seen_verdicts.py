"""What reviewers who annotate have seen of the calls that they could be asked about."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from reviews import access
from reviews.models import Action, Decision, Membership, Role, VerdictSight


def leaves_sights(membership: Membership) -> bool:
    """Whether what the member looks at is kept: they may look at recorded calls, and be asked about some."""
    may_review = access.can(membership, access.Permission.VIEW)
    return may_review and access.can(membership, access.Permission.ANNOTATE)


def note_sights(membership: Membership, *, actions: Collection[UUID], reviews: Collection[UUID]) -> None:
    """Keep that the member was shown these calls, and those behind these items of the queue."""
    shown = access.actions_for(membership).filter(Q(pk__in=actions) | Q(review__in=reviews))
    # Those that are kept already are most of what a queue shows again and again.
    unseen = shown.exclude(sights__user=membership.user_id).values_list("pk", flat=True)
    rows = [VerdictSight(action_id=action, user_id=membership.user_id) for action in unseen.distinct()]
    VerdictSight.objects.bulk_create(rows, ignore_conflicts=True)


def blind_for(membership: Membership) -> Q:
    """Which slots are of items that the member can judge blind.

    Of imported items nothing was ever shown. Of recorded calls a reviewer is asked about those alone that came since
    their looks are kept, that they were not shown on any page, and that they did not decide. Administrators see what
    a campaign arrives at, and are asked about imported items only.
    """
    if not access.can(membership, access.Permission.VIEW):
        return Q()
    imported = Q(item__action__isnull=True)
    since = membership.workspace.reviewers_annotate_since
    if membership.role != Role.REVIEWER or since is None:
        return imported
    call = {"action": OuterRef("item__action")}
    seen = Exists(VerdictSight.objects.filter(user=membership.user_id, **call))
    decided = Exists(Decision.objects.filter(reviewer=membership.user_id, **call))
    recorded_since = Exists(Action.objects.filter(pk=OuterRef("item__action"), created_at__gte=since))
    return imported | (Q(recorded_since) & ~Q(seen) & ~Q(decided))
