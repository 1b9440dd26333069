"""The secrets of receivers, and the signatures made with them (https://www.standardwebhooks.com)."""

import base64
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from standardwebhooks import Webhook

from reviews.models import WebhookDelivery, WebhookEndpoint
from reviews.workspaces.encryption import InvalidToken, load_keys

# By which the standard's libraries, and scanners for secrets, know one.
_PREFIX: Final = "whsec_"
# 24 to 64 by the standard; as many as the hash has, more would add nothing.
_SECRET_BYTES: Final = 32
# Sets these keys apart from everything else that is made of SECRET_KEY.
_PURPOSE: Final = b"webhooks at rest:"


class UnreadableSecretError(Exception):
    """The secret was stored under a SECRET_KEY that is no longer among the fallbacks."""


def make_secret() -> str:
    """A fresh secret, as a receiver's library takes it."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def encrypt_secret(secret: str) -> str:
    """For the database."""
    return load_keys(_PURPOSE).encrypt(secret.encode()).decode()


def reencrypt_secrets(endpoint: WebhookEndpoint) -> bool:
    """Put its secrets under the present SECRET_KEY, unsaved. Returns whether they could be read."""
    keys = load_keys(_PURPOSE)
    try:
        endpoint.secret = keys.rotate(endpoint.secret.encode()).decode()
        if endpoint.previous_secret:
            endpoint.previous_secret = keys.rotate(endpoint.previous_secret.encode()).decode()
    except InvalidToken:
        return False
    return True


def sign_message(delivery: WebhookDelivery, body: str, at: datetime) -> Mapping[str, str]:
    """The standard's headers for this body, signed by each secret in force. Raises `UnreadableSecretError`."""
    # The same at every attempt: by it a receiver knows what it has seen.
    message_id = f"msg_{delivery.pk.hex}"
    in_force = _secrets_in_force(delivery.endpoint, at)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(Webhook(secret).sign(message_id, at, body) for secret in in_force),
    }


def _secrets_in_force(endpoint: WebhookEndpoint, at: datetime) -> list[str]:
    """The present secret, and the one before while it counts."""
    stored = [endpoint.secret]
    if endpoint.previous_until and endpoint.previous_until > at:
        stored.append(endpoint.previous_secret)
    keys = load_keys(_PURPOSE)
    try:
        return [keys.decrypt(secret.encode()).decode() for secret in stored]
    except InvalidToken:
        raise UnreadableSecretError("Its secret cannot be read any more. Make a new one.") from None
