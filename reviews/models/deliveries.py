"""What every message that a worker sends has in common: where it stands, and when it is sent next."""

from django.db import models
from django.db.models import Q

from reviews.models.base import Record


class DeliveryStatus(models.TextChoices):
    """Where a message stands."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class Delivery(Record):
    """One message. Its row is the outbox; a worker sends what is due."""

    status = models.CharField(max_length=16, choices=DeliveryStatus.choices, default=DeliveryStatus.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(null=True)
    """When it is sent next; null once it was delivered, given up, or has nothing left to tell."""
    attempted_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=200, blank=True)
    """Why the last attempt failed."""

    class Meta(Record.Meta):
        abstract = True


def due_while_pending(name: str) -> models.CheckConstraint:
    """The worker goes by the time, people by the status: they must not disagree."""
    settled = Q(status__in=(DeliveryStatus.DELIVERED, DeliveryStatus.FAILED)) & Q(due_at__isnull=True)
    return models.CheckConstraint(condition=Q(status="pending", due_at__isnull=False) | settled, name=name)
