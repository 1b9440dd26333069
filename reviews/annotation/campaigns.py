"""Campaigns: open one, let people take part, pause, go on, close, and see how far it is."""

import secrets
import statistics
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, F, Max, Q
from django.utils import timezone

from reviews import access, audit
from reviews.annotation import known_answers
from reviews.annotation.assignment import gone_from, wanted_slots
from reviews.annotation.custom_questions import CustomQuestion
from reviews.annotation.schema import ALL_QUESTIONS, Question
from reviews.annotation.seen_verdicts import blind_for_annotator
from reviews.errors import CampaignStateError, FieldProblem, InvalidCampaignError
from reviews.models import (
    Annotation,
    Annotator,
    Assignment,
    Campaign,
    CampaignState,
    Dataset,
    ItemChoice,
    Membership,
    Role,
)

# Seconds. Longer than anybody thinks about one call without touching the page, which renews it; short enough that an
# abandoned item is answered the same day.
LEASE_SECONDS: Final = 1_800
# More answers to one item cost more than they tell.
MAX_PER_ITEM: Final = 20
# What is asked is to be learned: more known than unknown items would teach nothing.
MAX_KNOWN_SHARE: Final = 0.5
_BATCH: Final = 2_000
# Of the latest answers: their pace, not that of people who were still learning.
PACED_BY: Final = 200
# Answers before anything is said of the time that is left: the first ones are mostly reading what is asked.
MIN_PACED: Final = 5


@transaction.atomic
def open_campaign(
    *,
    by: access.Principal,
    dataset: Dataset,
    name: str,
    annotators: Iterable[Membership],
    annotators_per_item: int,
    guidelines: str = "",
    questions: Sequence[str] = ALL_QUESTIONS,
    custom_questions: Sequence[CustomQuestion] = (),
    seed: int | None = None,
    most: int | None = None,
    choice: str = ItemChoice.RANDOM,
    known_share: float = 0.0,
    shows_suggestions: bool = False,
    lease_seconds: int = LEASE_SECONDS,
) -> Campaign:
    """A running campaign over what the dataset holds now, shuffled by `seed`: `most`, drawn by `choice`, or all.

    `known_share` of them, from 0 up to one half, are items whose answer is known, by which annotators are measured.

    Raises `ForbiddenError`, and `InvalidCampaignError` with a problem for each field.
    """
    access.require_curator(by)
    people = list(annotators)
    items = list(dataset.items.filter(erased_at__isnull=True).order_by("id").values_list("pk", flat=True))
    _check_settings(name=name, people=people, per_item=annotators_per_item, items=items, questions=questions)
    if not 0 <= known_share <= MAX_KNOWN_SHARE:
        raise InvalidCampaignError(FieldProblem("/known_share", f"A share from 0 to {MAX_KNOWN_SHARE}."))
    # 31 bits are enough for any order, and are written in full on the page.
    seed = secrets.randbits(31) if seed is None else seed
    try:
        with transaction.atomic():
            campaign = Campaign.objects.create(
                workspace=by.workspace, dataset=dataset, name=name.strip(), guidelines=guidelines,
                questions=list(questions), annotators_per_item=annotators_per_item, seed=seed,
                custom_questions=[question.to_json() for question in custom_questions],
                choice=choice, known_share=known_share, shows_suggestions=shows_suggestions,
                lease_seconds=lease_seconds, created_by=access.account_of(by),
            )  # fmt: skip
    except IntegrityError:
        raise InvalidCampaignError(FieldProblem("/name", f"There is a campaign named {name.strip()}.")) from None
    Annotator.objects.bulk_create(Annotator(campaign=campaign, user=person.user) for person in people)
    known_items = known_answers.list_known_answers(items) if known_share else ()
    drawn = known_answers.draw_with_known(
        items, most, known_items=known_items, share=known_share, choice=choice, seed=seed
    )
    _assign_slots(campaign, _keep_earlier_first(drawn, dataset))
    chosen = ("choice", "known_share", "shows_suggestions", "annotators_per_item")
    details = {name: getattr(campaign, name) for name in chosen}
    _record_event("campaign.opened", campaign, by, items=len(drawn), **details)
    return campaign


