"""Manage the receivers of a workspace's webhooks. Administrators only; every change is audited."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from reviews import access, audit
from reviews.errors import AlreadyIssuedError, ConflictError
from reviews.messaging.webhooks import signing
from reviews.models import (
    TEST_EVENT,
    DeliveryStatus,
    EventType,
    Membership,
    WebhookDelivery,
    WebhookEndpoint,
    Workspace,
)
from reviews.models.base import uuid7

# One for each system that has to know; each costs a row and a request for every event.
MAX_ENDPOINTS: Final = 10
# A day: a secret is changed on the other side by whoever reads the page, or by the next release.
OVERLAP: Final = timedelta(days=1)
"""How long the secret before the present one goes on signing."""
BY_HAND: Final = "An administrator switched it off."


@dataclass(frozen=True)
class IssuedSecret:
    """A receiver with its new secret, which is shown once."""

    endpoint: WebhookEndpoint
    secret: str = field(repr=False)


@transaction.atomic
def add_endpoint(
    *, membership: Membership, url: str, events: Sequence[EventType], row_id: UUID | None = None
) -> IssuedSecret:
    """A new receiver, told of these events from now on. Whoever may ask twice for the same one names its row.

    Raises `ForbiddenError`, `AlreadyIssuedError` and `ConflictError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    # Locked, because two who add one at once would both find room.
    Workspace.objects.select_for_update(no_key=True).get(pk=membership.workspace_id)
    if row_id is not None and WebhookEndpoint.objects.filter(pk=row_id).exists():
        raise AlreadyIssuedError("This webhook was added already.")
    if access.webhook_endpoints_for(membership).count() >= MAX_ENDPOINTS:
        raise ConflictError(f"A workspace has {MAX_ENDPOINTS} webhooks at most. Remove one first.")
    secret = signing.make_secret()
    endpoint = WebhookEndpoint.objects.create(
        pk=row_id or uuid7(),
        workspace=membership.workspace,
        url=url,
        events=list(events),
        secret=signing.encrypt_secret(secret),
        created_by=membership.user,
    )
    _record(endpoint, "added", membership, events=list(events))
    return IssuedSecret(endpoint, secret)


@transaction.atomic
def rotate_secret(*, endpoint: WebhookEndpoint, membership: Membership, replaces: str) -> IssuedSecret:
    """A new secret in place of that of this mark; for `OVERLAP` messages are signed by the one before as well.

    Raises `ForbiddenError`, and `AlreadyIssuedError` where another stands there already.
    """
    access.require(membership, access.Permission.ADMINISTER)
    locked = WebhookEndpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
    # Two rotations in a row leave no signature by the secret that the receiver knows.
    if mark_of_secret(locked) != replaces:
        raise AlreadyIssuedError("A new secret was made already.")
    secret = signing.make_secret()
    locked.previous_secret, locked.previous_until = locked.secret, timezone.now() + OVERLAP
    locked.secret = signing.encrypt_secret(secret)
    locked.save(update_fields=["secret", "previous_secret", "previous_until"])
    _record(locked, "secret_rotated", membership)
    return IssuedSecret(locked, secret)


def host_of(endpoint: WebhookEndpoint) -> str:
    """What a receiver is called where its address may not stand: some are known by a secret in the path."""
    return urlsplit(endpoint.url).hostname or ""


def mark_of_secret(endpoint: WebhookEndpoint) -> str:
    """What tells a receiver's present secret from a later one; nothing of the secret can be told from it."""
    return hashlib.sha256(endpoint.secret.encode()).hexdigest()[:16]


@transaction.atomic
def switch_endpoint(*, endpoint: WebhookEndpoint, membership: Membership, enabled: bool) -> bool:
    """Tell it of what happens from now on, and of what is still due, or of nothing. Returns whether that is new.

    Raises `ForbiddenError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    now = None if enabled else timezone.now()
    changed = WebhookEndpoint.objects.filter(pk=endpoint.pk, disabled_at__isnull=not enabled).update(
        disabled_at=now, disabled_because="" if enabled else BY_HAND, busy_until=None
    )
    if changed:
        _record(endpoint, "enabled" if enabled else "disabled", membership)
    return bool(changed)


@transaction.atomic
def remove_endpoint(*, endpoint: WebhookEndpoint, membership: Membership) -> None:
    """Forget the receiver and its log. Raises `ForbiddenError`."""
    access.require(membership, access.Permission.ADMINISTER)
    if WebhookEndpoint.objects.filter(pk=endpoint.pk).delete()[0]:
        _record(endpoint, "removed", membership)


def send_test(*, endpoint: WebhookEndpoint, membership: Membership) -> WebhookDelivery:
    """A message that speaks of no call. Raises `ForbiddenError` and `ConflictError`."""
    access.require(membership, access.Permission.ADMINISTER)
    if endpoint.disabled_at:
        raise ConflictError("This webhook is switched off. Switch it on first.")
    return WebhookDelivery.objects.create(endpoint=endpoint, event=TEST_EVENT, due_at=timezone.now())


@transaction.atomic
def resend_delivery(*, delivery: WebhookDelivery, membership: Membership) -> None:
    """Send it anew at once, under the same id, with all its retries before it. Raises `ForbiddenError`."""
    access.require(membership, access.Permission.ADMINISTER)
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        status=DeliveryStatus.PENDING, attempts=0, due_at=timezone.now()
    )
    _record(delivery.endpoint, "resent", membership, delivery=str(delivery.pk))


def _record(endpoint: WebhookEndpoint, verb: str, membership: Membership, **details: object) -> None:
    host = host_of(endpoint)
    audit.record(
        workspace=membership.workspace,
        verb=f"webhook.{verb}",
        subject=str(endpoint.pk),
        by=membership,
        details={"host": host, **details},
        name=host,
    )
