"""One person's answers: kept as drafts while typed, given, changed, given back, undone. Nothing is overwritten.

Rows are locked in this order: the person's part in the campaign, the slot (`annotation.assignment`), the item, so that
what is erased on request does not come back with an answer or a draft that was open.
"""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import starmap
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from reviews import access
from reviews.annotation.assignment import lock_annotator, lock_slot, renew_lease
from reviews.annotation.custom_questions import check_custom, read_questions
from reviews.annotation.schema import MAX_NESTING, Answer, check_answer
from reviews.annotation.suggestions import suggestion_for
from reviews.errors import ConflictError, FieldProblem, InvalidAnnotationError, NotAssignedError, found
from reviews.models import Annotation, Annotator, Assignment, Campaign, DatasetItem, Draft, Membership
from reviews.provenance.core.bounds import find_unacceptable_parts
from reviews.records.dataset_items import case_of_item, lock_item
from reviews.records.transactions import retry_on_conflict

# Characters of the JSON of a draft: a note, a corrected call and many marks, each at its longest, fit in.
MAX_DRAFT_LENGTH: Final = 1024 * 1024
MAX_SKIP_REASON_LENGTH: Final = 300


@transaction.atomic
def save_draft(
    *,
    campaign: Campaign,
    item: UUID,
    membership: Membership,
    content: Mapping[str, Any],
    seconds: float,
    opened_at: datetime | None = None,
) -> bool:
    """Keep what is typed, also while the campaign is paused, and renew the lease.

    `opened_at`: when the page was opened that sends it by itself; left out, the person sent it. Returns whether the
    item is still theirs. Raises `ForbiddenError`, `NotFoundError` also for an erased item, `NotAssignedError` for one
    the person never had, `ConflictError` once they have answered it since, and `InvalidAnnotationError` for a draft
    that is too long or cannot be stored.
    """
    annotator = found(access.annotators_for(membership).filter(campaign=campaign).first(), "campaign")
    if len(json.dumps(dict(content))) > MAX_DRAFT_LENGTH:
        raise InvalidAnnotationError(FieldProblem("/note", "This is more than a draft can hold."))
    if problems := list(find_unacceptable_parts(dict(content), max_nesting=MAX_NESTING)):
        raise InvalidAnnotationError(*starmap(FieldProblem, problems))
    drafts = Draft.objects.filter(campaign=campaign, item=item, annotator=annotator)
    is_theirs = renew_lease(annotator, item)
    # Theirs now, begun or answered before: not any item whose id somebody tries.
    had = (drafts, Assignment.objects.filter(annotator=annotator, item=item), annotator.annotations.filter(item=item))
    if not is_theirs and not any(rows.exists() for rows in had):
        raise NotAssignedError("This item is not assigned to you.")
    lock_item(item)
    # Behind the lock that an answer holds: what was on its way while the answer was given would bury it.
    if opened_at and annotator.annotations.filter(item=item, in_force=True, created_at__gt=opened_at).exists():
        raise ConflictError("You have answered this since the page was opened. Open it again to change your answer.")
    values = {"content": dict(content), "seconds": max(0.0, seconds), "saved_at": timezone.now()}
    Draft.objects.update_or_create(campaign=campaign, item_id=item, annotator=annotator, defaults=values)
    return is_theirs


@retry_on_conflict
@transaction.atomic
def store_answer(
    *,
    campaign: Campaign,
    item: UUID,
    membership: Membership,
    answer: Answer,
    seconds: float,
    flagged: bool = False,
    custom: Mapping[str, Any] = MappingProxyType({}),
) -> Annotation:
    """Store the person's answer, in place of an earlier one of theirs, and return it.

    Raises `ForbiddenError`, `NotFoundError`, `CampaignStateError`, `NotAssignedError` and `InvalidAnnotationError`, and
    `ConflictError` where a later answer would not be blind.
    """
    annotator = lock_annotator(campaign, membership)
    slot = lock_slot(annotator, item, membership)
    locked = lock_item(item)
    _require_blind_change(annotator, locked, membership)
    check_answer(answer, case_of_item(locked))
    if problems := check_custom(read_questions(annotator.campaign.custom_questions), custom):
        raise InvalidAnnotationError(*problems)
    columns = {**answer.to_columns(), "custom": dict(custom), "suggestion": suggestion_for(annotator.campaign, slot)}
    stored = _insert_annotation(annotator, slot, columns, seconds=seconds, flagged=flagged)
    slot.answered_at, slot.leased_until = timezone.now(), None
    slot.save(update_fields=["answered_at", "leased_until"])
    return stored


