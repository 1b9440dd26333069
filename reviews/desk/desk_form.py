"""The base of the desk's forms."""

from typing import Any, Final

from django import forms

VALUE_PREFIX: Final = "value:"
"""Begins the name of each field that holds a value of a call; the value's pointer follows."""
# What Django calls what may be wrong with a number.
_WRONG_NUMBERS: Final = ("required", "invalid", "min_value", "max_value")


class DeskForm(forms.Form):
    """A form whose one-line fields carry the desk's class, and whose numbers say their bounds when they are left."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if isinstance(field.widget, forms.TextInput | forms.NumberInput):
                field.widget.attrs["class"] = "input"
            # With messages of its own it says more.
            if isinstance(field, forms.IntegerField) and "min_value" not in field.error_messages:
                field.error_messages |= dict.fromkeys(_WRONG_NUMBERS, _word_bounds(field))


def _word_bounds(field: forms.IntegerField) -> str:
    """Such as `A whole number from 1 to 5,000.`"""
    kind = "A number" if isinstance(field, forms.FloatField | forms.DecimalField) else "A whole number"
    least = "" if field.min_value is None else f" from {field.min_value:,}"
    most = "" if field.max_value is None else f" to {field.max_value:,}"
    return f"{kind}{least}{most}."
