"""allauth's forms for passkeys, which take any answer that a browser may send."""

import logging

from allauth.mfa.webauthn.forms import AddWebAuthnForm, AuthenticateWebAuthnForm, ReauthenticateWebAuthnForm
from django.db import DatabaseError
from django.forms import BaseForm

_log = logging.getLogger(__name__)


class _Tolerant(BaseForm):
    """What cannot be read as a passkey's answer is an error of the form, not of the server."""

    def full_clean(self) -> None:
        """As the form's own."""
        try:
            super().full_clean()
        except DatabaseError:
            raise
        except Exception:  # noqa: BLE001 - the libraries below raise whatever a malformed answer makes Python raise
            _log.info("A passkey's answer could not be read.", exc_info=True)
            self.add_error(None, "This answer of the passkey cannot be read. Try again.")


class AddPasskeyForm(_Tolerant, AddWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """Register a passkey."""


class SignInPasskeyForm(_Tolerant, AuthenticateWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """The passkey as second factor at sign-in."""


class ConfirmPasskeyForm(_Tolerant, ReauthenticateWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """The passkey to confirm that it is still the same person."""
