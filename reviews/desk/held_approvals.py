"""Approvals that the person can still take back: shown on every page until the agent is told."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone

from reviews import access
from reviews.models import Membership, Outcome
from reviews.provenance.core.invisible import spelled_out


@dataclass(frozen=True)
class Outgoing:
    """The latest of them."""

    decision_id: UUID
    review_id: UUID
    words: str
    seconds: float
    """For how long it can still be taken back. By the server's clock: the browser's may be another."""
    more: int
    """How many more there are; each item's own page can take its back, too."""


def latest_outgoing(request: HttpRequest) -> Outgoing | None:
    """The latest approval of the person that the agent has not been told of; None without any."""
    # Only pages of members look a membership up; on the others there is nothing to take back.
    membership: Membership | None = getattr(request, "membership", None)
    if membership is None or not access.can(membership, access.Permission.DECIDE):
        return None
    rows = access.held_decisions_for(membership).values_list(
        "pk", "action__review", "outcome", "tool", "held_until", named=True
    )
    decisions = list(rows)
    if not decisions:
        return None
    latest = decisions[0]
    now = timezone.now()
    until = latest.held_until or now
    verb = "Approved" if latest.outcome == Outcome.APPROVE else "Edited"
    return Outgoing(
        decision_id=latest.pk,
        review_id=latest.action__review,
        words=f"{verb} {spelled_out(latest.tool)}",
        seconds=max(0.0, (until - now).total_seconds()),
        more=len(decisions) - 1,
    )
