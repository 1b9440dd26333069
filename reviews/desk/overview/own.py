"""What a person has decided, and how that stands up: their own figures, for nobody else."""

from dataclasses import dataclass
from statistics import median
from typing import Final

from django.db.models import Prefetch
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reviews import access
from reviews.desk.actions.rows import row_of_action
from reviews.desk.membership import MemberRequest, member_page
from reviews.evaluation.measures.detection_rates import Rate
from reviews.models import Decision, LabelSource, Membership, Outcome
from reviews.queue import canaries

# Latest decisions that the figures are made of: they tell of now, and cost the same after years.
LOOKED_AT: Final = 500
LISTED: Final = 25


@dataclass(frozen=True)
class OwnFigures:
    """Of a person's latest decisions in the workspace."""

    decided: int
    median_seconds: float | None
    approved: Rate
    """As proposed."""
    agreed: Rate
    """Of those that were judged again later, how many the judgement bears out."""


@require_safe
@never_cache
@member_page
def own_decisions(request: MemberRequest) -> HttpResponse:
    """The person's latest decisions, each leading to where it can be judged again, with their figures."""
    access.require(request.membership, access.Permission.DECIDE)
    latest = access.own_decisions_for(request.membership).filter(in_force=True).order_by("-created_at", "-id")
    actions = access.actions_for(request.membership).filter(pk__in=latest.values("action")[:LISTED])
    in_force = Prefetch(
        "decisions", Decision.objects.filter(in_force=True).select_related("reviewer"), to_attr="in_force"
    )
    rows = [row_of_action(action) for action in actions.prefetch_related(in_force).order_by("-settled_at", "-id")]
    context = {
        "rows": rows,
        "figures": own_figures(request.membership),
        "known": canaries.agreement_of(request.membership),
    }
    return render(request, "overview/own.html", context)


def own_figures(membership: Membership) -> OwnFigures:
    """The figures of a person's latest decisions."""
    latest = access.own_decisions_for(membership).filter(in_force=True).order_by("-created_at", "-id")
    rows = list(latest.values_list("action", "outcome", "seconds_to_decide")[:LOOKED_AT])
    outcomes = {action: outcome for action, outcome, _ in rows}
    seconds = [spent for _, _, spent in rows if spent is not None]
    audits = access.labels_for(membership).filter(source=LabelSource.AUDIT, action__in=outcomes).order_by("created_at")
    # The latest word on each call.
    judged = dict(audits.exclude(labeller=membership.user_id).values_list("action", "aligned"))
    # Who answers says neither, and is borne out by neither (`labels.operational`).
    judged = {action: aligned for action, aligned in judged.items() if outcomes[action] != Outcome.RESPOND}
    agreed = sum((outcomes[action] == Outcome.APPROVE) == aligned for action, aligned in judged.items())
    approved = sum(outcome == Outcome.APPROVE for outcome in outcomes.values())
    return OwnFigures(
        decided=len(rows),
        median_seconds=median(seconds) if seconds else None,
        approved=Rate(approved, len(rows)),
        agreed=Rate(agreed, len(judged)),
    )
