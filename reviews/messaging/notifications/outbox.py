"""Write down what each person is to be told of, by a look at what waits.

Not as the items come: a call that stops must not wait for a row for everybody who wants to hear of it.
"""

from datetime import datetime
from itertools import product
from typing import Final

from django.conf import settings
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from reviews import access
from reviews.messaging.notifications.times import due_time
from reviews.models import DeliveryStatus, Notification, NotificationChannel, NotificationPreference, Risk

# Of one person, at one look; the next goes on. A message names a few of them and counts the rest.
MAX_ITEMS: Final = 200


def enqueue_notifications() -> int:
    """A row for each person, way and waiting item they are not told of yet. Returns how many. Harmless to repeat."""
    now = timezone.now()
    wanted = Q(sends_email=True) | ~Q(chat_address="")
    preferences = NotificationPreference.objects.filter(wanted).select_related("membership__workspace")
    return sum(_enqueue_for(preference, now) for preference in preferences.iterator())


def channels_of(preference: NotificationPreference) -> list[NotificationChannel]:
    """The ways in which this person is told, as far as the installation can."""
    may_mail = preference.sends_email and settings.GUARD.smtp_url is not None
    channels = [NotificationChannel.EMAIL] if may_mail else []
    return [*channels, NotificationChannel.CHAT] if preference.chat_address else channels


def _enqueue_for(preference: NotificationPreference, now: datetime) -> int:
    due = {risk: moment for risk in Risk.values if (moment := due_time(preference, risk, now))}
    channels = channels_of(preference)
    enqueued = Notification.objects.filter(preference=preference, review=OuterRef("pk"), channel__in=channels)
    waiting = access.open_reviews_for(preference.membership).filter(
        ~Exists(enqueued), created_at__gte=preference.since, action__risk__in=due
    )
    items = waiting.order_by("created_at").values_list("pk", "action__risk")[:MAX_ITEMS] if channels else ()
    rows = [
        Notification(preference=preference, review_id=pk, channel=channel, due_at=due[risk])
        for (pk, risk), channel in product(items, channels)
    ]
    # Another worker may have written some meanwhile.
    Notification.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def enqueue_test(preference: NotificationPreference) -> int:
    """A test in each of the person's ways, due at once. Returns in how many."""
    tests = preference.notifications.filter(review=None, status=DeliveryStatus.PENDING)
    # One that still waits for its turn is the test: asked for a hundred times it is one message.
    waiting = set(tests.values_list("channel", flat=True))
    channels = channels_of(preference)
    Notification.objects.bulk_create(
        Notification(preference=preference, channel=channel, status=DeliveryStatus.PENDING, due_at=timezone.now())
        for channel in channels
        if channel not in waiting
    )
    return len(channels)
