"""Send what is due: in rounds, each to all receivers that nobody else sends to at the moment.

A receiver is leased for a round. One that does not answer costs its round some seconds and is then left alone for a
while, so that it never takes a worker from the others for long. A worker that dies leaves its messages due; they are
sent again under the same id.
"""

import asyncio
import random
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from reviews import audit
from reviews.messaging import metrics
from reviews.messaging.events import KEPT
from reviews.messaging.webhooks.endpoints import host_of
from reviews.messaging.webhooks.payloads import write_body
from reviews.messaging.webhooks.requests import SendResult, WebhookRequest, send_requests
from reviews.messaging.webhooks.signing import UnreadableSecretError, sign_message
from reviews.models import DeliveryStatus, WebhookDelivery, WebhookEndpoint

# The standard's example: nearly four days in all, which is a long weekend.
RETRY_SECONDS: Final = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Seconds after each failed attempt until the next."""
# Receivers that recover together are not all met at the same moment.
JITTER: Final = 0.2
"""Share of a delay that may be added to it."""
# Six rounds to receivers that hang; what is left the sweep has sent.
MAX_RUN_SECONDS: Final = 60.0
"""From when on a run begins no further round."""
# Far above the time-out of a request and a resolver's own.
LEASE: Final = timedelta(minutes=2)
"""How long a receiver is one worker's."""
REST: Final = timedelta(seconds=30)
"""How long one that did not answer is left alone."""
# Of one receiver, in one round: as many connections as an ordinary server takes from one client without complaint.
MAX_AT_ONCE: Final = 8
MAX_ENDPOINTS: Final = 16
"""Receivers of one round."""


def run_due_deliveries() -> None:
    """Send until nothing is due, or a minute is over. Harmless to repeat, also at the same time."""
    stop = time.monotonic() + MAX_RUN_SECONDS
    while time.monotonic() < stop and (endpoints := _lease_endpoints()):
        deliveries = [delivery for endpoint in endpoints for delivery in _due_of(endpoint)]
        rests: dict[UUID, timedelta] = {}
        for delivery, result in zip(deliveries, _send_all(deliveries), strict=True):
            _record_result(delivery, result)
            rest = REST if result.is_unanswered else timedelta(seconds=result.retry_after)
            rests[delivery.endpoint_id] = max(rest, rests.get(delivery.endpoint_id, rest))
        for endpoint in endpoints:
            # Also when nothing was due any more.
            rest = rests.get(endpoint.pk, timedelta())
            until = timezone.now() + rest if rest else None
            leased = WebhookEndpoint.objects.filter(pk=endpoint.pk, busy_until=endpoint.busy_until)
            leased.update(busy_until=until)


def has_due_deliveries() -> bool:
    """Whether a worker would find something to send."""
    return _ready_endpoints(timezone.now()).exists()


def old_deliveries() -> QuerySet[WebhookDelivery, UUID]:
    """The keys of messages that the log need not tell of any more."""
    old = WebhookDelivery.objects.filter(created_at__lt=timezone.now() - KEPT)
    return old.order_by("created_at").values_list("pk", flat=True)


def delete_delivery(delivery_id: UUID) -> bool:
    """Let go of one. Returns whether this call did it."""
    return WebhookDelivery.objects.filter(pk=delivery_id).delete()[0] > 0


def _ready_endpoints(now: datetime) -> QuerySet[WebhookEndpoint]:
    due = WebhookDelivery.objects.filter(endpoint=OuterRef("pk"), status=DeliveryStatus.PENDING, due_at__lte=now)
    idle = Q(busy_until__isnull=True) | Q(busy_until__lte=now)
    return WebhookEndpoint.objects.filter(idle, Exists(due), disabled_at__isnull=True)


