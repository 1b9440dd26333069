"""Setting up a second factor. Both ways end with an answer of the new factor, which proves it for this session."""

from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView
from django.forms import Form
from django.http import HttpResponse

from reviews.desk import second_factor


class SetUpAppView(ActivateTOTPView):  # type: ignore[misc]  # allauth has no types
    """Set up an authenticator app, whose first code is asked for."""

    def form_valid(self, form: Form) -> HttpResponse:
        """The code was right."""
        response: HttpResponse = super().form_valid(form)
        second_factor.note_set_up(self.request)
        return response


class SetUpPasskeyView(AddWebAuthnView):  # type: ignore[misc]  # allauth has no types
    """Register a passkey or a security key."""

    def form_valid(self, form: Form) -> HttpResponse:
        """The key has answered."""
        response: HttpResponse = super().form_valid(form)
        second_factor.note_set_up(self.request)
        return response
