"""Who gets which item next: slots are lent by the database, so that no item is answered by more people than asked."""

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from reviews import access
from reviews.annotation.seen_verdicts import blind_for
from reviews.errors import CampaignStateError, NotAssignedError, found
from reviews.models import Annotation, Annotator, Assignment, Campaign, CampaignState, Draft, Membership
from reviews.records.transactions import retry_on_conflict


@retry_on_conflict
@transaction.atomic
def next_item(*, campaign: Campaign, membership: Membership) -> Assignment | None:
    """The slot the person works on, or a free one, lent to them; None when nothing is left for them.

    Raises `ForbiddenError`, `NotFoundError` for a campaign they take no part in, and `CampaignStateError`.
    """
    annotator, blind = lock_annotator(campaign, membership), blind_for(membership)
    _free_seen_slots(annotator, blind)
    mine = open_slots(annotator).order_by("-taken_at", "rank")
    # What is begun comes before what was put aside, that before anything new.
    slot = mine.filter(leased_until__isnull=False).first() or mine.first() or _take_free_slot(annotator, blind)
    return _lend_slot(slot, annotator) if slot else None


def lock_annotator(campaign: Campaign, membership: Membership) -> Annotator:
    """The member's part in the campaign, held until the transaction ends: first in the order of locks, before slots.

    Raises as `next_item` does.
    """
    # One person's tabs wait for each other here; different people do not meet.
    annotators = access.annotators_for(membership).select_for_update(of=("self",), no_key=True)
    annotator = found(annotators.filter(campaign=campaign).first(), "campaign")
    if annotator.campaign.state != CampaignState.RUNNING:
        raise CampaignStateError(annotator.campaign)
    return annotator


def lock_slot(annotator: Annotator, item: UUID, membership: Membership) -> Assignment:
    """The person's slot of the item, held until the transaction ends; a free one when theirs went to somebody else.

    Raises `NotAssignedError` when none is left. The caller holds the annotator.
    """
    slots = Assignment.objects.filter(annotator=annotator, item=item)
    own_slot = slots.select_for_update(of=("self",), no_key=True).first()
    if own_slot is not None and not slots.filter(blind_for(membership)).exists():
        raise NotAssignedError(
            "Meanwhile you were shown what others say of this call: somebody else is asked about it."
        )
    if own_slot is not None:
        return own_slot
    # Whoever comes back late to an item that still wants answers has not worked in vain. Only to one that was theirs.
    theirs = Q(annotator=annotator, item=item)
    if not (Draft.objects.filter(theirs).exists() or Annotation.objects.filter(theirs).exists()):
        raise NotAssignedError("This item is not assigned to you.")
    slot = _take_free_slot(annotator, blind_for(membership) & Q(item=item))
    if slot is None:
        raise NotAssignedError("Meanwhile others were asked about this item. What you entered is kept as a draft.")
    return _lend_slot(slot, annotator)


def was_given_away(annotator: Annotator, item: UUID) -> bool:
    """Whether the person began the item and holds it no longer: their lease ran out and somebody else has it."""
    slots = Assignment.objects.filter(annotator=annotator, item=item)
    return not slots.exists() and Draft.objects.filter(annotator=annotator, item=item).exists()


def open_slots(annotator: Annotator) -> QuerySet[Assignment]:
    """What the person holds and has not answered. A lease that has run out holds until somebody else takes the slot.

    Nobody is asked about what was erased.
    """
    return Assignment.objects.filter(annotator=annotator, answered_at__isnull=True, item__erased_at__isnull=True)


def wanted_slots(campaign: Campaign) -> QuerySet[Assignment]:
    """The places of answers that were given or are still wanted: none more of what was erased."""
    return campaign.assignments.filter(Q(answered_at__isnull=False) | Q(item__erased_at__isnull=True))


def gone_from(campaign: Campaign) -> QuerySet[Annotator]:
    """Those who answer nothing any more, put aside for them or not: they left, or their role does not annotate."""
    people = access.annotating_members(campaign.workspace_id).values("user")
    return Annotator.objects.filter(campaign=campaign).exclude(user__in=people)


def renew_lease(annotator: Annotator, item: UUID) -> bool:
    """Let the person keep the item for another lease; returns whether it was still theirs."""
    until = timezone.now() + timedelta(seconds=annotator.campaign.lease_seconds)
    return bool(open_slots(annotator).filter(item=item).update(leased_until=until))


def _free_seen_slots(annotator: Annotator, blind: Q) -> None:
    """Give to others what the person has come to see a verdict of meanwhile, put aside for them or not."""
    no_longer_blind = open_slots(annotator).exclude(blind).select_for_update(of=("self",), no_key=True)
    # In the order in which a manager locks them who gives them on.
    keys = list(no_longer_blind.order_by("rank").values_list("pk", flat=True))
    if keys:
        Assignment.objects.filter(pk__in=keys).update(annotator=None, reserved=False, taken_at=None, leased_until=None)


def _take_free_slot(annotator: Annotator, wanted: Q) -> Assignment | None:
    """The first slot that is free, or whose lease ran out, of an item that the person has nothing to do with yet."""
    now = timezone.now()
    lent = Assignment.objects.filter(item=OuterRef("item"), annotator=annotator)
    answered = Annotation.objects.filter(item=OuterRef("item"), annotator=annotator, in_force=True)
    abandoned = Q(reserved=False, leased_until__lte=now)
    free = Assignment.objects.filter(
        Q(annotator__isnull=True) | abandoned | Q(annotator__in=gone_from(annotator.campaign)),
        ~Exists(lent),
        ~Exists(answered),
        wanted,
        campaign=annotator.campaign_id,
        answered_at__isnull=True,
        item__erased_at__isnull=True,
    )
    # What others are being given at this moment is skipped, not waited for: a hundred people may ask at once.
    return free.select_for_update(of=("self",), skip_locked=True, no_key=True).order_by("rank").first()


def _lend_slot(slot: Assignment, annotator: Annotator) -> Assignment:
    now = timezone.now()
    # What was put aside for somebody else is no more than lent.
    slot.reserved = slot.reserved and slot.annotator_id == annotator.pk
    if slot.annotator_id != annotator.pk or slot.taken_at is None:
        slot.annotator, slot.taken_at = annotator, now
    slot.leased_until = now + timedelta(seconds=annotator.campaign.lease_seconds)
    slot.save(update_fields=["annotator", "reserved", "taken_at", "leased_until"])
    return slot