def _keep_earlier_first(drawn: Sequence[tuple[UUID, float]], dataset: Dataset) -> list[tuple[UUID, float]]:
    """The same with a conversation's calls in their order, in the places that they have together.

    A later call tells what became of the earlier ones: whether they ran, and what a reviewer said of them.
    """
    # Keys are in the order in which calls were proposed, or stood in their file.
    rows = dataset.items.values_list("pk", "conversation", "action")
    calls = {item: (conversation, action or item) for item, conversation, action in rows}
    waiting: dict[str, list[tuple[UUID, float]]] = defaultdict(list)
    for drawn_item in sorted(drawn, key=lambda pair: calls[pair[0]], reverse=True):
        waiting[calls[drawn_item[0]][0]].append(drawn_item)
    return [waiting[calls[item][0]].pop() for item, _ in drawn]


def _assign_slots(campaign: Campaign, drawn: Sequence[tuple[UUID, float]]) -> None:
    """As many places for answers as an item gets, in the order in which the items were drawn."""
    per_item = campaign.annotators_per_item
    Assignment.objects.bulk_create(
        (
            Assignment(
                campaign=campaign,
                item_id=item,
                slot=slot,
                rank=index * per_item + slot - 1,
                probability=probability,
            )
            for index, (item, probability) in enumerate(drawn)
            for slot in range(1, per_item + 1)
        ),
        batch_size=_BATCH,
    )


@transaction.atomic
def pause_campaign(*, campaign: Campaign, by: access.Principal) -> None:
    """Give out no further item and take no answer; drafts are kept. Raises `CampaignStateError` unless it runs."""
    _change_state(campaign, by, [CampaignState.RUNNING], CampaignState.PAUSED)


@transaction.atomic
def resume_campaign(*, campaign: Campaign, by: access.Principal) -> None:
    """Go on with a paused campaign. Raises `CampaignStateError` unless it is paused."""
    _change_state(campaign, by, [CampaignState.PAUSED], CampaignState.RUNNING)


@transaction.atomic
def close_campaign(*, campaign: Campaign, by: access.Principal) -> None:
    """End it for good; what was answered stays. Raises `CampaignStateError` when it is closed already."""
    _change_state(campaign, by, [CampaignState.RUNNING, CampaignState.PAUSED], CampaignState.CLOSED)


@transaction.atomic
def reserve_items(*, campaign: Campaign, membership: Membership, annotator: Annotator, most: int) -> int:
    """Put up to so many free items aside for one person; nobody else is given them. Returns how many there were."""
    access.require(membership, access.Permission.ADMINISTER)
    free = (
        wanted_slots(campaign)
        .filter(blind_for_annotator(annotator), annotator__isnull=True)
        .exclude(item__in=items_of(annotator))
    )
    # Locked and skipped: what a person is being given at this moment is theirs.
    in_order = free.select_for_update(of=("self",), skip_locked=True, no_key=True).order_by("rank")
    # An item's slots stand one after the other, so these hold as many different items as are asked for.
    slots = in_order[: most * campaign.annotators_per_item]
    by_item: dict[UUID, UUID] = {}
    for slot in slots:
        by_item.setdefault(slot.item_id, slot.pk)
    chosen = list(by_item.values())[:most]
    campaign.assignments.filter(pk__in=chosen).update(annotator=annotator, reserved=True)
    _record_event("campaign.reserved", campaign, membership, annotator=annotator.user.get_username(), items=len(chosen))
    return len(chosen)


