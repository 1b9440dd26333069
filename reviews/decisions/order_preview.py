"""What an order would have decided of the latest calls of its tool, beside what became of them."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from reviews import access
from reviews.decisions.timed_orders import is_decided_by
from reviews.models import Action, Check, Membership, TimedOrder

# As many as a profile's preview looks at.
MAX_PREVIEWED: Final = 200
# Cases that a person looks through before they give an order.
MAX_LISTED: Final = 10


@dataclass
class OrderPreview:
    """The latest calls that stopped, and those among them that the order is for."""

    looked_at: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    """What became of the calls that the order would have decided: an outcome, or a status where there is none."""
    actions: list[Action] = field(default_factory=list)
    """The latest of them."""

    @property
    def matching(self) -> int:
        """How many the order would have decided."""
        return self.outcomes.total()

    @property
    def outcome_counts(self) -> list[tuple[str, int]]:
        """The outcomes with how many calls came to each, the most frequent first."""
        return self.outcomes.most_common()


def preview_order(order: TimedOrder, membership: Membership) -> OrderPreview:
    """Hold an order that need not be stored against the latest calls of its tool that came before a person."""
    stopped = access.actions_for(membership).filter(tool=order.tool, review__isnull=False)
    actions = list(
        stopped.select_related("profile", "tool_set", "trace").order_by("-created_at", "-id")[:MAX_PREVIEWED]
    )
    checks: dict[UUID, list[Check]] = defaultdict(list)
    for check in Check.objects.enforced().filter(action__in=actions).in_profile_order():
        checks[check.action_id].append(check)
    decisions = access.decisions_for(membership).filter(action__in=actions, in_force=True)
    outcomes = dict(decisions.values_list("action", "outcome"))
    preview = OrderPreview(looked_at=len(actions))
    for action in actions:
        if is_decided_by(order, action, checks[action.pk]):
            preview.outcomes[outcomes.get(action.pk, action.status)] += 1
            preview.actions.append(action)
    del preview.actions[MAX_LISTED:]
    return preview
