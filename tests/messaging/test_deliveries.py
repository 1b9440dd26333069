"""A message is written with what it tells of, and sent until it is taken or given up."""

import asyncio
import json
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from django.utils.http import http_date
from standardwebhooks import Webhook, WebhookVerificationError

from reviews.checks.sweep_chores import sweep_lost_and_due
from reviews.decisions import decide, expiry_and_cancellation
from reviews.messaging.webhooks import deliveries, endpoints
from reviews.messaging.webhooks.deliveries import RETRY_SECONDS, run_due_deliveries
from reviews.messaging.webhooks.requests import MAX_RETRY_AFTER, SendResult, WebhookRequest, send_requests
from reviews.models import AuditEvent, EventType, WebhookDelivery, WebhookEndpoint
from tests.cast import Cast, approved, flagged, propose
from tests.messaging.receiver import Receiver, serve_receiver


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.GUARD = settings.GUARD.model_copy(update={"webhook_networks": ("127.0.0.0/8",)})
    with serve_receiver() as served:
        yield served


@pytest.fixture
def hook(cast: Cast, receiver: Receiver) -> endpoints.IssuedSecret:
    """A receiver of everything, with its secret."""
    return endpoints.add_endpoint(membership=cast.admin, url=receiver.url, events=list(EventType))


def answer(monkeypatch: pytest.MonkeyPatch, result: SendResult) -> None:
    """Every message is answered so, without a network."""

    async def send_all(messages: list[Any], **_: Any) -> list[SendResult]:
        return [result for _ in messages]

    monkeypatch.setattr(deliveries, "send_requests", send_all)


def test_a_receiver_is_told_of_a_wait_and_a_decision_by_verifiable_messages(
    cast: Cast, receiver: Receiver, hook: endpoints.IssuedSecret
) -> None:
    action = flagged(cast, tool_call_id="c1", metadata={"team": "billing"}).action
    decide.decide_action(action=action, choice=decide.Reject(), membership=cast.reviewer)
    run_due_deliveries()
    messages = [Webhook(hook.secret).verify(body, headers) for headers, body in receiver.requests]
    by_type = {message["type"]: message["data"] for message in messages}
    assert set(by_type) == {"action.waiting", "action.decided"}
    assert by_type["action.waiting"]["status"] == "pending"
    decided = by_type["action.decided"]
    assert decided["id"] == str(action.pk)
    assert (decided["status"], decided["outcome"]) == ("decided", "reject")
    assert (decided["tool_call_id"], decided["metadata"]) == ("c1", {"team": "billing"})
    assert decided["links"]["review"].endswith(f"/actions/{action.pk}")
    assert "arguments" not in json.dumps(messages)
    assert set(WebhookDelivery.objects.values_list("status", flat=True)) == {"delivered"}


def test_each_end_of_an_action_is_told_once(cast: Cast, hook: endpoints.IssuedSecret) -> None:
    cancelled, expired, replaced = (propose(cast, trace_id=name) for name in ("a", "b", "c"))
    for _ in range(2):
        expiry_and_cancellation.cancel_action(action=cancelled, agent_key=cast.agent)
    expired.__class__.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    expiry_and_cancellation.expire_action(expired)
    expiry_and_cancellation.supersede_action(action=replaced, by=cancelled)
    events = WebhookDelivery.objects.order_by("event").values_list("event", flat=True)
    assert list(events) == ["action.cancelled", "action.expired", "action.superseded"]


def test_only_receivers_of_the_workspace_that_want_the_event_are_told(cast: Cast, receiver: Receiver) -> None:
    for member, events in ((cast.admin, [EventType.EXPIRED]), (cast.outsider, list(EventType))):
        endpoints.add_endpoint(membership=member, url=receiver.url, events=events)
    approved(cast)
    assert not WebhookDelivery.objects.exists()


def test_a_failure_is_tried_again_for_days_and_then_given_up(
    cast: Cast, hook: endpoints.IssuedSecret, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, SendResult(500, "It answered 500."))
    delivery = endpoints.send_test(endpoint=hook.endpoint, membership=cast.admin)
    for delay in RETRY_SECONDS:
        run_due_deliveries()
        delivery.refresh_from_db()
        assert delivery.due_at is not None
        assert timedelta(seconds=delay - 5) < delivery.due_at - timezone.now() <= timedelta(seconds=delay * 1.2)
        WebhookDelivery.objects.update(due_at=timezone.now())
    run_due_deliveries()
    delivery.refresh_from_db()
    assert (delivery.status, delivery.attempts, delivery.response_status) == ("failed", len(RETRY_SECONDS) + 1, 500)
    hook.endpoint.refresh_from_db()
    assert hook.endpoint.disabled_because == "It has taken no message for days."
    assert sum(RETRY_SECONDS) > timedelta(days=3).total_seconds()


def test_410_ends_the_webhook_at_once(cast: Cast, receiver: Receiver, hook: endpoints.IssuedSecret) -> None:
    receiver.status = 410
    endpoints.send_test(endpoint=hook.endpoint, membership=cast.admin)
    run_due_deliveries()
    approved(cast)
    run_due_deliveries()
    assert len(receiver.requests) == 1
    hook.endpoint.refresh_from_db()
    assert hook.endpoint.disabled_because == "It answered 410 Gone."
    assert AuditEvent.objects.filter(verb="webhook.disabled", actor="installation").count() == 1