@retry_on_conflict
@transaction.atomic
def skip_item(
    *, campaign: Campaign, item: UUID, membership: Membership, reason: str, seconds: float, flagged: bool = False
) -> Annotation:
    """Give the item back for a reason; somebody else is asked. Raises as `store_answer` does."""
    annotator = lock_annotator(campaign, membership)
    slot = lock_slot(annotator, item, membership)
    _require_blind_change(annotator, lock_item(item), membership)
    if not reason.strip() or len(reason) > MAX_SKIP_REASON_LENGTH:
        problem = FieldProblem("/skip_reason", f"Say in at most {MAX_SKIP_REASON_LENGTH} characters why.")
        raise InvalidAnnotationError(problem)
    if problems := list(find_unacceptable_parts(reason, max_nesting=MAX_NESTING, at="/skip_reason")):
        raise InvalidAnnotationError(*starmap(FieldProblem, problems))
    stored = _insert_annotation(annotator, slot, {"skip_reason": reason.strip()}, seconds=seconds, flagged=flagged)
    # Nobody's again.
    slot.annotator, slot.reserved = None, False
    slot.taken_at = slot.leased_until = slot.answered_at = None
    slot.save(update_fields=["annotator", "reserved", "taken_at", "leased_until", "answered_at"])
    return stored


@retry_on_conflict
@transaction.atomic
def undo_latest_answer(*, campaign: Campaign, membership: Membership) -> UUID | None:
    """Take back the person's latest answer or skip; its content becomes a draft again.

    Returns the item, which is lent to the person again, or None when there is nothing to undo. Raises as
    `store_answer` does: `NotAssignedError` for a skipped item that meanwhile has all its answers.
    """
    annotator = lock_annotator(campaign, membership)
    # What was erased cannot be answered again, and keeps nobody from what they said before it.
    theirs = annotator.annotations.filter(in_force=True, item__erased_at__isnull=True)
    latest = theirs.order_by("-created_at", "-id").first()
    if latest is None:
        return None
    # Before the slot, because the answer in force would stand in its way. Nobody waits crosswise: the person's own slot
    # is theirs alone, and of free ones a locked one is passed over.
    _require_blind_change(annotator, lock_item(latest.item_id), membership)
    # The row stays, out of force: what was said at the time is not rewritten.
    Annotation.objects.filter(pk=latest.pk).update(in_force=False)
    slot = lock_slot(annotator, latest.item_id, membership)
    slot.answered_at = None
    slot.leased_until = timezone.now() + timedelta(seconds=annotator.campaign.lease_seconds)
    slot.save(update_fields=["answered_at", "leased_until"])
    content = {**Answer.from_row(latest).to_columns(), "flagged": latest.flagged, "custom": latest.custom}
    values = {"content": content, "seconds": latest.seconds, "saved_at": timezone.now()}
    Draft.objects.update_or_create(campaign=campaign, item_id=latest.item_id, annotator=annotator, defaults=values)
    return latest.item_id


def _require_blind_change(annotator: Annotator, item: DatasetItem, membership: Membership) -> None:
    """Raises `ConflictError` where the person has answered or given back the item and may have read others since.

    Whoever administers is shown what others say of an item as soon as they have (`annotation.owed_items`).
    """
    if not access.can(membership, access.Permission.ADMINISTER):
        return
    said_by_others = item.annotations.filter(in_force=True).exclude(annotator__user=annotator.user_id)
    is_told = item.given_label is not None or item.adjudications.exists() or said_by_others.exists()
    if is_told and annotator.annotations.filter(item=item, in_force=True).exists():
        raise ConflictError(
            "What others say of this call is open to you since you answered: a change would not be blind. Your answer"
            " stays; where it is wrong, settle the label and say why."
        )


def _insert_annotation(
    annotator: Annotator, slot: Assignment, columns: Mapping[str, Any], *, seconds: float, flagged: bool
) -> Annotation:
    """The row of an answer or a skip, the only one in force of this person and item."""
    of_item = Annotation.objects.filter(campaign=slot.campaign_id, item=slot.item_id, annotator=annotator)
    # Before the new row: the database allows one in force.
    of_item.filter(in_force=True).update(in_force=False)
    # The browser counts the time in view; it cannot have been longer than the item was out.
    out = (timezone.now() - slot.taken_at).total_seconds() if slot.taken_at else 0.0
    stored = Annotation.objects.create(
        campaign_id=slot.campaign_id,
        item_id=slot.item_id,
        annotator=annotator,
        seconds=min(max(0.0, seconds), max(0.0, out)),
        flagged=flagged,
        **columns,
    )
    Draft.objects.filter(campaign=slot.campaign_id, item=slot.item_id, annotator=annotator).delete()
    return stored
