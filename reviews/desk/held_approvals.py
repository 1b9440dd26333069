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
    is_last: bool
    """Whether the person has decided nothing since: "undo" by a key means what one did last, a rejection too."""


def latest_outgoing(request: HttpRequest) -> Outgoing | None:
    """The latest approval of the person that the agent has not been told of; None without any."""
    # Only pages of members look a membership up; on the others there is nothing to take back.
    membership: Membership | None = getattr(request, "membership", None)
    if membership is None or not access.can(membership, access.Permission.DECIDE):
        return None
    decisions = access.held_decisions_for(membership)
    if not decisions:
        return None
    decision_id, review_id, outcome, tool, held_until, is_last = decisions[0]
    verb = "Approved" if outcome == Outcome.APPROVE else "Edited"
    return Outgoing(
        decision_id=decision_id,
        review_id=review_id,
        words=f"{verb} {spelled_out(tool)}",
        seconds=max(0.0, (held_until - timezone.now()).total_seconds()),
        more=len(decisions) - 1,
        is_last=is_last,
    )
