"""A worker that is killed while a receiver keeps it waiting: its message goes out again. Real processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import timezone
from standardwebhooks import Webhook

from reviews.messaging.webhooks import endpoints
from reviews.models import EventType, WebhookDelivery, WebhookEndpoint
from tests import stack
from tests.cast import approved, make_cast
from tests.messaging.receiver import Receiver, serve_receiver

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with serve_receiver() as served:
        yield served


def test_a_message_outlives_its_worker(receiver: Receiver, tmp_path: Path) -> None:
    cast, events = make_cast(), [EventType.DECIDED]
    hook = endpoints.add_endpoint(membership=cast.admin, url=receiver.url, events=events)
    receiver.hangs = True
    approved(cast)
    allowed = {"WEBHOOK_NETWORKS": "127.0.0.0/8"}
    with stack.worker(queues="default", pool="threads", **allowed), stack.beat(tmp_path):
        stack.until(lambda: receiver.requests, what="the first attempt")
    receiver.hangs = False
    # The dead worker's lease of the receiver, which would end by itself.
    WebhookEndpoint.objects.update(busy_until=timezone.now())
    WebhookDelivery.objects.update(due_at=timezone.now())
    with stack.worker(queues="default", pool="threads", **allowed), stack.beat(tmp_path):
        stack.until(lambda: WebhookDelivery.objects.get().status == "delivered", what="the delivery")
    (first, _), (second, body) = receiver.requests[0], receiver.requests[-1]
    assert first["webhook-id"] == second["webhook-id"]
    assert Webhook(hook.secret).verify(body, second)["data"]["outcome"] == "approve"
