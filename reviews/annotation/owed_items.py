"""What a member who takes part in campaigns still has to answer: until then they are shown nobody's answer about it."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from reviews.models import Annotation, Annotator, Assignment, CampaignState, DatasetItem, Membership

IN_PLACE: Final = "—"
"""Of the label of such an item."""


def owed_slots(membership: Membership) -> QuerySet[Assignment]:
    """The places of all items that the person has neither answered nor given back, in campaigns that are not over.

    Also of those that other people hold: they may come back to everybody.
    """
    open_parts = Annotator.objects.filter(user=membership.user_id, campaign__workspace=membership.workspace_id)
    campaigns = list(open_parts.exclude(campaign__state=CampaignState.CLOSED).values_list("campaign", flat=True))
    if not campaigns:
        # Of nearly every manager; nothing is asked of the tables.
        return Assignment.objects.none()
    same_place = {"campaign": OuterRef("campaign"), "item": OuterRef("item")}
    answered = Annotation.objects.filter(annotator__user=membership.user_id, in_force=True, **same_place)
    return Assignment.objects.filter(~Exists(answered), campaign__in=campaigns)


def owed_items(membership: Membership) -> QuerySet[DatasetItem]:
    """The items of these places."""
    return DatasetItem.objects.filter(pk__in=owed_slots(membership).values("item"))


def owed_among(membership: Membership, items: Iterable[UUID]) -> set[UUID]:
    """Those of these items that the person still has to answer."""
    return set(owed_slots(membership).filter(item__in=list(items)).values_list("item", flat=True))
