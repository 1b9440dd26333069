"""Sign-in and sign-out, by Django's own views."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView

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
        self.fields["username"].label = "User name"
        self.fields["password"].widget = forms.PasswordInput(
            attrs={"class": "input", "autocomplete": "current-password"}
        )


class SignInView(LoginView):
    """The sign-in page; somebody already signed in goes on to the queue."""

    authentication_form = SignInForm
    template_name = "registration/sign_in.html"
    redirect_authenticated_user = True
