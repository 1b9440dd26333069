"""Whether a person has proven a second factor, and where they do it.

A workspace may require one. `membership.member_page` asks here before it shows anything of the workspace.
"""

from typing import Final

from allauth.account.authentication import get_authentication_records
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.utils import is_mfa_enabled
from allauth.mfa.webauthn.views import AddWebAuthnView
from django.contrib.auth.models import User
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode

_SET_UP: Final = "second_factor_of"
"""Where a session keeps the key of the account whose factor was set up in it."""


def is_proven(request: HttpRequest) -> bool:
    """Whether this session has seen a second factor of the account, at sign-in, later on or when it was set up."""
    user = request.user
    if not isinstance(user, User):
        return False
    # By the session: one that began with the password alone must not gain from a factor that was added elsewhere.
    if any(record.get("method") == "mfa" for record in get_authentication_records(request, user)):
        return True
    return bool(request.session.get(_SET_UP) == user.pk and is_mfa_enabled(user))


def way_there(request: HttpRequest, back_to: str) -> str:
    """The address where the person proves a factor, which leads back to this page, or sets one up."""
    if is_mfa_enabled(request.user):
        return f"{reverse('mfa_reauthenticate')}?{urlencode({'next': back_to})}"
    return f"{reverse('mfa_index')}?required=1"


class SetUpAppView(ActivateTOTPView):
    """Set up an authenticator app; its first code is a proof."""

    def form_valid(self, form: Form) -> HttpResponse:
        response = super().form_valid(form)
        self.request.session[_SET_UP] = self.request.user.pk
        return response


class SetUpPasskeyView(AddWebAuthnView):
    """Register a passkey or a security key; that it answered is a proof."""

    def form_valid(self, form: Form) -> HttpResponse:
        response = super().form_valid(form)
        self.request.session[_SET_UP] = self.request.user.pk
        return response
