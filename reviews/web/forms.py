"""The settings' forms."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from django import forms
from django.conf import settings
from django.http import QueryDict

from reviews.errors import InvalidProfileError
from reviews.models import GuardProfile, JudgeKind, OnUnknown, ToolPolicy
from reviews.profiles import LONGEST_MODEL_NAME

LONGEST_WAIT = 7 * 24 * 3600
LONGEST_CLAIM = 3600
SHORTEST_CLAIM = 15
LONGEST_TOOL_NAME = 200
LONGEST_AGENT_NAME = 80
_MODEL_OF = "model_of_"
"""Before the name of a question: the form's field for its model."""
_QUESTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "contribution": "Does the step serve the request?",
        "relevance": "Does the tool serve the step?",
        "derivability": "Which values need a source?",
        "support": "Does each value have one?",
        "candidates": "What else could the request mean?",
    }
)
"""What the guard asks, in a person's words. Questions of other detectors show once they have a model of their own."""
MOST_TOKENS = 10**12
MOST_USD = 10**9
SHARED = (
    "judge", "model", "daily_tokens", "daily_usd", "on_unknown", "trust_annotations", "expires_in", "claim_seconds",
)  # fmt: skip
"""Settings with a field of their own; tool policies come as rows, models of single questions by question."""


def _seconds(least: int, most: int) -> dict[str, str]:
    told = f"Between {least:,} and {most:,} seconds, as a whole number."
    return dict.fromkeys(("required", "invalid", "min_value", "max_value"), told)


def _budget(most: int) -> dict[str, str]:
    told = f"More than 0 and at most {most:,}; leave it empty for no limit."
    return dict.fromkeys(("invalid", "min_value", "max_value"), told)