def test_a_receiver_that_does_not_answer_is_left_alone_for_a_moment(
    cast: Cast, hook: endpoints.IssuedSecret, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, SendResult(problem="It did not answer."))
    endpoints.send_test(endpoint=hook.endpoint, membership=cast.admin)
    run_due_deliveries()
    later = endpoints.send_test(endpoint=hook.endpoint, membership=cast.admin)
    assert not deliveries.has_due_deliveries()
    run_due_deliveries()
    later.refresh_from_db()
    assert later.attempts == 0
    WebhookEndpoint.objects.update(busy_until=timezone.now())
    assert deliveries.has_due_deliveries()


@pytest.mark.parametrize(
    ("answered", "rest"),
    [
        ((429, "600"), 600),
        ((503, "600"), 600),
        ((503, "9" * 9), MAX_RETRY_AFTER),
        ((500, "600"), 0),
        ((429, "soon"), 0),
    ],
)
def test_a_receiver_that_asks_for_a_pause_gets_it(
    cast: Cast, receiver: Receiver, hook: endpoints.IssuedSecret, answered: tuple[int, str], rest: float
) -> None:
    receiver.status, receiver.headers = answered[0], {"Retry-After": answered[1]}
    delivery = endpoints.send_test(endpoint=hook.endpoint, membership=cast.admin)
    run_due_deliveries()
    delivery.refresh_from_db()
    hook.endpoint.refresh_from_db()
    assert delivery.due_at is not None
    least = max(rest, RETRY_SECONDS[0])
    assert timedelta(seconds=least - 5) < delivery.due_at - timezone.now() <= timedelta(seconds=least * 1.2)
    until = hook.endpoint.busy_until
    assert (until is not None) == bool(rest)
    assert until is None or abs((until - timezone.now()).total_seconds() - rest) < 5


def test_a_pause_may_be_asked_for_as_a_date(receiver: Receiver) -> None:
    receiver.status, receiver.headers = 429, {"Retry-After": http_date(time.time() + 600)}
    request = WebhookRequest(receiver.url, {}, "{}")
    (result,) = asyncio.run(send_requests([request], allowed=["127.0.0.0/8"]))
    assert 590 < result.retry_after <= 600


def test_a_message_whose_worker_died_is_sent_again_under_its_id(
    cast: Cast, receiver: Receiver, hook: endpoints.IssuedSecret, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoints.send_test(endpoint=hook.endpoint, membership=cast.admin)
    with monkeypatch.context() as patched:
        # Killed between the request and the note of it.
        patched.setattr(deliveries, "_record_result", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_due_deliveries()
    run_due_deliveries()
    assert len(receiver.requests) == 1
    WebhookEndpoint.objects.update(busy_until=timezone.now())
    run_due_deliveries()
    assert len({headers["webhook-id"] for headers, _ in receiver.requests}) == 1
    assert len(receiver.requests) == 2


def test_the_secret_before_goes_on_signing_for_a_day(
    cast: Cast, receiver: Receiver, hook: endpoints.IssuedSecret
) -> None:
    rotated = endpoints.rotate_secret(
        endpoint=hook.endpoint, membership=cast.admin, replaces=endpoints.mark_of_secret(hook.endpoint)
    )
    delivery = endpoints.send_test(endpoint=hook.endpoint, membership=cast.admin)
    run_due_deliveries()
    for secret in (hook.secret, rotated.secret):
        Webhook(secret).verify(receiver.requests[0][1], receiver.requests[0][0])
    WebhookEndpoint.objects.update(previous_until=timezone.now())
    endpoints.resend_delivery(delivery=delivery, membership=cast.admin)
    run_due_deliveries()
    again, body = receiver.requests[1]
    Webhook(rotated.secret).verify(body, again)
    with pytest.raises(WebhookVerificationError):
        Webhook(hook.secret).verify(body, again)
    assert again["webhook-id"] == receiver.requests[0][0]["webhook-id"]


def test_secrets_are_stored_encrypted_and_outlive_a_rotated_secret_key(
    cast: Cast, receiver: Receiver, hook: endpoints.IssuedSecret, settings: Any
) -> None:
    assert hook.secret not in WebhookEndpoint.objects.get().secret
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, []
    endpoints.send_test(endpoint=hook.endpoint, membership=cast.admin)
    run_due_deliveries()
    assert receiver.requests == []
    assert "secret cannot be read" in WebhookDelivery.objects.get().problem


def test_the_sweep_forgets_old_messages(cast: Cast, hook: endpoints.IssuedSecret) -> None:
    endpoints.send_test(endpoint=hook.endpoint, membership=cast.admin)
    WebhookDelivery.objects.update(created_at=timezone.now() - timedelta(days=31))
    assert sweep_lost_and_due()["deleted"] == 1
    assert not WebhookDelivery.objects.exists()
