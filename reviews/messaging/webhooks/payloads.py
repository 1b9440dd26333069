"""What a webhook says: an event of a call, as the feed has it."""

import json

from reviews.messaging.events import describe_event
from reviews.models import TEST_EVENT, Decision, WebhookDelivery


def write_body(delivery: WebhookDelivery) -> str:
    """The message's body, the same at every attempt."""
    data = {}
    if delivery.event != TEST_EVENT:
        assert delivery.action is not None  # noqa: S101 - only a test speaks of none
        decision = Decision.objects.filter(action=delivery.action, in_force=True).first()
        data = dict(describe_event(delivery.action, delivery.event, decision))
    return json.dumps({"type": delivery.event, "timestamp": delivery.created_at.isoformat(), "data": data})
