"""What reviewers who annotate have seen of the calls that they could be asked about."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from reviews import access
from reviews.models import ROLE_VERBS, Action, Annotator, AuditEvent, Canary, Decision, Membership, Role, VerdictSight


def leaves_sights(membership: Membership) -> bool:
    """Whether what the member looks at is kept: they may look at recorded calls, and be asked about some."""
    may_review = access.can(membership, access.Permission.VIEW)
    return may_review and access.can(membership, access.Permission.ANNOTATE)


def note_sights(membership: Membership, *, actions: Collection[UUID], reviews: Collection[UUID]) -> None:
    """Keep that the member was shown these calls, and those behind these items of the queue."""
    visible = access.actions_for(membership).filter(Q(pk__in=actions) | Q(review__in=reviews))
    # Those that are kept already are most of what a queue shows again and again.
    unseen = visible.exclude(sights__user=membership.user_id).values_list("pk", flat=True)
    rows = [VerdictSight(action_id=action, user_id=membership.user_id) for action in unseen.distinct()]
    VerdictSight.objects.bulk_create(rows, ignore_conflicts=True)


def blind_for(membership: Membership) -> Q:
    """Which slots are of items that the member can judge blind.

    Of imported items nothing was ever shown. Of recorded calls nobody is asked about what a page has shown them, what
    they decided or what they met as a canary, which names no call, whichever role they have now; a reviewer about those
    alone that came since their looks are kept, and who once was a reviewer about those that came since they are one no
    more. Administrators see what a campaign arrives at, and are asked about imported items only.
    """
    imported = Q(item__action__isnull=True)
    views = access.can(membership, access.Permission.VIEW)
    since = membership.workspace.reviewers_annotate_since if views else _looked_until(membership)
    if membership.role == Role.ADMIN or (views and since is None):
        return imported
    call = {"action": OuterRef("item__action")}
    was_shown = Exists(VerdictSight.objects.filter(user=membership.user_id, **call))
    has_decided = Exists(Decision.objects.filter(reviewer=membership.user_id, **call))
    was_canary = Exists(Canary.objects.filter(user=membership.user_id, **call))
    unmet = ~Q(was_shown) & ~Q(has_decided) & ~Q(was_canary)
    if since is not None:
        unmet &= Q(Exists(Action.objects.filter(pk=OuterRef("item__action"), created_at__gte=since)))
    return imported | unmet


def blind_for_annotator(annotator: Annotator) -> Q:
    """The same of who takes part in a campaign; no slot of somebody who left, or may not annotate any more."""
    people = Membership.objects.filter(workspace=annotator.campaign.workspace_id, user=annotator.user_id)
    member = people.select_related("workspace", "user").first()
    if member is None or not access.can(member, access.Permission.ANNOTATE):
        return Q(pk__in=())
    return blind_for(member)


def _looked_until(membership: Membership) -> datetime | None:
    """Until when the person had a role that sees recorded calls; None where they never had one."""
    acts = AuditEvent.objects.filter(
        workspace=membership.workspace_id, verb__in=ROLE_VERBS, subject=membership.user.get_username()
    )
    listed = list(acts.order_by("-sequence").values_list("at", "details"))
    roles = {role for _, details in listed for role in details.values()}
    # The latest act gave them the role that they have.
    return listed[0][0] if roles - {Role.ANNOTATOR} else None
