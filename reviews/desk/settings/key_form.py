"""What the desk's forms have in common, and the form for agent keys."""

from typing import Any

from django import forms

LONGEST_AGENT_NAME = 80


class DeskForm(forms.Form):
    """Fields that carry the desk's classes and tell assistive technology about their errors."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if isinstance(field.widget, forms.TextInput | forms.NumberInput):
                field.widget.attrs["class"] = "input"


class KeyForm(DeskForm):
    """A new agent key."""

    name = forms.CharField(
        label="Agent name",
        max_length=LONGEST_AGENT_NAME,
        help_text="Reviewers see it beside every call the agent proposes.",
        error_messages={"required": "Give the agent a name."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "support-bot"}),
    )
