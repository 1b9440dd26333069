"""Whether the person who looks at an item may decide it: free, claimed, decided, ended, or only to be read."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from django.utils import timezone

from reviews import access
from reviews.decisions import two_person_rule
from reviews.models import OPEN, Action, Decision, Execution, Label, Membership, Outcome, Review, Status


class ItemState(StrEnum):
    """What the person can do about the item."""

    MINE = "mine"
    FREE = "free"
    HELD = "held"
    OUTGOING = "outgoing"
    """Approved, and the agent is not told yet."""
    DECIDED = "decided"
    ENDED = "ended"
    READ_ONLY = "read-only"


@dataclass(frozen=True)
class Standing:
    """An item's state at this moment, for one person."""

    state: ItemState
    holder: str = ""
    until: datetime | None = None
    """When a claim runs out, or the agent is told."""
    is_own: bool = False
    """Whether the decision, or the first approval, is the person's, to take back while the agent is not told."""
    status: str = ""
    at: datetime | None = None
    """When it was decided or ended."""
    decision: Decision | None = None
    label: Label | None = None
    """The training label that the decision gave the action."""
    first: Decision | None = None
    """The approval of the person who approved first, where the call takes two."""
    takes_two: bool = False
    """Whether approving the call takes two people."""
    execution: Execution | None = None
    """The agent's report on the call; None before the decision."""
    edited_call: str = ""
    """The arguments of the decision, as JSON."""

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
        return f"{self.state}:{self.holder}:{self.status}" + (f":{self.first.pk}" if self.first else "")

    @property
    def approves_first(self) -> bool:
        """Whether approving the proposed call would be the first of two approvals, which lets nothing run."""
        return self.takes_two and (self.first is None or self.first_is_edited)

    @property
    def first_is_edited(self) -> bool:
        """Whether the person who approved first approved another call than the agent proposes."""
        return self.first is not None and self.first.outcome == Outcome.EDIT


def read_standing(review: Review, membership: Membership) -> Standing:
    """The item's state, read from its rows; asking changes nothing."""
    action, now = review.action, timezone.now()
    # The order is that of finality: what is decided stays decided, whoever looks and however late it is.
    if action.status == Status.DECIDED:
        return _read_decision(action)
    if action.status not in OPEN or action.expires_at <= now:
        # The time of an action may be over before the sweep has marked it as expired.
        status = Status.EXPIRED if action.status in OPEN else Status(action.status)
        return Standing(ItemState.ENDED, status=status, at=action.settled_at or action.expires_at)
    # Only what a person decided leaves the queue before it is settled.
    if review.closed_at is not None and (decision := _find_held_decision(action)) is not None:
        is_own = decision.reviewer_id == membership.user_id
        return Standing(ItemState.OUTGOING, until=decision.held_until, decision=decision, is_own=is_own)
    if not access.can(membership, access.Permission.DECIDE):
        return Standing(ItemState.READ_ONLY)
    first = two_person_rule.find_first_approval(action)
    return replace(
        _read_claim(review, membership, now),
        first=first,
        is_own=first is not None and first.reviewer_id == membership.user_id,
        takes_two=two_person_rule.takes_two(action, action.tool),
    )


def _read_claim(review: Review, membership: Membership, now: datetime) -> Standing:
    """Whether the person, a colleague or nobody holds an item that can be decided."""
    if review.claimed_by is None or review.claimed_until is None or review.claimed_until <= now:
        return Standing(ItemState.FREE)
    if review.claimed_by_id == membership.user_id:
        return Standing(ItemState.MINE, until=review.claimed_until)
    return Standing(ItemState.HELD, holder=review.claimed_by.get_username(), until=review.claimed_until)


def _find_held_decision(action: Action) -> Decision | None:
    decisions = action.decisions.select_related("reviewer", "first_approval__reviewer")
    return decisions.filter(held_until__isnull=False).first()


def _read_decision(action: Action) -> Standing:
    """The decision in force, and what became of it."""
    decisions = action.decisions.select_related("reviewer", "first_approval__reviewer")
    decision = decisions.filter(in_force=True).first()
    executions = Execution.objects.select_related("step__text")
    return Standing(
        state=ItemState.DECIDED,
        status=action.status,
        at=action.settled_at,
        decision=decision,
        label=Label.objects.filter(decision=decision).first() if decision else None,
        execution=executions.filter(action=action).first() if decision else None,
        edited_call=json.dumps(decision.arguments, ensure_ascii=False) if decision else "",
    )
