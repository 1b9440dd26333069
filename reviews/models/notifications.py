"""How each person wants to hear of waiting items, and each item that they are told of."""

from django.db import models
from django.db.models import Q

from reviews.models.actions import Risk
from reviews.models.base import Record
from reviews.models.deliveries import Delivery, due_while_pending
from reviews.models.reviews import Review
from reviews.models.workspaces import Membership


class NotificationChannel(models.TextChoices):
    """A way to reach a person."""

    EMAIL = "email", "e-mail"
    CHAT = "chat", "chat"


class NotificationPreference(Record):
    """What a member is told of, where, and when. Without a row they are told of nothing."""

    membership = models.OneToOneField(Membership, models.CASCADE, related_name="notification_preference")
    sends_email = models.BooleanField(default=False)
    """To the address of the account."""
    chat_address = models.TextField(blank=True)
    """Of a chat service's incoming webhook, encrypted (`workspaces.encryption`); empty without one."""
    at_once_from = models.CharField(max_length=8, choices=Risk.choices, blank=True, default=Risk.HIGH)
    """The least risk that is told at once; empty: nothing is."""
    digest_hours = models.PositiveSmallIntegerField(default=0)
    """What is not told at once comes together, once in so many hours; 0: it is not told."""
    quiet_from = models.TimeField(null=True)
    quiet_until = models.TimeField(null=True)
    """Between the two, in the person's time zone, nothing is sent: it comes when they are over."""
    time_zone = models.CharField(max_length=64, default="UTC")
    since = models.DateTimeField()
    """Items that came earlier are not told of."""
    busy_until = models.DateTimeField(null=True)
    """Until when nobody else sends to the person: a worker does."""
    sent_at = models.DateTimeField(null=True)
    """When a message was last sent, for the pause between two."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(quiet_from__isnull=True, quiet_until__isnull=True)
                | Q(quiet_from__isnull=False, quiet_until__isnull=False),
                name="quiet_hours_have_a_beginning_and_an_end",
            ),
        ]

    def __str__(self) -> str:
        return f"notifications of {self.membership_id}"


class Notification(Delivery):
    """One item that one person is told of in one way. What is due together is one message."""

    preference = models.ForeignKey(NotificationPreference, models.CASCADE, related_name="notifications")
    review = models.ForeignKey(Review, models.CASCADE, null=True, related_name="+")
    """Null for a test."""
    channel = models.CharField(max_length=8, choices=NotificationChannel.choices)

    class Meta:
        constraints = [
            due_while_pending("a_notification_is_due_exactly_while_it_is_pending"),
            # However many workers look at the queue at once; also the index by which they see what is told already.
            models.UniqueConstraint(
                fields=["preference", "review", "channel"], name="a_person_is_told_of_an_item_once_in_each_way"
            ),
        ]
        indexes = [
            # Looked for every few seconds; partial, as nearly all are sent.
            models.Index(fields=["due_at"], name="notification_due", condition=Q(status="pending")),
            models.Index(fields=["created_at"], name="notification_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.channel} ({self.status})"
