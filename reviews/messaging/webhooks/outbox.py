"""Write the messages about an action, in the transaction that changes it."""

from datetime import datetime
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from django.utils import timezone
from psycopg import Cursor

from reviews.models import Status, WebhookEvent, pipeline
from reviews.models.sql import webhook_deliveries

EVENTS: Final = MappingProxyType(
    {
        Status.PENDING: WebhookEvent.WAITING,
        Status.DECIDED: WebhookEvent.DECIDED,
        Status.EXPIRED: WebhookEvent.EXPIRED,
        Status.CANCELLED: WebhookEvent.CANCELLED,
        Status.SUPERSEDED: WebhookEvent.SUPERSEDED,
    }
)
"""What receivers are told when an action reaches a status."""


def begin_insert(action_id: UUID, status: Status, *, settled_at: datetime | None = None) -> Cursor[Any]:
    """Add a message for each receiver that wants it, unless the action is not where the caller has just put it.

    May travel in a batch; behind it `rowcount` says how many there are.
    """
    parameters = {
        "id": action_id,
        "status": status,
        "settled_at": settled_at,
        "event": EVENTS[status],
        "now": timezone.now(),
    }
    return pipeline.execute(webhook_deliveries.INSERT_FOR_ACTION, parameters)
