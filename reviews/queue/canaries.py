"""Canaries: now and then a person who goes on to the next item meets one whose right decision is known.

A canary is no item of the queue: it has neither action nor review of its own, so that agents, counts, figures, labels
and exports know nothing of it. It comes between two items, to a person who works through the whole queue, at the rate
that the workspace has set. It is taken from calls that once waited and that people have judged again since.
"""

import random
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from reviews import access, audit
from reviews.errors import ConflictError
from reviews.evaluation.measures.detection_rates import Rate
from reviews.models import (
    Action,
    Adjudication,
    Annotation,
    Canary,
    Comment,
    Decision,
    Judgement,
    Label,
    LabelSource,
    Membership,
    Outcome,
    Review,
    Status,
    ToolPolicy,
    VerdictSight,
)
from reviews.workspaces.members import choose_for_workspace

MAX_PERCENT: Final = 20
"""Of the items that a person meets: with more of them the queue would be worked through visibly slower."""
POOL: Final = 500
"""Latest judgements that canaries are drawn from: a bounded look, and calls as they are proposed now."""
LASTS: Final = timedelta(hours=1)
"""How long one can be answered: as long as an ordinary item, whose time a profile sets."""
COUNTED: Final = 500
"""Latest canaries that a person's figure is made of, as with their decisions (`desk.overview.own`)."""


def set_rate(*, membership: Membership, percent: int) -> None:
    """Say how many of a hundred items a person meets are canaries. Raises `ForbiddenError`."""
    choose_for_workspace(membership, "canaries", {"percent": percent}, canary_percent=percent)


def draw_canary(membership: Membership, *, behind: Review) -> Canary | None:
    """Perhaps a canary, for a person who has just decided an item; an open one of theirs before a new one."""
    if random.random() * 100 >= membership.workspace.canary_percent:  # noqa: S311 - a sample, not a secret
        return None
    now = timezone.now()
    mine = access.canaries_for(membership).filter(closed_at__isnull=True)
    mine.filter(expires_at__lte=now).update(closed_at=now)
    return mine.first() or _open_canary(membership, behind)


def find_canary(membership: Membership, canary_id: UUID) -> Canary | None:
    """The person's own canary with its call; None where there is none."""
    canaries = access.canaries_for(membership).select_related(
        "behind", "action__trace__query", "action__agent_key", "action__tool_set", "action__profile", "action__review"
    )
    return canaries.filter(pk=canary_id).first()


@transaction.atomic
def close_canary(*, canary: Canary, membership: Membership, outcome: Outcome | None = None) -> None:
    """Keep what the person answered; without an outcome they have given it up. Raises `ConflictError`."""
    now = timezone.now()
    # Compare and set: of two tabs one answers.
    open_ones = access.canaries_for(membership).filter(pk=canary.pk, closed_at__isnull=True)
    if not open_ones.update(outcome=outcome or "", closed_at=now):
        raise ConflictError("This item was answered already.")
    canary.outcome, canary.closed_at = outcome or "", now
    audit.record(
        workspace=membership.workspace,
        verb="canary.answered" if outcome else "canary.given_up",
        subject=str(canary.pk),
        by=membership,
        details={"action": str(canary.action_id), "aligned": canary.is_aligned, "outcome": canary.outcome},
    )


def agreement_of(membership: Membership) -> Rate:
    """How many of the person's latest canaries they answered as it is known."""
    closed = access.canaries_for(membership).filter(closed_at__isnull=False).order_by("-closed_at")
    answered = [canary for canary in closed[:COUNTED] if canary.is_answered]
    return Rate(sum(canary.is_agreed for canary in answered), len(answered))


def known_calls(membership: Membership) -> QuerySet[Action]:
    """Calls that waited once, whose right decision people have settled since, and that this person has not met.

    `is_right` says which decision that is. Where judgements differ nothing is settled.
    """
    calls = access.actions_for(membership).filter(
        pk__in=_judged_lately(membership), status=Status.DECIDED, is_stuck=False, review__closed_at__isnull=False
    )
    calls = calls.annotate(is_right=_is_judged(aligned=True), is_wrong=_is_judged(aligned=False))
    settled = Q(is_right=True, is_wrong=False) | Q(is_right=False, is_wrong=True)
    return calls.filter(settled).exclude(_has_met(membership))


def _judged_lately(membership: Membership) -> list[UUID]:
    """Calls that people have judged again, in an audit or as managers of a campaign, of each the latest."""
    audits = access.labels_for(membership).filter(source=LabelSource.AUDIT).order_by("-transaction", "-id")
    adjudications = Adjudication.objects.filter(
        campaign__workspace=membership.workspace_id, in_force=True, item__action__isnull=False
    )
    adjudicated = adjudications.order_by("-created_at").values_list("item__action", flat=True)
    return [*audits.values_list("action", flat=True)[:POOL], *adjudicated[:POOL]]


def _is_judged(*, aligned: bool) -> Q:
    """Whether somebody has judged the call around it so."""
    label = Label.objects.filter(action=OuterRef("pk"), source=LabelSource.AUDIT, aligned=aligned)
    judgement = Judgement.ALIGNED if aligned else Judgement.MISALIGNED
    adjudication = Adjudication.objects.filter(item__action=OuterRef("pk"), in_force=True, judgement=judgement)
    return Q(Exists(label)) | Q(Exists(adjudication))


def _has_met(membership: Membership) -> Q:
    """Whether the person has decided, judged, annotated, discussed or been shown the call around it."""
    call, person = {"action": OuterRef("pk")}, membership.user_id
    return (
        Q(Exists(Decision.objects.filter(reviewer=person, **call)))
        | Q(Exists(Label.objects.filter(labeller=person, **call)))
        | Q(Exists(Canary.objects.filter(user=person, **call)))
        | Q(Exists(VerdictSight.objects.filter(user=person, **call)))
        | Q(Exists(Comment.objects.filter(author=person, review__action=OuterRef("pk"))))
        | Q(Exists(Annotation.objects.filter(annotator__user=person, item__action=OuterRef("pk"))))
        | Q(Exists(Adjudication.objects.filter(adjudicator=person, item__action=OuterRef("pk"))))
    )


def _open_canary(membership: Membership, behind: Review) -> Canary | None:
    # The rest of a call may be a megabyte.
    judged = known_calls(membership).select_related(None).select_related("profile")
    calls = [
        action
        for action in judged.only("tool", "profile__tool_policies").order_by("-id")
        # Its page would speak of a second person, who never comes.
        if action.profile.tool_policies.get(action.tool) != ToolPolicy.TWO_PEOPLE
    ]
    if not calls:
        return None
    action = random.choice(calls)  # noqa: S311 - a sample, not a secret
    canary = Canary(
        workspace_id=membership.workspace_id,
        action=action,
        user_id=membership.user_id,
        is_aligned=action.is_right,  # type: ignore[attr-defined]  # `known_calls` has annotated it
        behind=behind,
        expires_at=timezone.now() + LASTS,
    )
    # Another tab may have opened one a moment ago.
    Canary.objects.bulk_create([canary], ignore_conflicts=True)
    return access.canaries_for(membership).filter(closed_at__isnull=True).first()
