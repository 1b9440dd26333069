"""The base of forms whose answer shows a secret once."""

from typing import Final

from django import forms

from reviews.desk.desk_form import DeskForm
from reviews.models.base import uuid7

SHOWN_ONCE: Final = "It was shown once. Where nobody has kept it, take it back and make another."
"""What follows a refusal to issue the same thing again."""


class IssuingForm(DeskForm):
    """A form whose page names the row that it makes: sent again, as by a reload, it makes no other."""

    row_id = forms.UUIDField(
        initial=uuid7,
        widget=forms.HiddenInput,
        error_messages=dict.fromkeys(("required", "invalid"), "This page was out of date. Send the form again."),
    )
