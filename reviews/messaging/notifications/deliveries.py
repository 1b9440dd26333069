"""Send what is due: for each person one message in each way, with all that is due by then, and a pause behind it.

A person is leased by compare-and-set while a worker sends to them. A worker that dies leaves its rows due; they are
sent again, so that a message may come twice and none is lost. What was decided meanwhile is left out.
"""

import asyncio
import time
from collections.abc import Sequence
from datetime import timedelta
from smtplib import SMTPException
from typing import Final
from uuid import UUID

from django.core.mail import EmailMessage
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from reviews import access
from reviews.messaging.notifications.chat import MAX_TEXT_LENGTH, build_request, decrypt_address
from reviews.messaging.notifications.outbox import channels_of
from reviews.messaging.notifications.times import end_of_quiet_hours
from reviews.messaging.notifications.wording import Message, write_message
from reviews.messaging.webhooks.requests import send_requests
from reviews.models import (
    DeliveryStatus,
    Membership,
    Notification,
    NotificationChannel,
    NotificationPreference,
    Review,
)
from reviews.provenance.core.shortening import shorten_text
from reviews.queue.ordering import QUEUE_ORDER
from reviews.workspaces.encryption import InvalidToken

PAUSE: Final = timedelta(minutes=5)
"""Between two messages to a person: at most twelve an hour, however many items come."""
RETRY_SECONDS: Final = (60, 600, 3_600)
"""Seconds after each failed attempt until the next. An item older than that is in the next message, or decided."""
# Far above the time-outs of a mail server and of a chat service together.
LEASE: Final = timedelta(minutes=2)
MAX_RUN_SECONDS: Final = 60.0
"""From when on a run begins with no further person."""
MAX_AT_ONCE: Final = 500
"""Rows of one message."""
KEEP_LOG: Final = timedelta(days=30)
"""How long a row tells that a person was told; no item waits for as long."""


def run_due_notifications() -> None:
    """Send to everybody to whom something is due. Harmless to repeat, also at the same time."""
    stop = time.monotonic() + MAX_RUN_SECONDS
    for preference_id in _due_preferences():
        if time.monotonic() > stop:
            return
        if preference := _lease_preference(preference_id):
            # Each of them, whatever became of the one before.
            sent = [_tell_by(preference, channel) for channel in NotificationChannel]
            leased = NotificationPreference.objects.filter(pk=preference.pk, busy_until=preference.busy_until)
            leased.update(busy_until=None, **({"sent_at": timezone.now()} if any(sent) else {}))


def old_notifications() -> QuerySet[Notification, UUID]:
    """The keys of rows that need not be kept: their items have left the queue."""
    old = Notification.objects.filter(created_at__lt=timezone.now() - KEEP_LOG)
    return old.filter(Q(review__isnull=True) | Q(review__closed_at__isnull=False)).values_list("pk", flat=True)


def delete_notification(notification_id: UUID) -> bool:
    """Let go of one. Returns whether this call did it."""
    return Notification.objects.filter(pk=notification_id).delete()[0] > 0


def _due_preferences() -> list[UUID]:
    now = timezone.now()
    due = Notification.objects.filter(preference=OuterRef("pk"), status=DeliveryStatus.PENDING, due_at__lte=now)
    return list(_idle_preferences().filter(Exists(due)).values_list("pk", flat=True))


def _idle_preferences() -> QuerySet[NotificationPreference]:
    """Whoever nobody sends to, and was sent nothing a moment ago."""
    now = timezone.now()
    return NotificationPreference.objects.filter(
        Q(busy_until__isnull=True) | Q(busy_until__lte=now), Q(sent_at__isnull=True) | Q(sent_at__lte=now - PAUSE)
    )


def _lease_preference(preference_id: UUID) -> NotificationPreference | None:
    """The person, who is this worker's until it is done; None where another worker was faster."""
    until = timezone.now() + LEASE
    if not _idle_preferences().filter(pk=preference_id).update(busy_until=until):
        return None
    preferences = NotificationPreference.objects.select_related("membership__workspace", "membership__user")
    return preferences.filter(pk=preference_id, busy_until=until).first()


def _tell_by(preference: NotificationPreference, channel: NotificationChannel) -> bool:
    """Send what is due in this way. Returns whether a message went out."""
    now = timezone.now()
    due = preference.notifications.filter(channel=channel, status=DeliveryStatus.PENDING, due_at__lte=now)
    rows = list(due.order_by("due_at")[:MAX_AT_ONCE])
    # By what the person chooses now, which may be another choice than when the rows were written.
    is_chosen = channel in channels_of(preference)
    is_test = is_chosen and any(row.review_id is None for row in rows)
    wake = end_of_quiet_hours(preference, now)
    if is_chosen and not is_test and wake > now:
        due.update(due_at=wake)
        return False
    reviews = _waiting_of(preference.membership, rows) if is_chosen else []
    if not (reviews or is_test):
        # Everything was decided before its time came.
        _settle_rows(rows, "")
        return False
    message = write_message(preference.membership, reviews)
    problem = (_send_mail if channel == NotificationChannel.EMAIL else _send_chat)(preference, message)
    _settle_rows(rows, problem)
    return not problem


def _waiting_of(membership: Membership, rows: Sequence[Notification]) -> list[Review]:
    """The items among these that still wait and that the person may see now, in the order of the queue."""
    keys = [row.review_id for row in rows if row.review_id]
    return list(access.open_reviews_for(membership).filter(pk__in=keys).order_by(*QUEUE_ORDER))


def _send_mail(preference: NotificationPreference, message: Message) -> str:
    """Why it was not sent; empty where it was."""
    user = preference.membership.user
    if not (user.is_active and user.email):
        return "The account has no e-mail address."
    # So that no out-of-office note answers it (RFC 3834).
    headers = {"Auto-Submitted": "auto-generated"}
    try:
        EmailMessage(message.subject, message.text, None, [user.email], headers=headers).send()
    except (OSError, SMTPException) as error:
        return f"The mail server did not take it: {type(error).__name__}."
    return ""


def _send_chat(preference: NotificationPreference, message: Message) -> str:
    """As `_send_mail`."""
    if not preference.membership.user.is_active:
        return "The account is switched off."
    try:
        request = build_request(decrypt_address(preference.chat_address), shorten_text(message.text, MAX_TEXT_LENGTH))
    except InvalidToken:
        return "Its address cannot be read any more. Give it anew."
    except ValueError as error:
        return str(error)
    # Public addresses only, whatever the operator allows webhooks: the services are none of this network.
    return asyncio.run(send_requests([request]))[0].problem


def _settle_rows(rows: Sequence[Notification], problem: str) -> None:
    """Note the attempt, and when the next is made where it failed."""
    now = timezone.now()
    for row in rows:
        attempts = row.attempts + 1
        if not problem:
            status, due_at = DeliveryStatus.DELIVERED, None
        elif attempts > len(RETRY_SECONDS):
            status, due_at = DeliveryStatus.FAILED, None
        else:
            status, due_at = DeliveryStatus.PENDING, now + timedelta(seconds=RETRY_SECONDS[attempts - 1])
        # Compared: a worker whose lease was over must not count what another has settled.
        standing = Notification.objects.filter(pk=row.pk, status=DeliveryStatus.PENDING, attempts=row.attempts)
        standing.update(status=status, attempts=attempts, due_at=due_at, attempted_at=now, problem=problem[:200])
