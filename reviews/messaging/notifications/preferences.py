"""What a person chooses to be told of."""

from dataclasses import dataclass
from datetime import time
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.utils import timezone

from reviews import access, audit
from reviews.messaging.notifications.chat import encrypt_address
from reviews.models import Membership, NotificationPreference
from reviews.workspaces.members import choose_for_workspace


@dataclass(frozen=True)
class Choices:
    """What is chosen, as `NotificationPreference` has it."""

    sends_email: bool
    chat_address: str | None
    """None leaves the one there is."""
    at_once_from: str
    digest_hours: int
    quiet_from: time | None
    quiet_until: time | None
    time_zone: str


@transaction.atomic
def choose_notifications(*, membership: Membership, choices: Choices) -> NotificationPreference:
    """Tell the member so from now on, of what comes from now on. Raises `ForbiddenError`."""
    access.require(membership, access.Permission.VIEW)
    values: dict[str, Any] = {
        "sends_email": choices.sends_email,
        "at_once_from": choices.at_once_from,
        "digest_hours": choices.digest_hours,
        "quiet_from": choices.quiet_from,
        "quiet_until": choices.quiet_until,
        "time_zone": choices.time_zone,
    }
    if choices.chat_address is not None:
        values["chat_address"] = encrypt_address(choices.chat_address)
    preference, _ = NotificationPreference.objects.update_or_create(
        membership=membership, defaults={**values, "since": timezone.now()}
    )
    # The host alone: the rest of the address is a secret.
    chat = {"chat": urlsplit(choices.chat_address).hostname or ""} if choices.chat_address is not None else {}
    audit.record(
        workspace=membership.workspace,
        verb="notifications.changed",
        subject=membership.user.get_username(),
        by=membership,
        details={"email": choices.sends_email, **chat},
    )
    return preference


def let_messages_tell_values(*, allowed: bool, membership: Membership) -> None:
    """Say whether messages to people tell the arguments of calls. Raises `ForbiddenError`."""
    choose_for_workspace(membership, "notifications", {"tell_values": allowed}, notifications_tell_values=allowed)
