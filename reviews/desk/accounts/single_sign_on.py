"""Single sign-on: whom an account is made for, and providers that are away or that nobody can read."""

import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from lxml.etree import XMLSyntaxError
from onelogin.saml2.errors import OneLogin_Saml2_Error

from reviews.desk.accounts.adapters import opened_invitation

_log = logging.getLogger(__name__)

# Among errors of the operating system are those of `requests` and `urllib`: allauth asks one kind of provider by the
# first and another by the second.
_FAILURES: Final = (OSError, OneLogin_Saml2_Error, XMLSyntaxError)


class SingleSignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Accounts that a provider vouches for."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Only for the person whose invitation this browser has opened, by an address the provider has verified."""
        invitation = opened_invitation(request)
        verified = {address.email.lower() for address in sociallogin.email_addresses if address.verified}
        return invitation is not None and invitation.email in verified

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> Any:
        """The new account: its user name is the invited address, as it is for accounts with a password."""
        user = super().populate_user(request, sociallogin, data)
        invitation = opened_invitation(request)
        if invitation is not None:
            user.username = user.email = invitation.email
        return user


class ProviderFailures:
    """Django middleware: what a provider fails at ends in a page that says so, and not in a server error."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Hand the request on."""
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page, for addresses of single sign-on; None leaves the exception to others."""
        route = request.resolver_match.route if request.resolver_match else ""
        if not route.startswith("single-sign-on/") or not isinstance(exception, _FAILURES):
            return None
        _log.warning("The provider cannot be used: %s", exception)
        return render(request, "socialaccount/authentication_error.html", status=HTTPStatus.BAD_GATEWAY)
