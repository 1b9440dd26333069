"""Secrets of second factors: encrypted at rest, so that a copy of the database does not sign anybody in."""

import logging
from typing import Final

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import generate_totp_secret
from django.contrib.auth.models import User

from reviews.workspaces.encryption import InvalidToken, load_keys

_log = logging.getLogger(__name__)

# Marks what is encrypted, and how: rows from before stand as they are until they are rotated.
_MARK: Final = "fernet:"
# Sets these keys apart from everything else that is made of SECRET_KEY.
_PURPOSE: Final = b"second factors at rest:"


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """How allauth stores and names second factors."""

    def encrypt(self, text: str) -> str:
        """For the database, under SECRET_KEY."""
        return _MARK + load_keys(_PURPOSE).encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """From the database, under SECRET_KEY or one of its fallbacks."""
        if not encrypted_text.startswith(_MARK):
            return encrypted_text
        try:
            return load_keys(_PURPOSE).decrypt(encrypted_text.removeprefix(_MARK)).decode()
        except InvalidToken:
            _log.exception("A second factor was stored under a SECRET_KEY that is no longer among the fallbacks.")
            # A secret that nobody knows: no code is right. An empty one would make codes that everybody can compute.
            unknown: str = generate_totp_secret()
            return unknown

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:  # noqa: A002  # allauth's name
        """What a new passkey is called until its owner calls it something else."""
        return f"Passkey {Authenticator.objects.filter(user=user, type=type).count() + 1}"


def rotate_secret(authenticator: Authenticator) -> bool:
    """Put the factor's secret under the present SECRET_KEY, unsaved. Returns whether it could be read."""
    # An app has the one, recovery codes the other; a passkey has a public key and nothing to hide.
    stored = {name: authenticator.data[name] for name in ("secret", "seed") if name in authenticator.data}
    try:
        authenticator.data |= {name: _reencrypt_text(secret) for name, secret in stored.items()}
    except InvalidToken:
        return False
    return True


def _reencrypt_text(stored: str) -> str:
    plain = load_keys(_PURPOSE).decrypt(stored.removeprefix(_MARK)) if stored.startswith(_MARK) else stored.encode()
    return _MARK + load_keys(_PURPOSE).encrypt(plain).decode()
