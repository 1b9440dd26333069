"""The form for agent keys."""

from typing import Any, Final

from django import forms

from reviews import access
from reviews.desk.settings.issuing_form import IssuingForm
from reviews.models import Membership

# Characters, as many as the column of the database has: the name stands beside every call in the queue.
MAX_AGENT_NAME_LENGTH: Final = 80


class KeyForm(IssuingForm):
    """A new agent key. `membership` is whose workspace's agents are offered."""

    name = forms.CharField(
        label="Key name",
        max_length=MAX_AGENT_NAME_LENGTH,
        help_text="Reviewers see it beside every call the agent proposes.",
        error_messages={"required": "Give the key a name."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "support-bot"}),
    )
    reads_only = forms.BooleanField(
        label="Only reads",
        required=False,
        help_text="For dashboards and exports: it proposes, runs and cancels nothing.",
    )
    reads_all_labels = forms.BooleanField(
        label="Exports the labels of the whole workspace",
        required=False,
        help_text="Otherwise those of its own agent's calls.",
    )
    reads_all_events = forms.BooleanField(
        label="Follows the calls of all agents",
        required=False,
        help_text="For a fleet's controller: otherwise it is told what becomes of its own agent's calls.",
    )
    manages_ground_truth = forms.BooleanField(
        label="Manages datasets and campaigns",
        required=False,
        help_text="For your scripts, not for agents: it acts in your name and ends with your membership.",
    )

    is_test = forms.BooleanField(
        label="For tests",
        required=False,
        help_text="Each call says itself how it is decided. None of them reaches the queue, a dataset or a figure.",
    )

    def __init__(self, *args: Any, membership: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Here, because which agents there are depends on the workspace.
        self.fields["agent"] = forms.ModelChoiceField(
            access.agents_for(membership).order_by("name"),
            label="Agent",
            required=False,
            empty_label="A new agent of this name",
            help_text="Keys of one agent see the same conversations and calls; no other agent does.",
            error_messages={"invalid_choice": "There is no such agent in this workspace."},
            widget=forms.Select(attrs={"class": "select"}),
        )
