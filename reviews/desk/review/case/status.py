"""Whether the person who looks at an item may decide it: free, claimed, decided, ended, or only to be read."""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.utils import timezone

from reviews import access
from reviews.models import OPEN, Action, Decision, Execution, Label, Membership, Review, Status


class ItemState(StrEnum):
    """What the person can do about the item."""

    MINE = "mine"
    FREE = "free"
    HELD = "held"
    DECIDED = "decided"
    ENDED = "ended"
    READ_ONLY = "read-only"


@dataclass(frozen=True)
class Standing:
    """An item's state at this moment, for one person."""

    state: ItemState
    holder: str = ""
    until: datetime | None = None
    decision: Decision | None = None
    status: str = ""
    at: datetime | None = None
    """When it was decided or ended."""

    @property
    def decidable(self) -> bool:
        """Whether the person may decide it, now."""
        return self.state in (ItemState.MINE, ItemState.FREE)

    @property
    def live(self) -> bool:
        """Whether it can still change: then the page keeps polling."""
        return self.state not in (ItemState.DECIDED, ItemState.ENDED, ItemState.READ_ONLY)

    @property
    def token(self) -> str:
        """Equal for two standings that look the same on the page."""
        return f"{self.state}:{self.holder}:{self.status}"

    @property
    def label(self) -> Label | None:
        """The training label that the decision gave the action."""
        return Label.objects.filter(decision=self.decision).first() if self.decision else None

    @property
    def execution(self) -> Execution | None:
        """The agent's report that it ran the call; None before the decision."""
        if self.decision is None:
            return None
        return Execution.objects.select_related("step__text").filter(action=self.decision.action_id).first()

    @property
    def edited_call(self) -> str:
        """The arguments that may run instead, as JSON."""
        return json.dumps(self.decision.arguments, ensure_ascii=False) if self.decision else ""


def standing_of(review: Review, membership: Membership) -> Standing:
    """The item's state, read from its rows; asking changes nothing."""
    action, now = review.action, timezone.now()
    # The order is that of finality: what is decided stays decided, whoever looks and however late it is.
    if action.status == Status.DECIDED:
        decision = action.decisions.select_related("reviewer").filter(in_force=True).first()
        return Standing(ItemState.DECIDED, decision=decision, status=action.status, at=action.settled_at)
    if action.status not in OPEN or action.expires_at <= now:
        return _ended(action)
    if not access.can(membership, access.Permission.DECIDE):
        return Standing(ItemState.READ_ONLY)
    if review.claimed_by is None or review.claimed_until is None or review.claimed_until <= now:
        return Standing(ItemState.FREE)
    if review.claimed_by_id == membership.user_id:
        return Standing(ItemState.MINE, until=review.claimed_until)
    return Standing(ItemState.HELD, holder=review.claimed_by.get_username(), until=review.claimed_until)


def _ended(action: Action) -> Standing:
    # The time of an action may be over before the sweep has marked it as expired.
    status = Status.EXPIRED if action.status in OPEN else Status(action.status)
    return Standing(ItemState.ENDED, status=status, at=action.settled_at or action.expires_at)
