"""Second factors, webhooks' secrets and chats' addresses under the present secret, before an earlier goes."""

from contextlib import suppress
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from reviews.messaging.notifications.chat import reencrypt_address
from reviews.messaging.webhooks.signing import reencrypt_secrets
from reviews.models import NotificationPreference, WebhookEndpoint
from reviews.workspaces.encryption import InvalidToken
from reviews.workspaces.factor_secrets import rotate_secret


class Command(BaseCommand):
    """Encrypt every app's secret, recovery codes, webhook secret and chat address anew. Again does no harm."""

    help = __doc__ or ""

    def handle(self, *_: Any, **__: Any) -> None:
        done, unreadable = 0, []
        for pk in Authenticator.objects.exclude(type=Authenticator.Type.WEBAUTHN).values_list("pk", flat=True):
            # Locked one by one: a code that is used meanwhile is written into the same column.
            with transaction.atomic():
                factor = Authenticator.objects.select_for_update().filter(pk=pk).first()
                if factor is None:
                    continue
                if rotate_secret(factor):
                    factor.save(update_fields=["data"])
                    done += 1
                else:
                    unreadable.append(factor.user.get_username())
        self.stdout.write(f"{done} second factors are under the present secret.")
        if renewed := _renew_webhook_secrets():
            self.stdout.write(f"{renewed} webhooks are.")
        if renewed := _renew_chat_addresses():
            self.stdout.write(f"{renewed} chats are.")
        if unreadable:
            names = ", ".join(sorted(set(unreadable)))
            raise CommandError(f"These were stored under a secret that is not among the fallbacks: {names}")


def _renew_webhook_secrets() -> int:
    """Returns of how many; one that cannot be read any more says so at its next message."""
    renewed = 0
    for pk in WebhookEndpoint.objects.values_list("pk", flat=True):
        with transaction.atomic():
            endpoint = WebhookEndpoint.objects.select_for_update(no_key=True).filter(pk=pk).first()
            if endpoint is not None and reencrypt_secrets(endpoint):
                endpoint.save(update_fields=["secret", "previous_secret"])
                renewed += 1
    return renewed


def _renew_chat_addresses() -> int:
    """As `_renew_webhook_secrets`."""
    renewed = 0
    chats = NotificationPreference.objects.exclude(chat_address="").values_list("pk", "chat_address")
    for pk, stored in chats:
        with suppress(InvalidToken):
            # Compared: the person may have chosen another chat meanwhile.
            unchanged = NotificationPreference.objects.filter(pk=pk, chat_address=stored)
            renewed += unchanged.update(chat_address=reencrypt_address(stored))
    return renewed
