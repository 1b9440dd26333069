"""Who of a campaign does what is left: give a person's open items to others, ask about what came in since."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from reviews import access, audit
from reviews.annotation.assignment import open_slots, wanted_slots
from reviews.annotation.campaigns import items_of
from reviews.annotation.seen_verdicts import blind_for_annotator
from reviews.errors import CampaignStateError
from reviews.models import Annotator, Assignment, Campaign, CampaignState, Membership

_BATCH = 2_000


@dataclass(frozen=True)
class ClosingCost:
    """What is missing when a campaign is closed now."""

    answers: int
    """Answers that were asked for and not given."""
    single: int
    """Items with one answer, of which no agreement can be told."""
    unanswered: int
    unsettled: int
    """Items about which people differ and nobody has settled."""


@transaction.atomic
def release_items(*, campaign: Campaign, membership: Membership, annotator: Annotator, to: Annotator | None) -> int:
    """Take from a person what they have not answered: for whoever comes next, or put aside for `to`.

    What `to` could not judge blind, has answered or has given back is for whoever comes next. What the person typed
    stays their draft. Returns how many items that were. Raises `ForbiddenError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    theirs = open_slots(annotator).filter(campaign=campaign)
    # Locked in the order in which they are lent, so that an answer on its way is either seen or finds the slot gone.
    keys = list(theirs.select_for_update(of=("self",), no_key=True).order_by("rank").values_list("pk", flat=True))
    slots = campaign.assignments.filter(pk__in=keys)
    slots.update(annotator=None, reserved=False, taken_at=None, leased_until=None)
    if to is not None:
        # A person answers an item once, whichever of its slots they hold.
        theirs = slots.filter(blind_for_annotator(to)).exclude(item__in=items_of(to))
        slots.filter(pk__in=list(theirs.values_list("pk", flat=True))).update(annotator=to, reserved=True)
    details = {"from": annotator.user.get_username(), "to": to.user.get_username() if to else "", "items": len(keys)}
    audit.record(
        workspace=membership.workspace, verb="campaign.released", subject=str(campaign.pk), by=membership,
        details=details, name=campaign.name,
    )  # fmt: skip
    return len(keys)


@transaction.atomic
def extend_campaign(*, campaign: Campaign, membership: Membership) -> int:
    """Ask about what came into the dataset since, behind all else; returns how many items. Harmless to repeat.

    Raises `ForbiddenError` and `CampaignStateError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    # Of two managers who extend at once the second finds nothing new.
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if campaign.state == CampaignState.CLOSED:
        raise CampaignStateError(campaign)
    items = new_items(campaign)
    last: int | None = campaign.assignments.aggregate(last=Max("rank"))["last"]
    slots, begin = range(1, campaign.annotators_per_item + 1), (last if last is not None else -1) + 1
    Assignment.objects.bulk_create(
        (
            Assignment(
                campaign=campaign, item_id=item, slot=slot, probability=1.0,
                rank=begin + index * campaign.annotators_per_item + slot - 1,
            )
            for index, item in enumerate(items)
            for slot in slots
        ),
        batch_size=_BATCH,
    )  # fmt: skip
    details = {"items": len(items)}
    audit.record(
        workspace=membership.workspace, verb="campaign.extended", subject=str(campaign.pk), by=membership,
        details=details, name=campaign.name,
    )  # fmt: skip
    return len(items)


def new_items(campaign: Campaign) -> list[UUID]:
    """Items that came into the dataset after the campaign was opened and that it does not ask about."""
    since = campaign.dataset.items.filter(created_at__gt=campaign.created_at, erased_at__isnull=True)
    return list(since.exclude(assignments__campaign=campaign).order_by("id").values_list("pk", flat=True))


def cost_of_closing(campaign: Campaign, *, unsettled: int) -> ClosingCost:
    """What is missing now, from one pass over the slots."""
    answered: dict[UUID, int] = {}
    missing = 0
    for item, at in wanted_slots(campaign).values_list("item", "answered_at"):
        answered[item] = answered.get(item, 0) + (at is not None)
        missing += at is None
    counts = list(answered.values())
    return ClosingCost(missing, counts.count(1) if campaign.annotators_per_item > 1 else 0, counts.count(0), unsettled)
