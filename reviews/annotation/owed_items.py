"""What a member who takes part in campaigns still has to answer: until then they are shown nobody's answer about it.

An agent key reads and settles in the name of who issued it, and is shown no more than they are.
"""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from reviews.access import Principal
from reviews.models import (
    Annotation,
    Annotator,
    Assignment,
    Campaign,
    CampaignState,
    DatasetItem,
    DatasetVersion,
    Membership,
    VersionEntry,
)

IN_PLACE: Final = "—"
"""Of the label of such an item."""


def owed_slots(asker: Principal) -> QuerySet[Assignment]:
    """The places of all items that the person has neither answered nor given back, in campaigns that are not over.

    Also of those that other people hold: they may come back to everybody.
    """
    person = asker.user_id if isinstance(asker, Membership) else asker.created_by_id
    open_parts = Annotator.objects.filter(user=person, campaign__workspace=asker.workspace_id)
    campaigns = list(open_parts.exclude(campaign__state=CampaignState.CLOSED).values_list("campaign", flat=True))
    if not campaigns:
        # Of nearly every manager; nothing is asked of the tables.
        return Assignment.objects.none()
    same_place = {"campaign": OuterRef("campaign"), "item": OuterRef("item")}
    answered = Annotation.objects.filter(annotator__user=person, in_force=True, **same_place)
    return Assignment.objects.filter(~Exists(answered), campaign__in=campaigns)


def owed_items(asker: Principal) -> QuerySet[DatasetItem]:
    """The items of these places, and the same calls in other datasets: what is said of one is said of both."""
    calls = owed_slots(asker).values("item__content_key")
    return DatasetItem.objects.filter(dataset__workspace=asker.workspace_id, content_key__in=calls)


def owed_among(asker: Principal, items: Iterable[UUID]) -> set[UUID]:
    """Those of these items that the person still has to answer."""
    return set(owed_items(asker).filter(pk__in=list(items)).values_list("pk", flat=True))


def owed_entries(asker: Principal, version: DatasetVersion) -> QuerySet[VersionEntry]:
    """Entries of the version whose label tells the person something about an item that they still have to answer."""
    return version.entries.filter(item__in=owed_items(asker), label__isnull=False)


def owed_in(asker: Principal, campaign: Campaign) -> set[UUID]:
    """Items of the campaign that the person still has to answer, in it or in another one."""
    items = campaign.assignments.values("item")
    return set(owed_items(asker).filter(pk__in=items).values_list("pk", flat=True))
