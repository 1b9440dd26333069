"""The forms of the decisions. A refused form keeps every character that was typed."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, Self, TypeAlias, cast
from uuid import UUID

from django import forms
from django.core.exceptions import BadRequest
from django.utils import timezone

from reviews import access
from reviews.decisions.decide import Approve, Choice, Edit, Reject, Respond
from reviews.desk.review.call_json import UnreadableError, find_place, parse_arguments, write_arguments
from reviews.desk.review.case.interpretations import Reading
from reviews.desk.review.value_fields import ValueField, apply_fields, build_fields, read_fields, spell_fields
from reviews.errors import InvalidEditError
from reviews.labels.operational import Judgement
from reviews.models import Action, Decision, Membership, MisalignmentType, Outcome, Review, Role
from reviews.models.key_order import ordered_as
from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.core.findings import Relation
from reviews.queue import comments, review_claims
from reviews.queue.handovers import Recipient

# Characters: about three pages of text, and still little in the context of the agent that reads it.
MAX_MESSAGE_LENGTH: Final = 8_000
# As much as a whole request may have by default: whatever was proposed can be edited.
MAX_ARGUMENTS_LENGTH: Final = 1024 * 1024
# The field's longest value, in the database as well.
MAX_TOOL_NAME_LENGTH: Final = 200
# Rows of the editor: a longer call scrolls inside it, so that the preview below stays on the screen.
MAX_ROWS: Final = 14
PLACEHOLDER: Final = "The agent never sees it. @name puts the item among what is for that person."
TYPES: Final = [("", "Not specified"), *MisalignmentType.choices]
RELATIONS: Final = [("", "Not specified"), *((str(relation), str(relation)) for relation in Relation)]
# Seconds: a short break, after a meeting, the next working day.
UNTIL_DUE: Final = f"Until {review_claims.LEFT_AFTER_SNOOZE.seconds // 60} minutes before it expires"
SNOOZES: Final = (("900", "15 minutes"), ("3600", "1 hour"), ("86400", "Until tomorrow"))


class _Form(forms.Form):
    """What the forms of decisions share."""

    def refuse(self, error: InvalidEditError) -> None:
        """Show what the use case refused."""
        self.add_error(None, str(error))

    @property
    def judgement(self) -> Judgement | None:
        """What the person says of the failure, once the form is valid; None where the form does not ask."""
        return None


class ApproveForm(_Form):
    """Run it as proposed."""

    def choice(self) -> Choice:
        """The decision, once the form is valid."""
        return Approve()


class RejectForm(_Form):
    """Do not run it."""

    message = forms.CharField(
        required=False,
        max_length=MAX_MESSAGE_LENGTH,
        label="What should the agent know?",
        widget=forms.Textarea(attrs={"class": "textarea", "rows": 4}),
    )
    # Their choices come from functions: each form would copy a list deeply.
    misalignment = forms.ChoiceField(required=False, choices=lambda: TYPES, label="What is wrong?")
    misalignment.widget.attrs["class"] = "select"
    relation = forms.ChoiceField(required=False, choices=lambda: RELATIONS, label="Which relation fails?")
    relation.widget.attrs["class"] = "select"

    @classmethod
    def suggesting(cls, message: str, misalignment: str, relation: str) -> "RejectForm":
        """Filled with what the guard has proven, which may be nothing, and with what it takes the failure for."""
        return cls(initial={"message": message, "misalignment": misalignment, "relation": relation})

    @property
    def judgement(self) -> Judgement:
        """What the person says of the failure, once the form is valid."""
        # A page from before the field was there sends none: that is no word on the relation.
        relation = self.cleaned_data["relation"] if "relation" in self.data else None
        return Judgement(self.cleaned_data["misalignment"], relation)

    def choice(self) -> Choice:
        """The decision, once the form is valid."""
        return Reject(self.cleaned_data["message"])


class RespondForm(_Form):
    """Do not run it; answer the agent."""

    message = forms.CharField(
        max_length=MAX_MESSAGE_LENGTH,
        label="Your answer to the agent",
        error_messages={"required": "Write the answer first."},
        widget=forms.Textarea(attrs={"class": "textarea", "rows": 4}),
    )

    def choice(self) -> Choice:
        """The decision, once the form is valid."""
        return Respond(self.cleaned_data["message"])


class EditForm(_Form):
    """Run another call instead."""

    tool = forms.CharField(max_length=MAX_TOOL_NAME_LENGTH, widget=forms.Select)
    arguments = forms.CharField(
        strip=False,
        max_length=MAX_ARGUMENTS_LENGTH,
        widget=forms.Textarea(attrs={"class": "textarea edit__json", "spellcheck": "false", "autocomplete": "off"}),
        error_messages={"required": "Write the arguments as one JSON object; {} for none."},
    )
    interpretation = forms.UUIDField(required=False, widget=forms.HiddenInput)
    message = forms.CharField(
        required=False,
        max_length=MAX_MESSAGE_LENGTH,
        label="A word to the agent",
        widget=forms.TextInput(
            attrs={"class": "input", "placeholder": "A word to the agent, if you like", "autocomplete": "off"}
        ),
    )

    shown = forms.ChoiceField(required=False, choices=[("fields", "Fields"), ("json", "JSON")])
    """How the call was typed: field by field, or as JSON."""

    def __init__(self, *args: Any, action: Action, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.action = action
        names = [tool["name"] for tool in action.tool_set.tools]
        # The agent may have proposed a tool that it does not have; the form opens with the call as it is.
        offered = names if action.tool in names else [action.tool, *names]
        self.fields["tool"].widget = forms.Select(
            attrs={"class": "select mono"}, choices=[(name, name) for name in offered]
        )

    @classmethod
    def starting_from(cls, action: Action, reading: Reading | None, *, at: str = "", as_json: bool = False) -> Self:
        """Filled with the proposed call or a reading; the script selects the value at the pointer `at`."""
        tool = reading.tool if reading else action.tool
        arguments = ordered_as(reading.arguments if reading else action.arguments, action.arguments)
        initial = {"tool": tool, "arguments": write_arguments(arguments), "interpretation": reading and reading.id}
        form = cls(initial=initial, action=action)
        start, end = find_place(at, arguments)
        attrs = form.fields["arguments"].widget.attrs
        attrs |= {"data-start": start, "data-end": end}
        form.start_at, form.is_mended = at, reading is not None
        form.show(as_json=as_json)
        return form

    @classmethod
    def repeating(cls, action: Action, first: Decision, *, as_json: bool = False) -> Self:
        """Filled with the call that another person approved first, to be approved as it stands."""
        arguments = write_arguments(ordered_as(first.arguments, action.arguments))
        initial = {"tool": first.tool, "arguments": arguments, "interpretation": first.interpretation_id}
        form = cls(initial=initial, action=action)
        form.is_mended = True
        form.show(as_json=as_json)
        return form

    start_at = ""
    """Pointer of the value to type over, which may be of a list or an object that has a field for each part."""
    is_mended = False
    """The call is put right already: sending it is what is left to do."""

    def show(self, *, as_json: bool) -> None:
        """Show the call as JSON, or field by field where that is possible."""
        self.initial["shown"] = "json" if as_json or not self.value_fields else "fields"
        text = str(self["arguments"].value() or "")
        self.fields["arguments"].widget.attrs["rows"] = min(MAX_ROWS, 1 + text.count("\n"))

    def switched(self) -> Self:
        """The same call in the other shape: JSON for fields, fields for JSON. Itself where that cannot be read."""
        typed = {name: self.data.get(name, "") for name in ("tool", "interpretation", "message")}
        try:
            base = self.data.get("arguments", "")
            # What is wrong in a field may be what JSON is wanted for.
            arguments = spell_fields(base, self.value_fields if self.data.get("shown") == "fields" else ())
        except UnreadableError:
            return self
        switched = type(self)(initial=typed | {"arguments": write_arguments(arguments)}, action=self.action)
        switched.show(as_json=self.data.get("shown") == "fields")
        return switched

    @property
    def is_in_fields(self) -> bool:
        """Whether the form shows the call field by field."""
        return self["shown"].value() == "fields" and bool(self.value_fields)

    @cached_property
    def value_fields(self) -> list[ValueField]:
        """The values of the call to type over, with what was typed; empty where only JSON can hold them."""
        try:
            arguments = parse_arguments(str(self["arguments"].value() or "{}"))
        except UnreadableError:
            return []
        documents = [
            ToolDoc(**stored) for stored in self.action.tool_set.tools if stored["name"] == self["tool"].value()
        ]
        return read_fields(build_fields(arguments, next(iter(documents), None)), self.data)

    @property
    def start_field(self) -> str:
        """Pointer of the field to type over: of what was typed wrong, else of the value at fault or its first part."""
        if wrong := next((at.pointer for at in self.value_fields if at.error), ""):
            return wrong
        within = (at.pointer for at in self.value_fields if f"{at.pointer}/".startswith(f"{self.start_at}/"))
        return next(within, "") if self.start_at else ""

    def clean_arguments(self) -> dict[str, JsonValue]:
        """The object that the fields or the text spell."""
        try:
            if self.data.get("shown") == "fields":
                return apply_fields(self.cleaned_data["arguments"], self.value_fields)
            return parse_arguments(self.cleaned_data["arguments"])
        except UnreadableError as error:
            raise forms.ValidationError(str(error)) from None

    def choice(self) -> Choice:
        """The decision, once the form is valid."""
        cleaned = self.cleaned_data
        reading: UUID | None = cleaned["interpretation"]
        return Edit(cleaned["tool"], cleaned["arguments"], reading, cleaned["message"])

    def refuse(self, error: InvalidEditError) -> None:
        """Show what the use case refused beside the arguments."""
        for problem in error.errors:
            pointer = problem.pointer.removeprefix("/arguments")
            self.start_at = self.start_at or pointer
            self.add_error("arguments", f"{pointer or '/'}: {problem.message}")


DecisionForm: TypeAlias = ApproveForm | RejectForm | RespondForm | EditForm
"""A form that sends one decision: `choice` tells which, once it is valid."""


def list_snoozes(review: Review) -> list[tuple[str, str]]:
    """For how long the item can be put off: what is shorter than the time it has, and all of that time."""
    seconds_left = (review_claims.latest_wake(review) - timezone.now()).total_seconds()
    if seconds_left <= 0:
        return []
    within = [(seconds, words) for seconds, words in SNOOZES if int(seconds) < seconds_left]
    # The longest: it is cut to the time that is left.
    return within if len(within) == len(SNOOZES) else [*within, (SNOOZES[-1][0], UNTIL_DUE)]


class LeavingForm(forms.Form):
    """What a page sends while it is closed: until when the claim lasts that it knows of."""

    leaving = forms.DateTimeField()


class SnoozeForm(forms.Form):
    """Hide it for a while."""

    seconds = forms.TypedChoiceField(choices=SNOOZES, coerce=int)


class HandoverForm(forms.Form):
    """Whom the item is meant for, and why."""

    to = forms.ChoiceField(
        required=False,
        label="To",
        widget=forms.Select(attrs={"class": "select"}),
        # Between the page and the form they may have left, or have another role.
        error_messages={"invalid_choice": "This person does not decide here any more. Choose somebody else."},
    )
    note = forms.CharField(
        required=False,
        max_length=comments.MAX_COMMENT_LENGTH,
        label="Note",
        widget=forms.Textarea(attrs={"class": "textarea", "rows": 3, "placeholder": "What should they look at?"}),
    )

    def __init__(self, *args: Any, membership: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        deciders = access.deciders_of(membership.workspace_id).exclude(user=membership.user_id)
        self._people = {str(member.pk): member for member in deciders.order_by("user__username")}
        people = [(key, member.user.get_username()) for key, member in self._people.items()]
        to = cast(forms.ChoiceField, self.fields["to"])
        to.choices = [("", "Anybody"), (Role.ADMIN, "Administrators"), *people]

    @property
    def recipient(self) -> Recipient:
        """Whom it is meant for, once the form is valid."""
        to = self.cleaned_data["to"]
        return Recipient(role=Role.ADMIN) if to == Role.ADMIN else Recipient(member=self._people.get(to))


class CommentForm(forms.Form):
    """A word to whoever else looks at the item."""

    body = forms.CharField(
        max_length=comments.MAX_COMMENT_LENGTH,
        label="Comment",
        error_messages={"required": "Write the comment first."},
        widget=forms.Textarea(attrs={"class": "textarea", "rows": 2, "id": "comment-body", "placeholder": PLACEHOLDER}),
    )


def choose_form(data: Mapping[str, Any], action: Action) -> tuple[str, DecisionForm]:
    """The outcome that was sent, and its form. Raises `BadRequest` for any other: no page sends one."""
    match data.get("outcome"):
        case Outcome.APPROVE:
            return Outcome.APPROVE, ApproveForm(data)
        case Outcome.EDIT:
            return Outcome.EDIT, EditForm(data, action=action)
        case Outcome.REJECT:
            return Outcome.REJECT, RejectForm(data)
        case Outcome.RESPOND:
            return Outcome.RESPOND, RespondForm(data)
        case _:
            raise BadRequest("A decision is approve, edit, reject or respond.")
