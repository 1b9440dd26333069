"""allauth's forms for a code of an app, which works once for as long as it is right (RFC 6238, 5.2)."""

from typing import Final

from allauth.mfa import app_settings
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.internal.auth import normalize_user_code
from django.core.cache import cache

# The steps in which a code is taken: its own, and those before and behind it. allauth remembers one alone.
_RIGHT_SECONDS: Final[int] = app_settings.TOTP_PERIOD * (2 * app_settings.TOTP_TOLERANCE + 1)


class _OnceOnly:
    """A code that was taken is wrong when it comes again."""

    def clean_code(self) -> str:
        """The code. Raises `ValidationError`."""
        code: str = super().clean_code()  # type: ignore[misc]  # of the form beside it
        used = f"second-factor.used?user={self.user.pk}&code={normalize_user_code(code)}"  # type: ignore[attr-defined]
        if not cache.add(used, "y", timeout=_RIGHT_SECONDS):
            raise get_adapter().validation_error("incorrect_code")
        return code


class SignInCodeForm(_OnceOnly, AuthenticateForm):  # type: ignore[misc]  # allauth has no types
    """The code as second factor at sign-in."""


class ConfirmCodeForm(_OnceOnly, ReauthenticateForm):  # type: ignore[misc]  # allauth has no types
    """The code to confirm that it is still the same person."""
