"""Sign-in and sign-out. The page is Django's; what comes behind the password, a second factor, is allauth's."""

from typing import Any

from allauth.account.utils import perform_login
from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpResponse

__all__ = ["LogoutView", "SignInForm", "SignInView"]


class SignInForm(AuthenticationForm):
    """User name and password, with the desk's styles and messages."""

    error_messages = {
        "invalid_login": "This user name and password do not match. Both are case-sensitive.",
        "inactive": "This account is switched off. Ask an administrator.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs["class"] = "input"
        self.fields["username"].label = "User name or e-mail address"
        self.fields["password"].widget = forms.PasswordInput(
            attrs={"class": "input", "autocomplete": "current-password"}
        )

    def clean_username(self) -> str:
        """The name; an e-mail address in lower case, as user names made of one are stored."""
        name: str = self.cleaned_data["username"]
        return name.lower() if "@" in name else name


class SignInView(LoginView):
    """The sign-in page; somebody already signed in goes on to the queue."""

    authentication_form = SignInForm
    template_name = "registration/sign_in.html"
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The form, and the providers to sign in by."""
        return super().get_context_data(single_sign_on=settings.SINGLE_SIGN_ON, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Behind the right password: the second factor where the account has one, else the page asked for."""
        # The second factor's pages are reached by a redirect, and know where to go on from the login that is kept.
        user = form.get_user()
        response: HttpResponse = perform_login(
            self.request, user, email_verification="none", redirect_url=self.get_success_url()
        )
        return response
