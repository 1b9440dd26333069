"""Events of calls: a row each, written with what it tells of. The feed lists them, and webhooks are made of them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final

from django.conf import settings
from django.utils import timezone
from psycopg import Cursor

from reviews.models import Action, ActionEvent, Decision, EventType, Status, pipeline
from reviews.models.base import uuid7
from reviews.models.sql import action_events

EVENTS: Final = MappingProxyType(
    {
        Status.PENDING: EventType.WAITING,
        Status.DECIDED: EventType.DECIDED,
        Status.EXPIRED: EventType.EXPIRED,
        Status.CANCELLED: EventType.CANCELLED,
        Status.SUPERSEDED: EventType.SUPERSEDED,
    }
)
"""What is told when an action reaches a status."""
# Far longer than a webhook is retried, or a fleet's controller is down.
KEPT: Final = timedelta(days=30)
"""How long an event is listed."""
# As many rows as a sweep moves on of anything else.
MAX_FORGOTTEN: Final = 1000
"""Events that are forgotten by one statement."""


def begin_insert(action: Action, status: Status, *, settled_at: datetime | None = None) -> Cursor[Any]:
    """Add the event, and a message for each webhook that wants it, unless the action is not where it was just put.

    May travel in a batch; behind it `rowcount` says how many messages there are.
    """
    parameters = {
        "event": uuid7(),
        "id": action.pk,
        "status": status,
        "settled_at": settled_at,
        "type": EVENTS[status],
        "now": timezone.now(),
    }
    return pipeline.execute(action_events.INSERT_WITH_DELIVERIES, parameters)


def describe_event(action: Action, event_type: str, decision: Decision | None) -> Mapping[str, Any]:
    """What is said of the call: which one it is and where it stands. None of its arguments leaves so.

    `decision` is the one in force; it is told of by the event that says so, and by no other.
    """
    if event_type != EventType.DECIDED:
        decision = None
    # Absolute: a receiver has no address of the site to begin with.
    site = settings.GUARD.public_url
    return {
        "id": str(action.pk),
        "status": next(status for status, type_of in EVENTS.items() if type_of == event_type),
        "outcome": decision.outcome if decision else None,
        "decided_by": decision.decided_by if decision else None,
        "agent": action.agent.name,
        "trace_id": action.trace.external_id,
        "tool_call_id": action.tool_call_id,
        "tool": action.tool,
        "metadata": action.metadata,
        "expires_at": action.expires_at.isoformat(),
        "links": {
            "self": f"{site}/api/v1/actions/{action.pk}",
            # Nobody is a member of a sandbox.
            "review": "" if action.is_test else f"{site}/actions/{action.pk}",
        },
    }


def forgotten_before() -> list[datetime]:
    """The time before which events are forgotten; nothing where none is so old."""
    before = timezone.now() - KEPT
    return [before] if ActionEvent.objects.filter(created_at__lt=before).exists() else []


def forget_events(before: datetime) -> bool:
    """Forget some events from before then, the oldest first. Returns whether there were any."""
    oldest = ActionEvent.objects.filter(created_at__lt=before).order_by("created_at")
    return ActionEvent.objects.filter(pk__in=oldest.values("pk")[:MAX_FORGOTTEN]).delete()[0] > 0