class _DeskForm(forms.Form):
    """Fields that carry the desk's classes and tell assistive technology about their errors."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if isinstance(field.widget, forms.TextInput | forms.NumberInput):
                field.widget.attrs["class"] = "input"


def _model_field(label: str = "") -> forms.CharField:
    return forms.CharField(
        label=label,
        required=False,
        max_length=LONGEST_MODEL_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class KeyForm(_DeskForm):
    """A new agent key."""

    name = forms.CharField(
        label="Agent name",
        max_length=LONGEST_AGENT_NAME,
        help_text="Reviewers see it beside every call the agent proposes.",
        error_messages={"required": "Give the agent a name."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "support-bot"}),
    )


@dataclass(frozen=True)
class PolicyRow:
    """One line of the tool policies, as typed."""

    number: int
    tool: str = ""
    policy: str = ""
    error: str = ""


class ProfileForm(_DeskForm):
    """The guard profile. `rows` holds the tool policies; nothing typed is lost when something is refused."""

    based_on = forms.IntegerField(widget=forms.HiddenInput)
    judge = forms.ChoiceField(label="Who judges", choices=JudgeKind.choices, widget=forms.RadioSelect)
    model = _model_field()
    daily_tokens = forms.IntegerField(
        label="Tokens a day", required=False, min_value=1, max_value=MOST_TOKENS, error_messages=_budget(MOST_TOKENS)
    )
    daily_usd = forms.DecimalField(
        label="US dollars a day",
        required=False,
        min_value=Decimal("0.01"),
        max_value=MOST_USD,
        decimal_places=2,
        error_messages=_budget(MOST_USD),
    )
    on_unknown = forms.ChoiceField(label="When nobody can tell", choices=OnUnknown.choices, widget=forms.RadioSelect)
    trust_annotations = forms.BooleanField(label="Believe readOnlyHint in submitted tool documents", required=False)
    expires_in = forms.IntegerField(
        label="A call waits at most",
        min_value=1,
        max_value=LONGEST_WAIT,
        help_text="Then it expires and does not run. A submission may ask for less or more.",
        error_messages=_seconds(1, LONGEST_WAIT),
    )
    claim_seconds = forms.IntegerField(
        label="A claim holds for",
        min_value=SHORTEST_CLAIM,
        max_value=LONGEST_CLAIM,
        help_text="Renewed while the reviewer is on the page.",
        error_messages=_seconds(SHORTEST_CLAIM, LONGEST_CLAIM),
    )

    def __init__(self, data: QueryDict | None = None, *, current: GuardProfile, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.current = current
        self.questions = [*_QUESTIONS, *(name for name in current.question_models if name not in _QUESTIONS)]
        for question in self.questions:
            self.fields[_MODEL_OF + question] = _model_field(_QUESTIONS.get(question, question))
            self.fields[_MODEL_OF + question].widget.attrs["class"] = "input mono"
        self.fields["model"].widget.attrs["placeholder"] = settings.GUARD.guard_model
        self.fields["model"].help_text = f"Empty: {settings.GUARD.guard_model}, the installation's default."
        self.rows = _submitted_rows(data) if data is not None else _stored_rows(current.tool_policies)

    @classmethod
    def showing(cls, current: GuardProfile) -> "ProfileForm":
        """An unbound form filled with the version in force."""
        initial = {name: getattr(current, name) for name in SHARED} | {"based_on": current.version}
        initial |= {_MODEL_OF + question: model for question, model in current.question_models.items()}
        return cls(current=current, initial=initial)

    @property
    def question_fields(self) -> list[forms.BoundField]:
        """The model of each question, to be left empty for the judge's."""
        return [self[_MODEL_OF + question] for question in self.questions]

    @property
    def uses_question_models(self) -> bool:
        """Whether one of them is filled."""
        return any(field.value() for field in self.question_fields)

    @property
    def budget_fields(self) -> list[forms.BoundField]:
        """What the judge may use a day."""
        return [self["daily_tokens"], self["daily_usd"]]

    @property
    def policies(self) -> list[tuple[str, str]]:
        """What a row may choose from."""
        return ToolPolicy.choices

    @property
    def blank_row(self) -> PolicyRow:
        """What a new row starts as."""
        return PolicyRow(number=0)

    def changes(self) -> dict[str, Any]:
        """The next version's settings, once the form is valid."""
        models = {question: self.cleaned_data[_MODEL_OF + question] for question in self.questions}
        chosen = {question: model for question, model in models.items() if model}
        return {name: self.cleaned_data[name] for name in (*SHARED, "tool_policies")} | {"question_models": chosen}

    def refuse(self, error: InvalidProfileError) -> None:
        """Show what the use case refused beside the field it names."""
        for problem in error.errors:
            name = problem.pointer.split("/")[1] if problem.pointer else ""
            self.add_error(name if name in self.fields else None, problem.message)

    def clean(self) -> dict[str, Any]:
        """The fields, and the rows as one mapping."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("based_on") not in (None, self.current.version):
            self.add_error(None, _overtaken(self.current))
            self._rebase()
        self.rows = _checked(self.rows)
        if any(row.error for row in self.rows):
            self.add_error(None, "Some tool policies need a correction.")
        cleaned["tool_policies"] = {row.tool: row.policy for row in self.rows if row.tool}
        return cleaned

    def _rebase(self) -> None:
        # The person has been told; saving once more is then a choice, not an accident.
        data = QueryDict(mutable=True)
        data.update(self.data)
        data["based_on"] = str(self.current.version)
        self.data = data


def _overtaken(current: GuardProfile) -> str:
    who = current.created_by.get_username() if current.created_by else "the installation"
    return (
        f"Version {current.version} was saved by {who} meanwhile. Your entries are kept below; "
        "compare them with it under History, then save again."
    )


def _stored_rows(policies: Mapping[str, str]) -> list[PolicyRow]:
    return [PolicyRow(number, tool, policy) for number, (tool, policy) in enumerate(sorted(policies.items()), 1)]


def _submitted_rows(data: QueryDict) -> list[PolicyRow]:
    pairs = zip(data.getlist("policy_tool"), data.getlist("policy"), strict=False)
    typed = [(tool.strip(), policy) for tool, policy in pairs]
    return [PolicyRow(number, tool, policy) for number, (tool, policy) in enumerate(filter(any, typed), 1)]


def _checked(rows: list[PolicyRow]) -> list[PolicyRow]:
    seen: set[str] = set()
    checked = []
    for row in rows:
        checked.append(PolicyRow(row.number, row.tool, row.policy, _problem(row, seen)))
        seen.add(row.tool)
    return checked


def _problem(row: PolicyRow, seen: set[str]) -> str:
    if not row.tool:
        return "Name the tool, or remove the row."
    if len(row.tool) > LONGEST_TOOL_NAME:
        return f"A tool's name has at most {LONGEST_TOOL_NAME} characters."
    if row.tool in seen:
        return "This tool already has a policy above."
    if row.policy not in ToolPolicy.values:
        return "Choose a policy."
    return ""
