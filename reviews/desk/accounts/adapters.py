"""Accounts with a password, as allauth asks for them: none without an invitation, links with the public address."""

from typing import Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal.httpkit import get_client_ip
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from reviews.errors import InvitationEndedError
from reviews.models import Invitation
from reviews.workspaces import invitations

INVITED: Final = "invitation"
"""Where a session keeps the secret of the invitation that the person has opened."""


def client_address(request: HttpRequest) -> str | None:
    """The client's address as the outermost trusted proxy saw it; None where there is none, as in a shell."""
    address: str | None = get_client_ip(request)
    return address


def absolute_link(path: str) -> str:
    """The path as a link that works outside of the site."""
    # From the configuration: the Host header is the client's, and a mail must not lead where a stranger says.
    return f"{settings.GUARD.public_url}{path}"


def opened_invitation(request: HttpRequest) -> Invitation | None:
    """The invitation that this browser has opened, if it is still in force."""
    token = request.session.get(INVITED)
    try:
        return invitations.find_invitation(token) if token else None
    except InvitationEndedError:
        return None


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Accounts with a password."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never: an account is made by accepting an invitation."""
        return False

    def get_reset_password_from_key_url(self, key: str) -> str:
        """The link in the mail."""
        # The key is what allauth put together of user and token; its own view takes them apart again.
        user, _, token = key.partition("-")
        return absolute_link(reverse("account_reset_password_from_key", kwargs={"uidb36": user, "key": token}))
