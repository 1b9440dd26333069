"""Where a workspace is told what becomes of its calls, and each message with how it fared."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.actions import Action
from reviews.models.base import Record
from reviews.models.deliveries import Delivery, due_while_pending
from reviews.models.workspaces import Workspace

TEST_EVENT = "webhook.test"
"""What an administrator sends to try a receiver; it speaks of no call."""


class WebhookEndpoint(Record):
    """A receiver of webhooks: an address, what it is told of, and the secret that its messages are signed with."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="webhook_endpoints")
    # As `Action.callback_url`: what proxies and servers commonly accept.
    url = models.URLField(max_length=2000)
    events = models.JSONField(default=list)
    """Values of `EventType`."""
    secret = models.TextField()
    """Encrypted (`workspaces.encryption`)."""
    previous_secret = models.TextField(blank=True)
    previous_until = models.DateTimeField(null=True)
    """Until when the previous secret signs beside the present one."""
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    busy_until = models.DateTimeField(null=True)
    """Until when nobody else sends to it: a worker does, or it did not answer and is left alone for a moment."""
    disabled_at = models.DateTimeField(null=True)
    disabled_because = models.CharField(max_length=200, blank=True)
    """Why it is told of nothing; empty while it is."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(previous_secret="", previous_until__isnull=True)
                | (~Q(previous_secret="") & Q(previous_until__isnull=False)),
                name="a_webhooks_previous_secret_has_an_end",
            ),
            models.CheckConstraint(
                condition=Q(disabled_because="", disabled_at__isnull=True)
                | (~Q(disabled_because="") & Q(disabled_at__isnull=False)),
                name="a_disabled_webhook_says_why",
            ),
        ]

    def __str__(self) -> str:
        return self.url


class WebhookDelivery(Delivery):
    """One message to one receiver. It is written with what it tells of, in one transaction, and sent by a worker."""

    endpoint = models.ForeignKey(WebhookEndpoint, models.CASCADE, related_name="deliveries")
    action = models.ForeignKey(Action, models.CASCADE, null=True, related_name="+")
    """Null for a test."""
    event = models.CharField(max_length=32)
    response_status = models.PositiveSmallIntegerField(null=True)
    """HTTP status of the last answer; null where there was none."""

    class Meta:
        constraints = [
            due_while_pending("a_webhook_is_due_exactly_while_it_is_pending"),
            # Whoever settles an action twice tells of it once.
            models.UniqueConstraint(
                fields=["endpoint", "action", "event"], name="a_receiver_is_told_of_an_event_in_one_message"
            ),
        ]
        indexes = [
            models.Index(fields=["endpoint", "-created_at", "-id"], name="webhook_log"),
            # The sweep looks for what is due every few seconds; partial, as nearly all are delivered.
            models.Index(fields=["due_at"], name="webhook_due", condition=Q(status="pending")),
            models.Index(fields=["created_at"], name="webhook_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.event} ({self.status})"
