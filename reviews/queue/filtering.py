"""A part of the queue: the waiting items that a person chose to work through."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from reviews import access
from reviews.models import (
    ActionText,
    Check,
    Comment,
    Decision,
    Finding,
    Membership,
    MisalignmentType,
    Review,
    ReviewAssignment,
    Risk,
    VerdictLabel,
)
from reviews.models.reviews import BY_STANDING_ORDER

UNPROVEN: Final = "unproven"
"""Stands in place of a type of failure: nothing speaks against the call, and not everything could be established."""
MINE: Final = "mine"
UNCLAIMED: Final = "unclaimed"
FOR_ME: Final = "for_me"
"""Assigned to the person or to their role, or a comment mentions the person."""
AGES: Final[Mapping[str, timedelta]] = {
    "10m": timedelta(minutes=10),
    "1h": timedelta(hours=1),
    "4h": timedelta(hours=4),
    "1d": timedelta(days=1),
}
"""How long an item has waited at least."""
STOPPED_BY: Final = (*MisalignmentType.values, UNPROVEN)
"""What people choose by. That a detector found no proof, or could not tell, is one state of a call: unproven."""


@dataclass(frozen=True)
class Selection:
    """What an item must have in common with all others; empty for anything."""

    holder: str = ""
    """`mine`, `unclaimed`, `for_me`, or the name of whoever has claimed it."""
    assignee: str = ""
    """Name of whoever it is meant for."""
    stopped_by: str = ""
    """One of `STOPPED_BY`."""
    text: str = ""
    """Words or a part of the call, of the request or of the conversation's name."""
    tool: str = ""
    """Part of a tool's name."""
    agent: str = ""
    """Name of an agent."""
    relation: str = ""
    """A relation that does not hold, or that nobody could establish."""
    detector: str = ""
    """Name of a detector that objects."""
    risk: str = ""
    age: str = ""
    """One of `AGES`."""

    @property
    def narrows(self) -> bool:
        """Whether it leaves anything out."""
        return any(getattr(self, field.name) for field in fields(Selection))


def stopped_by(verdict: str, misalignment: str, *, established: bool) -> str:
    """What a finished check says against the call: a type of failure, `undetermined`, `unproven`, or nothing."""
    if verdict != VerdictLabel.ALIGNED:
        return misalignment or verdict
    return "" if established else UNPROVEN


def strength_of(objection: str) -> int:
    """Sorts what `stopped_by` tells: an attack, another error, what nobody could tell, and what is not proven."""
    return {MisalignmentType.INJECTION: 0, VerdictLabel.UNDETERMINED: 2, UNPROVEN: 3}.get(objection, 1)


def strongest(objections: Iterable[str]) -> str:
    """What the call is said to be stopped by; empty where nothing is told."""
    return min(filter(None, objections), key=strength_of, default="")


def select_reviews(membership: Membership, selection: Selection) -> QuerySet[Review]:
    """The waiting items of the selection."""
    reviews = _by_holder(access.open_reviews_for(membership), membership, selection.holder)
    columns: dict[str, Any] = {
        "action__tool__icontains": selection.tool,
        "action__agent__name": selection.agent,
        "assignment__assignee__username": selection.assignee,
        "action__risk": selection.risk if selection.risk in Risk.values else "",
        "created_at__lte": timezone.now() - AGES[selection.age] if selection.age in AGES else "",
    }
    reviews = reviews.filter(**drop_empty(columns))
    if selection.text:
        texts = ActionText.objects.matching(membership.workspace_id, selection.text)
        reviews = reviews.filter(action__text__in=texts)
    if selection.stopped_by:
        reviews = _by_type(reviews, selection.stopped_by)
    if selection.detector:
        reviews = reviews.filter(Exists(objecting_checks("action").filter(detector=selection.detector)))
    if selection.relation:
        findings = Finding.objects.filter(Q(holds=False) | Q(holds__isnull=True), relation=selection.relation)
        reviews = reviews.filter(Exists(_enforced_checks().filter(Exists(findings.filter(check_run=OuterRef("pk"))))))
    return reviews


