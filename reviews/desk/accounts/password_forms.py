"""allauth's forms for passwords, in the words of the other pages."""

from typing import Any, Final

from allauth.account.forms import ChangePasswordForm, ResetPasswordForm, ResetPasswordKeyForm, SetPasswordForm
from django.forms import BaseForm

_LABELS: Final = {
    "email": "E-mail address",
    "oldpassword": "Your password now",
    "password1": "New password",
    "password2": "The same password again",
}
HINT: Final = "At least 8 characters, and nothing that lists of common passwords hold."


class _Worded(BaseForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.label = _LABELS.get(name, field.label)
        if "password1" in self.fields:
            # In place of the validators' own list, which says the same at length.
            self.fields["password1"].help_text = HINT


class WordedChangeForm(_Worded, ChangePasswordForm):  # type: ignore[misc]  # allauth has no types
    """Another password, by whoever knows the present one."""


class WordedSetForm(_Worded, SetPasswordForm):  # type: ignore[misc]  # allauth has no types
    """A first password, for an account that a provider signed in so far."""


class WordedResetForm(_Worded, ResetPasswordForm):  # type: ignore[misc]  # allauth has no types
    """The address that a link is sent to."""


class WordedResetKeyForm(_Worded, ResetPasswordKeyForm):  # type: ignore[misc]  # allauth has no types
    """The new password behind that link."""
