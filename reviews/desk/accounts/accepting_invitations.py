"""The invitation's page: somebody new sets a password, whoever has an account signs in and joins."""

from allauth.account.utils import perform_login
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_http_methods

from reviews.desk.accounts.adapters import INVITED
from reviews.desk.accounts.password_forms import HINT
from reviews.desk.membership import choose_workspace
from reviews.errors import ForbiddenError, InvitationEndedError
from reviews.models import Invitation
from reviews.workspaces import invitations


@require_http_methods(["GET", "HEAD", "POST"])
def invitation_page(request: HttpRequest, token: str) -> HttpResponse:
    """What the invitation is to, and the one step that accepts it. It ends in the workspace."""
    try:
        invited = invitations.find_invitation(token)
        # For whoever goes on by a provider, which sends the browser back without the link.
        request.session[INVITED] = token
        response = _join_workspace(request, invited) if request.method == "POST" else _render_page(request, invited)
    except InvitationEndedError as error:
        response = render(request, "account/refused.html", {"reason": str(error)}, status=error.status_code)
    except ForbiddenError as error:
        response = render(request, "account/refused.html", {"reason": str(error)}, status=error.status_code)
    # The address holds a secret. Other sites are not told it: the referrer policy of all pages is `same-origin`. With
    # a stricter one browsers name no origin either, and the form would be refused as forged.
    add_never_cache_headers(response)
    return response


def _join_workspace(request: HttpRequest, invited: Invitation) -> HttpResponse:
    """Join with the account that is signed in, or with a new one."""
    if isinstance(request.user, User):
        membership = invitations.accept_invitation(invited, user=request.user)
        _enter_workspace(request, invited)
        messages.success(request, f"You are a member of {membership.workspace} now.")
        return redirect("queue")
    if invitations.account_of(invited) is not None:
        return _render_page(request, invited)
    form = _password_form(invited, request.POST)
    if not form.is_valid():
        return _render_page(request, invited, form, status=422)
    user = invitations.join_workspace(invited, password=form.cleaned_data["new_password1"])
    response: HttpResponse = perform_login(request, user, email_verification="none")
    _enter_workspace(request, invited)
    return response


def _enter_workspace(request: HttpRequest, invited: Invitation) -> None:
    """The session goes on in the workspace that the person has joined."""
    request.session.pop(INVITED, None)
    choose_workspace(request, invited.workspace_id)


def _render_page(
    request: HttpRequest, invited: Invitation, form: forms.Form | None = None, *, status: int = 200
) -> HttpResponse:
    account = invitations.account_of(invited)
    context = {
        "invited": invited,
        "single_sign_on": settings.SINGLE_SIGN_ON,
        "known": account,
        "joins": account is not None and request.user == account,
        "form": form or _password_form(invited),
    }
    return render(request, "account/invitation.html", context, status=status)


def _password_form(invited: Invitation, data: object = None) -> forms.Form:
    # Unsaved: the validators compare the password with the address.
    form = SetPasswordForm(User(username=invited.email, email=invited.email), data)
    form.fields["new_password1"].label = "Password"
    form.fields["new_password2"].label = "The same password again"
    form.fields["new_password2"].help_text = ""
    form.fields["new_password1"].help_text = HINT
    return form