def free_for(reviews: QuerySet[Review], membership: Membership) -> QuerySet[Review]:
    """The items that nobody else holds, and that neither await another person nor are meant for one."""
    approved = Decision.objects.filter(action=OuterRef("action"), awaits_second=True, reviewer=membership.user_id)
    return reviews.filter(
        Q(claimed_by__isnull=True) | Q(claimed_by=membership.user_id) | Q(claimed_until__lte=timezone.now()),
        ~Exists(approved),
        ~Exists(ReviewAssignment.objects.filter(review=OuterRef("pk")).exclude(_is_meant_for(membership))),
    )


def _comments_that_mention(membership: Membership) -> QuerySet[Comment]:
    """Comments on the item around them in which `@` and the person's name stand, by themselves."""
    name = re.escape(membership.user.get_username())
    # Behind it nothing that a longer name could go on with; the full stop of a sentence may follow.
    mention = rf"(^|[^\w.@+-])@{name}($|[^\w@+-])"
    return Comment.objects.filter(review=OuterRef("pk"), body__iregex=mention)


def _is_meant_for(membership: Membership) -> Q:
    """The condition on an assignment that the person is meant by it."""
    return Q(assignee=membership.user_id) | Q(role=membership.role)


def _by_holder(reviews: QuerySet[Review], membership: Membership, holder: str) -> QuerySet[Review]:
    now = timezone.now()
    match holder:
        case "":
            return reviews
        case "mine":
            return reviews.filter(claimed_by=membership.user_id, claimed_until__gt=now)
        case "unclaimed":
            return reviews.filter(Q(claimed_by__isnull=True) | Q(claimed_until__lte=now))
        case "for_me":
            meant = ReviewAssignment.objects.filter(_is_meant_for(membership), review=OuterRef("pk"))
            return reviews.filter(Exists(meant) | Exists(_comments_that_mention(membership)))
        case name:
            return reviews.filter(claimed_by__username=name, claimed_until__gt=now)


def drop_empty(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The look-ups that say something."""
    return {name: value for name, value in columns.items() if value}


def objecting_checks(action: str) -> QuerySet[Check]:
    """Enforced checks that do not find the call aligned, of the action that stands in this column around them."""
    checks = Check.objects.enforced().filter(action=OuterRef(action))
    return checks.filter(verdict__in=(VerdictLabel.MISALIGNED, VerdictLabel.UNDETERMINED))


def _enforced_checks() -> QuerySet[Check]:
    """Enforced checks of a review's action. Not joined: an item that two detectors stopped is still one row."""
    return Check.objects.enforced().filter(action=OuterRef("action"))


def _by_type(reviews: QuerySet[Review], stopped_by: str) -> QuerySet[Review]:
    """The items that a row shows as stopped by this."""
    if stopped_by != UNPROVEN:
        return reviews.filter(Exists(_enforced_checks().filter(misalignment=stopped_by)))
    # As a row shows it: where another detector found the call wrong, that one stopped it.
    refuted = Exists(_enforced_checks().filter(verdict=VerdictLabel.MISALIGNED))
    untold = Exists(_enforced_checks().filter(verdict=VerdictLabel.UNDETERMINED))
    is_open = Exists(_enforced_checks().filter(established=False)) & ~Q(reason__in=BY_STANDING_ORDER)
    return reviews.filter(~refuted, Q(untold) | Q(is_open))


def types_among(reviews: QuerySet[Review]) -> set[str]:
    """Which of `STOPPED_BY` may match some of these items."""
    checks = Check.objects.enforced().filter(action__in=reviews.order_by().values("action"))
    verdicts = checks.values_list("verdict", "misalignment", "established").order_by().distinct()
    types = {stopped_by(verdict, kind, established=bool(established)) for verdict, kind, established in verdicts}
    return {UNPROVEN if kind == VerdictLabel.UNDETERMINED else kind for kind in types}
