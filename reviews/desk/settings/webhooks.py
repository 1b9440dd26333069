"""Receivers of webhooks: add, try, rotate, switch, remove; the log of each, where a message is sent again."""

import re
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

import httpx
from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from reviews import access
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.settings.issuing_form import SHOWN_ONCE, IssuingForm
from reviews.errors import AlreadyIssuedError, ConflictError, found
from reviews.messaging.webhooks import endpoints
from reviews.models import EventType, WebhookEndpoint
from reviews.scheduling import broker

# What a person looks through; older ones are found by their call.
DELIVERIES_SHOWN: Final = 100
# A name or a number as it goes over the wire, where a space would be sent as %20.
_HOST: Final = re.compile(rb"[a-z0-9._:-]+", re.IGNORECASE)


class WebhookForm(IssuingForm):
    """A new receiver."""

    url = forms.CharField(
        label="Address",
        max_length=2000,
        help_text="Each message is a POST to it. It answers with a 2xx within ten seconds.",
        error_messages={"required": "Give the receiver's address."},
        widget=forms.TextInput(attrs={"type": "url", "autocomplete": "off", "placeholder": "https://example.org/hook"}),
    )
    events = forms.MultipleChoiceField(
        label="Tell it of",
        choices=EventType.choices,
        initial=EventType.values,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one event."},
    )

    def clean_url(self) -> str:
        """An address that could be sent to; where its name leads is looked at before each message."""
        url = str(self.cleaned_data["url"])
        try:
            parts = urlsplit(url)
            _, host = parts.port, httpx.URL(url).raw_host
        except (ValueError, httpx.InvalidURL):
            raise forms.ValidationError("This is no address.") from None
        # Inside of a network that the operator has named, a receiver may have no certificate.
        schemes = ("https", "http") if settings.GUARD.webhook_networks else ("https",)
        if parts.scheme not in schemes or not parts.hostname:
            raise forms.ValidationError(f"An address begins with {' or '.join(f'{name}://' for name in schemes)}.")
        if not _HOST.fullmatch(host):
            raise forms.ValidationError("The address names no host: it holds what no name may.")
        if parts.username is not None or parts.fragment:
            raise forms.ValidationError("An address has no password and no fragment; messages are signed instead.")
        return url


@require_safe
@member_page
def webhook_list(request: MemberRequest) -> HttpResponse:
    """The receivers, and the form for a new one."""
    return _render_list(request, WebhookForm())


@require_POST
@member_page
def add_webhook(request: MemberRequest) -> HttpResponse:
    """Add a receiver; this response and that of a rotation are the only ones that show a secret."""
    access.require(request.membership, access.Permission.ADMINISTER)
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return _render_list(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    sent = form.cleaned_data
    events = [EventType(event) for event in sent["events"]]
    try:
        issued = endpoints.add_endpoint(
            membership=request.membership, url=sent["url"], events=events, row_id=sent["row_id"]
        )
    except AlreadyIssuedError as error:
        messages.info(request, f"{error} {SHOWN_ONCE}")
        return redirect("webhooks")
    except ConflictError as error:
        form.add_error("url", str(error))
        return _render_list(request, form, status=HTTPStatus.CONFLICT)
    return _render_endpoint(request, issued.endpoint, secret=issued.secret)


@require_safe
@member_page
def webhook_page(request: MemberRequest, endpoint_id: UUID) -> HttpResponse:
    """One receiver with the log of what it was sent."""
    return _render_endpoint(request, _endpoint_or_404(request, endpoint_id))


@require_POST
@member_page
def control_webhook(request: MemberRequest, endpoint_id: UUID) -> HttpResponse:
    """Rotate the secret, send a test, switch the receiver on or off, or remove it."""
    endpoint, membership = _endpoint_or_404(request, endpoint_id), request.membership
    match request.POST.get("do"):
        case "rotate":
            return _rotate_secret(request, endpoint)
        case "test":
            _send_test(request, endpoint)
        case "enable" | "disable" as switch:
            endpoints.switch_endpoint(endpoint=endpoint, membership=membership, enabled=switch == "enable")
            messages.success(request, f"This webhook is switched {'on' if switch == 'enable' else 'off'}.")
        case "remove":
            endpoints.remove_endpoint(endpoint=endpoint, membership=membership)
            messages.success(request, "The webhook is removed.")
            return redirect("webhooks")
    return redirect("webhook", endpoint_id)


@require_POST
@member_page
def resend_webhook(request: MemberRequest, endpoint_id: UUID, delivery_id: UUID) -> HttpResponse:
    """Send one message again."""
    endpoint = _endpoint_or_404(request, endpoint_id)
    delivery = found(endpoint.deliveries.filter(pk=delivery_id).first(), "message to this receiver")
    endpoints.resend_delivery(delivery=delivery, membership=request.membership)
    broker.enqueue_task(broker.DELIVER_WEBHOOKS)
    messages.success(request, "The message is on its way again.")
    return redirect("webhook", endpoint_id)


def _rotate_secret(request: MemberRequest, endpoint: WebhookEndpoint) -> HttpResponse:
    """The page with the new secret; the page alone where the one that was open knew an earlier one."""
    replaces = request.POST.get("replaces", "")
    try:
        issued = endpoints.rotate_secret(endpoint=endpoint, membership=request.membership, replaces=replaces)
    except AlreadyIssuedError as error:
        messages.info(request, f"{error} {SHOWN_ONCE}")
        return redirect("webhook", endpoint.pk)
    return _render_endpoint(request, issued.endpoint, secret=issued.secret)


def _send_test(request: MemberRequest, endpoint: WebhookEndpoint) -> None:
    try:
        endpoints.send_test(endpoint=endpoint, membership=request.membership)
    except ConflictError as error:
        messages.error(request, str(error))
        return
    broker.enqueue_task(broker.DELIVER_WEBHOOKS)
    messages.success(request, "A test is on its way. Reload the page to see how it fared.")


def _endpoint_or_404(request: MemberRequest, endpoint_id: UUID) -> WebhookEndpoint:
    # The right first: others must not learn which receivers there are.
    access.require(request.membership, access.Permission.ADMINISTER)
    return found(access.webhook_endpoints_for(request.membership).filter(pk=endpoint_id).first(), "webhook")


def _render_list(request: MemberRequest, form: WebhookForm, *, status: int = HTTPStatus.OK) -> HttpResponse:
    access.require(request.membership, access.Permission.ADMINISTER)
    context = {"endpoints": access.webhook_endpoints_for(request.membership).order_by("created_at"), "form": form}
    return render(request, "settings/webhooks.html", context, status=status)


def _render_endpoint(request: MemberRequest, endpoint: WebhookEndpoint, *, secret: str = "") -> HttpResponse:
    deliveries = endpoint.deliveries.select_related("action").order_by("-created_at", "-id")
    context = {
        "endpoint": endpoint,
        "events": [EventType(event) for event in endpoint.events if event in EventType.values],
        "deliveries": deliveries[:DELIVERIES_SHOWN],
        "secret": secret,
        "mark": endpoints.mark_of_secret(endpoint),
        "overlap_hours": int(endpoints.OVERLAP.total_seconds() // 3600),
    }
    return render(request, "settings/webhook.html", context)