def items_of(annotator: Annotator) -> set[UUID]:
    """Items the person holds, has answered, or has given back."""
    lent = Assignment.objects.filter(annotator=annotator).values_list("item", flat=True)
    answered = Annotation.objects.filter(annotator=annotator, in_force=True).values_list("item", flat=True)
    return {*lent, *answered}


@dataclass(frozen=True)
class PersonProgress:
    """What one person has done in a campaign."""

    annotator: Annotator
    is_gone: bool
    """Whether they answer nothing any more."""
    answered: int
    skipped: int
    flagged: int
    lent: int
    """Items lent to the person now, or put aside for them."""
    seconds: float | None
    """Median of an answer; None before the first."""
    last_at: datetime | None


@dataclass(frozen=True)
class Progress:
    """How far a campaign is, counted from the rows."""

    items: int
    finished: int
    """Items with all their answers."""
    slots: int
    answered: int
    skipped: int
    flagged: int
    seconds: float | None
    """Median of the latest answers; None before the first."""
    people: tuple[PersonProgress, ...]

    @property
    def share(self) -> float:
        """Answers given, of those asked for, from 0 to 1."""
        return self.answered / self.slots if self.slots else 0.0

    @property
    def remaining(self) -> timedelta | None:
        """Working time of all people together at the latest pace; None before there is one to speak of."""
        if self.seconds is None or self.answered < MIN_PACED:
            return None
        return timedelta(seconds=(self.slots - self.answered) * self.seconds)


@dataclass(frozen=True)
class OwnProgress:
    """How far one person is in a campaign."""

    answered: int
    skipped: int
    items: int
    """Of the campaign."""
    remaining: int
    """Answers that may still be asked of the person: others may give some of them."""
    seconds: float | None
    """Median of the person's latest answers; None before the first."""

    @property
    def seconds_left(self) -> float | None:
        """Working time for all that may still be asked, at the person's own pace; None before there is one."""
        return None if self.seconds is None or self.answered < MIN_PACED else self.remaining * self.seconds


def measure_own_progress(annotator: Annotator) -> OwnProgress:
    """How far the person is. Three counts and the latest answers."""
    in_force = annotator.annotations.filter(in_force=True)
    counted = in_force.aggregate(
        answered=Count("id", filter=Q(skip_reason="")),
        skipped=Count("id", filter=~Q(skip_reason="")),
        erased=Count("id", filter=Q(item__erased_at__isnull=False)),
    )
    slots, is_live = wanted_slots(annotator.campaign), Q(item__erased_at__isnull=True)
    slot_counts = slots.aggregate(
        items=Count("item", distinct=True),
        live=Count("item", distinct=True, filter=is_live),
        open=Count("id", filter=Q(answered_at__isnull=True)),
    )
    theirs = counted["answered"] + counted["skipped"] - counted.pop("erased")
    latest = list(in_force.exclude(judgement="").order_by("-created_at").values_list("seconds", flat=True)[:PACED_BY])
    return OwnProgress(
        **counted,
        items=slot_counts["items"],
        remaining=max(0, min(slot_counts["live"] - theirs, slot_counts["open"])),
        seconds=statistics.median(latest) if latest else None,
    )


def measure_progress(campaign: Campaign) -> Progress:
    """How far the campaign is."""
    slots = wanted_slots(campaign)
    counted = slots.aggregate(
        slots=Count("id"), items=Count("item", distinct=True), answered=Count("id", filter=Q(answered_at__isnull=False))
    )
    open_items = slots.filter(answered_at__isnull=True).values("item").distinct().count()
    in_force = campaign.annotations.filter(in_force=True)
    marks = in_force.aggregate(
        skipped=Count("id", filter=~Q(skip_reason="")), flagged=Count("id", filter=Q(flagged=True))
    )
    answers = in_force.exclude(judgement="")
    latest = list(answers.order_by("-created_at").values_list("seconds", flat=True)[:PACED_BY])
    return Progress(
        items=counted["items"],
        finished=counted["items"] - open_items,
        slots=counted["slots"],
        answered=counted["answered"],
        seconds=statistics.median(latest) if latest else None,
        people=tuple(_progress_by_person(campaign)),
        **marks,
    )


