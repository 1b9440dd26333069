import re
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import pytest

from reviews.messaging.webhooks import endpoints
from reviews.models import AuditEvent, DeliveryStatus, EventType, WebhookDelivery, WebhookEndpoint
from tests.cast import Cast
from tests.desk.desk import Desk

URL = "https://example.org/hook?key=hidden"


@pytest.fixture
def hook(cast: Cast) -> WebhookEndpoint:
    return endpoints.add_endpoint(membership=cast.admin, url=URL, events=[EventType.DECIDED]).endpoint


def test_a_new_webhook_shows_its_secret_once(admin_desk: Desk) -> None:
    form: dict[str, Any] = {"url": URL, "events": ["action.decided"], "row_id": uuid4()}
    body = admin_desk.sends("/settings/webhooks/add", "never shown again", **form)
    secret = re.search(r'id="secret">(whsec_[\w+/=]+)<', body)
    assert secret
    endpoint = WebhookEndpoint.objects.get()
    assert endpoint.events == ["action.decided"]
    admin_desk.lacks(f"/settings/webhooks/{endpoint.pk}", secret[1])
    admin_desk.shows("/settings/webhooks", "https://example.org/hook")
    # Some receivers are known by a secret in their address.
    assert AuditEvent.objects.get(verb="webhook.added").details["host"] == "example.org"
    assert "hidden" not in str(list(AuditEvent.objects.values_list("details", flat=True)))


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("", "Give the receiver"),
        ("http://example.org/", "begins with https://"),
        ("ftp://example.org/", "begins with https://"),
        ("https://user:word@example.org/", "no password"),
        ("https://[broken/", "no address"),
        ("https://", "begins with https://"),
        ("https://example .org/", "names no host"),
    ],
)
def test_an_address_that_cannot_be_sent_to_is_refused(admin_desk: Desk, url: str, problem: str) -> None:
    form: dict[str, Any] = {"url": url, "events": ["action.decided"], "row_id": uuid4()}
    admin_desk.sends("/settings/webhooks/add", problem, status=HTTPStatus.UNPROCESSABLE_ENTITY, **form)
    assert not WebhookEndpoint.objects.exists()


def test_a_workspace_has_a_handful_of_webhooks(cast: Cast, admin_desk: Desk) -> None:
    for _ in range(endpoints.MAX_ENDPOINTS):
        endpoints.add_endpoint(membership=cast.admin, url=URL, events=[])
    form: dict[str, Any] = {"url": URL, "events": ["action.decided"], "row_id": uuid4()}
    admin_desk.sends("/settings/webhooks/add", "at most", status=HTTPStatus.CONFLICT, **form)


def test_a_reload_of_the_page_that_shows_a_secret_adds_no_other_webhook(admin_desk: Desk) -> None:
    form: dict[str, Any] = {"url": URL, "events": ["action.decided"], "row_id": uuid4()}
    admin_desk.sends("/settings/webhooks/add", "never shown again", **form)
    admin_desk.sends("/settings/webhooks/add", "This webhook was added already.", **form)
    assert WebhookEndpoint.objects.count() == 1


def test_a_message_is_sent_again_from_its_log(admin_desk: Desk, hook: WebhookEndpoint) -> None:
    page = f"/settings/webhooks/{hook.pk}"
    admin_desk.sends(f"{page}/control", "A test is on its way", do="test")
    WebhookDelivery.objects.update(
        status=DeliveryStatus.FAILED, due_at=None, attempts=10, problem="It answered <b>500</b>."
    )
    admin_desk.shows(page, "given up", "attempt 10", "&lt;b&gt;500")
    admin_desk.sends(f"{page}/deliveries/{WebhookDelivery.objects.get().pk}/resend", "on its way again")
    delivery = WebhookDelivery.objects.get()
    assert (delivery.status, delivery.attempts) == (DeliveryStatus.PENDING, 0)


def test_a_webhook_is_rotated_switched_and_removed(admin_desk: Desk, hook: WebhookEndpoint) -> None:
    control = f"/settings/webhooks/{hook.pk}/control"
    mark = endpoints.mark_of_secret(hook)
    admin_desk.sends(control, "whsec_", "24 hours", do="rotate", replaces=mark)
    admin_desk.sends(control, "A new secret was made already.", do="rotate", replaces=mark)
    admin_desk.sends(control, "switched off", do="disable")
    admin_desk.sends(control, "Switch it on first", do="test")
    admin_desk.sends(control, "switched on", do="enable")
    admin_desk.sends(control, "The webhook is removed.", do="remove")
    assert not WebhookEndpoint.objects.exists()
    verbs = AuditEvent.objects.filter(verb__startswith="webhook.").order_by("sequence").values_list("verb", flat=True)
    acts = ("added", "secret_rotated", "disabled", "enabled", "removed")
    assert list(verbs) == [f"webhook.{act}" for act in acts]