@transaction.atomic
def _lease_endpoints() -> list[WebhookEndpoint]:
    """Receivers with something due, which are this worker's until it is done with them."""
    now = timezone.now()
    ready = _ready_endpoints(now).select_for_update(skip_locked=True, no_key=True)
    endpoints = list(ready[:MAX_ENDPOINTS])
    for endpoint in endpoints:
        endpoint.busy_until = now + LEASE
    WebhookEndpoint.objects.filter(pk__in=[endpoint.pk for endpoint in endpoints]).update(busy_until=now + LEASE)
    return endpoints


def _due_of(endpoint: WebhookEndpoint) -> QuerySet[WebhookDelivery]:
    due = WebhookDelivery.objects.filter(endpoint=endpoint, status=DeliveryStatus.PENDING, due_at__lte=timezone.now())
    return due.select_related("endpoint", "action__trace", "action__agent").order_by("due_at")[:MAX_AT_ONCE]


def _send_all(deliveries: Sequence[WebhookDelivery]) -> list[SendResult]:
    """What came of each, in their order."""
    results: dict[UUID, SendResult] = {}
    requests: dict[UUID, WebhookRequest] = {}
    for delivery in deliveries:
        body = write_body(delivery)
        try:
            headers = sign_message(delivery, body, timezone.now())
        except UnreadableSecretError as error:
            results[delivery.pk] = SendResult(problem=str(error))
        else:
            requests[delivery.pk] = WebhookRequest(delivery.endpoint.url, headers, body)
    sent = asyncio.run(send_requests(list(requests.values()), allowed=settings.GUARD.webhook_networks))
    results |= dict(zip(requests, sent, strict=True))
    return [results[delivery.pk] for delivery in deliveries]


@transaction.atomic
def _record_result(delivery: WebhookDelivery, result: SendResult) -> None:
    """Note the attempt and what follows from it."""
    attempts, now = delivery.attempts + 1, timezone.now()
    is_last = result.status == HTTPStatus.GONE or attempts > len(RETRY_SECONDS)
    if not result.problem:
        status, due_at = DeliveryStatus.DELIVERED, None
    elif is_last:
        status, due_at = DeliveryStatus.FAILED, None
    else:
        delay = max(RETRY_SECONDS[attempts - 1], result.retry_after)
        delay *= 1 + JITTER * random.random()  # noqa: S311 - spreads load
        status, due_at = DeliveryStatus.PENDING, now + timedelta(seconds=delay)
    metrics.WEBHOOKS.labels(status).inc()
    # Compared: whoever asked for it to be sent anew meanwhile has begun another count.
    standing = WebhookDelivery.objects.filter(
        pk=delivery.pk, status=DeliveryStatus.PENDING, attempts=delivery.attempts, due_at=delivery.due_at
    )
    standing.update(
        status=status,
        attempts=attempts,
        due_at=due_at,
        attempted_at=now,
        response_status=result.status,
        problem=result.problem[:200],
    )
    if result.problem and is_last and (reason := _reason_to_disable(delivery, result)):
        _disable_endpoint(delivery.endpoint, reason)


def _reason_to_disable(delivery: WebhookDelivery, result: SendResult) -> str:
    """Why the receiver is told nothing more; empty where it takes other messages."""
    if result.status == HTTPStatus.GONE:
        return "It answered 410 Gone."
    later_deliveries = WebhookDelivery.objects.filter(
        endpoint=delivery.endpoint_id, status=DeliveryStatus.DELIVERED, attempted_at__gt=delivery.created_at
    )
    return "" if later_deliveries.exists() else "It has taken no message for days."


def _disable_endpoint(endpoint: WebhookEndpoint, reason: str) -> None:
    enabled = WebhookEndpoint.objects.filter(pk=endpoint.pk, disabled_at__isnull=True)
    if enabled.update(disabled_at=timezone.now(), disabled_because=reason):
        audit.record(
            workspace=endpoint.workspace,
            verb="webhook.disabled",
            subject=str(endpoint.pk),
            details={"reason": reason},
            name=host_of(endpoint),
        )
