"""Where an item stands for the person who looks at it: theirs, another's, settled, or only to be read."""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.utils import timezone

from reviews import access
from reviews.models import OPEN, Action, Decision, Execution, Label, Membership, Review, Status


class Stand(StrEnum):
    """What the person can do about the item."""

    MINE = "mine"
    FREE = "free"
    HELD = "held"
    DECIDED = "decided"
    ENDED = "ended"
    READ_ONLY = "read-only"


@dataclass(frozen=True)
class Standing:
    """Where an item stands now."""

    stand: Stand
    holder: str = ""
    until: datetime | None = None
    decision: Decision | None = None
    status: str = ""
    at: datetime | None = None
    """When it was settled."""

    @property
    def decidable(self) -> bool:
        """Whether the person may decide it, now."""
        return self.stand in (Stand.MINE, Stand.FREE)

    @property
    def live(self) -> bool:
        """Whether it can still change: then the page keeps asking."""
        return self.stand not in (Stand.DECIDED, Stand.ENDED, Stand.READ_ONLY)

    @property
    def token(self) -> str:
        """Equal for two standings that look the same on the page."""
        return f"{self.stand}:{self.holder}:{self.status}"

    @property
    def label(self) -> Label | None:
        """What the decision says about the action, as data."""
        return Label.objects.filter(decision=self.decision).first() if self.decision else None

    @property
    def execution(self) -> Execution | None:
        """Whether the agent has run the call, and what came of it."""
        if self.decision is None:
            return None
        return Execution.objects.select_related("step__text").filter(action=self.decision.action_id).first()

    @property
    def edited_call(self) -> str:
        """The arguments that may run instead, as JSON."""
        return json.dumps(self.decision.arguments, ensure_ascii=False) if self.decision else ""


def standing_of(review: Review, membership: Membership) -> Standing:
    """Read from the rows; asking changes nothing."""
    action, now = review.action, timezone.now()
    if action.status == Status.DECIDED:
        decision = action.decisions.select_related("reviewer").filter(in_force=True).first()
        return Standing(Stand.DECIDED, decision=decision, status=action.status, at=action.settled_at)
    if action.status not in OPEN or action.expires_at <= now:
        return _ended(action)
    if not access.can(membership, access.Permission.DECIDE):
        return Standing(Stand.READ_ONLY)
    return _claim(review, membership, now)


def _ended(action: Action) -> Standing:
    # Its time may be over though no sweep has come by yet.
    status = Status.EXPIRED if action.status in OPEN else Status(action.status)
    return Standing(Stand.ENDED, status=status, at=action.settled_at or action.expires_at)


def _claim(review: Review, membership: Membership, now: datetime) -> Standing:
    if review.claimed_by is None or review.claimed_until is None or review.claimed_until <= now:
        return Standing(Stand.FREE)
    if review.claimed_by_id == membership.user_id:
        return Standing(Stand.MINE, until=review.claimed_until)
    return Standing(Stand.HELD, holder=review.claimed_by.get_username(), until=review.claimed_until)
