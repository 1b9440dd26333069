"""What a webhook says: which call, where it stands, and where to read the rest. No argument of the call leaves so."""

import json
from typing import Any

from django.conf import settings

from reviews.messaging.webhooks.outbox import EVENTS
from reviews.models import TEST_EVENT, Action, Decision, WebhookDelivery, WebhookEvent


def write_body(delivery: WebhookDelivery) -> str:
    """The message's body, the same at every attempt."""
    data = {} if delivery.event == TEST_EVENT else _action_data(delivery)
    return json.dumps({"type": delivery.event, "timestamp": delivery.created_at.isoformat(), "data": data})


def _action_data(delivery: WebhookDelivery) -> dict[str, Any]:
    action = delivery.action
    assert action is not None  # noqa: S101 - only a test speaks of none
    status = next(status for status, event in EVENTS.items() if event == delivery.event)
    decision = None
    if delivery.event == WebhookEvent.DECIDED:
        decision = Decision.objects.filter(action=action, in_force=True).first()
    return {
        "id": str(action.pk),
        "status": status,
        "outcome": decision.outcome if decision else None,
        "decided_by": decision.decided_by if decision else None,
        "trace_id": action.trace.external_id,
        "tool_call_id": action.tool_call_id,
        "tool": action.tool,
        "metadata": action.metadata,
        "expires_at": action.expires_at.isoformat(),
        "links": _links_of(action),
    }


def _links_of(action: Action) -> dict[str, str]:
    # Absolute: a receiver has no address of the site to begin with.
    site = settings.GUARD.public_url
    return {"self": f"{site}/api/v1/actions/{action.pk}", "review": f"{site}/actions/{action.pk}"}
