"""A page of the feed of events, looked for among a bounded number of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from reviews.models import ActionEvent, Decision
from reviews.records import commit_order

# A page with rare matches must cost no more than one without filters: some milliseconds of the database.
MAX_LOOKED_AT: Final = 2000
"""Events that one page with filters looks through."""
# Each may be a megabyte, and a page has hundreds.
_UNTOLD: Final = ("action__arguments", "action__key_order", "action__provenance", "action__sources")


@dataclass(frozen=True, slots=True)
class EventPage:
    """Some events in the order of the feed, each with its action."""

    events: Sequence[ActionEvent]
    decisions: Mapping[Any, Decision]
    """Action -> the decision in force, where there is one."""
    position: commit_order.Position
    """Where to read on: behind the last event that was looked at, shown or not."""
    has_more: bool
    """Whether there may be more behind it already."""


def read_page(
    rows: QuerySet[ActionEvent], *, after: commit_order.Position, lookups: Mapping[str, Any], limit: int
) -> EventPage:
    """The next events behind the position to which the look-ups apply, `limit` at most. There may be none of them,
    and more behind the page.
    """
    size = MAX_LOOKED_AT if lookups else limit
    places = list(commit_order.rows_behind(rows, after).values_list("transaction", "pk")[:size])
    looked_at = [commit_order.Position(*place) for place in places]
    # By key, so that what is committed meanwhile is left for the next page.
    matching = rows.filter(pk__in=[place.id for place in looked_at], **lookups)
    described = matching.select_related("action__trace", "action__agent").defer(*_UNTOLD)
    events = list(described.order_by("transaction", "id")[: limit + 1])
    if len(events) > limit:
        events = events[:limit]
        position, has_more = commit_order.Position(events[-1].transaction, events[-1].pk), True
    else:
        position, has_more = looked_at[-1] if looked_at else after, len(looked_at) == size
    decisions = Decision.objects.filter(action__in=[event.action_id for event in events], in_force=True)
    return EventPage(events, {decision.action_id: decision for decision in decisions}, position, has_more)
