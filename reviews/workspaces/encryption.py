"""Secrets at rest: encrypted under SECRET_KEY, so that a copy of the database gives none of them away."""

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

__all__ = ["InvalidToken", "load_keys"]


def load_keys(purpose: bytes) -> MultiFernet:
    """The keys for secrets of one purpose: the first encrypts, all decrypt, which raises `InvalidToken`.

    `purpose` sets them apart from everything else that is made of SECRET_KEY.
    """
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    # A hash suffices to make a key of a secret that nobody could guess: the configuration asks for 32 characters.
    digests = (hashlib.sha256(purpose + secret.encode()).digest() for secret in secrets)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])
