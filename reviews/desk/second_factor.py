"""Whether a person has proven a second factor, and where they do it.

A workspace may require one. `membership.member_page` asks here before it shows anything of the workspace.
"""

from typing import Final

from allauth.account.authentication import get_authentication_records
from allauth.mfa.utils import is_mfa_enabled
from django.contrib.auth.models import User
from django.http import HttpRequest
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


def note_set_up(request: HttpRequest) -> None:
    """Remember that the factor was set up in this session, which proved it."""
    request.session[_SET_UP] = request.user.pk


def way_there(request: HttpRequest, back_to: str) -> str:
    """The address where the person proves a factor, which leads back to this page, or sets one up."""
    if is_mfa_enabled(request.user):
        return f"{reverse('mfa_reauthenticate')}?{urlencode({'next': back_to})}"
    return f"{reverse('mfa_index')}?required=1"
