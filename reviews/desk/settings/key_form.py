"""The base of the settings' forms, and the form for agent keys."""

from typing import Any, Final

from django import forms

# Characters, as many as the column of the database has: the name stands beside every call in the queue.
LONGEST_AGENT_NAME: Final = 80


class DeskForm(forms.Form):
    """A form whose one-line fields carry the desk's class."""

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