def _progress_by_person(campaign: Campaign) -> Iterable[PersonProgress]:
    """Four queries whatever their number; the median is taken here, which databases differ in."""
    seconds: dict[UUID, list[float]] = {}
    answers = campaign.annotations.filter(in_force=True).exclude(judgement="")
    for annotator, spent in answers.values_list("annotator", "seconds"):
        seconds.setdefault(annotator, []).append(spent)
    counted = campaign.annotators.select_related("user").annotate(
        skipped=Count("annotations", filter=Q(annotations__in_force=True) & ~Q(annotations__skip_reason="")),
        flagged=Count("annotations", filter=Q(annotations__in_force=True, annotations__flagged=True)),
        last_at=Max("annotations__created_at"),
    )
    lent = dict(
        wanted_slots(campaign)
        .filter(annotator__isnull=False, answered_at__isnull=True)
        .filter(Q(reserved=True) | Q(leased_until__gt=timezone.now()))
        .order_by()
        .values_list("annotator")
        .annotate(count=Count("id"))
    )
    gone = set(gone_from(campaign).values_list("pk", flat=True))
    for row in counted.order_by(F("last_at").desc(nulls_last=True), "user__username"):
        spent_on = seconds.get(row.pk, [])
        yield PersonProgress(
            annotator=row,
            is_gone=row.pk in gone,
            answered=len(spent_on),
            skipped=row.skipped,
            flagged=row.flagged,
            lent=lent.get(row.pk, 0),
            seconds=statistics.median(spent_on) if spent_on else None,
            last_at=row.last_at,
        )


def _check_settings(
    *, name: str, people: Sequence[Membership], per_item: int, items: Collection[UUID], questions: Sequence[str]
) -> None:
    problems = []
    if not name.strip():
        problems.append(FieldProblem("/name", "Give the campaign a name."))
    if not items:
        problems.append(FieldProblem("/dataset", "There is nothing to judge in it yet."))
    # Administrators read everybody's answers, and reviewers the guard's: neither would be blind. Where the workspace
    # lets them all the same, `assignment` gives them what they can be blind to.
    if not all(access.can(person, access.Permission.ANNOTATE) for person in people) or (
        any(person.role == Role.ADMIN and not person.workspace.lets_reviewers_annotate for person in people)
    ):
        problems.append(FieldProblem("/annotators", "Only members with the role annotator are blind to the guard."))
    if not 1 <= per_item <= MAX_PER_ITEM:
        problems.append(FieldProblem("/annotators_per_item", f"From 1 to {MAX_PER_ITEM} people can be asked."))
    elif len({person.user_id for person in people}) < per_item:
        problems.append(FieldProblem("/annotators", f"{per_item} answers to an item need {per_item} people."))
    if unknown := set(questions) - set(Question):
        problems.append(FieldProblem("/questions", f"There is no question {min(unknown)}."))
    if problems:
        raise InvalidCampaignError(*problems)


def _change_state(
    campaign: Campaign, by: access.Principal, sources: list[CampaignState], target: CampaignState
) -> None:
    access.require_curator(by)
    closed_at = timezone.now() if target == CampaignState.CLOSED else None
    moved = Campaign.objects.filter(pk=campaign.pk, state__in=sources).update(state=target, closed_at=closed_at)
    campaign.refresh_from_db(fields=["state", "closed_at"])
    if not moved:
        raise CampaignStateError(campaign)
    _record_event(f"campaign.{target}", campaign, by)


def _record_event(verb: str, campaign: Campaign, by: access.Principal, **details: object) -> None:
    audit.record(
        workspace=by.workspace, verb=verb, subject=str(campaign.pk), by=by, details=dict(details), name=campaign.name
    )
