"""The guard profile as a form. Nothing typed is lost when something is refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.conf import settings
from django.http import QueryDict

from reviews.desk.settings.key_form import DeskForm
from reviews.desk.settings.profile import row_fields
from reviews.desk.settings.profile.detector_texts import OPERATORS, QUESTIONS, About, about
from reviews.errors import FieldProblem, InvalidProfileError
from reviews.models import GuardProfile, JudgeKind, OnUnknown, ToolPolicy
from reviews.profiles.validation import LONGEST_MODEL_NAME, MOST_REWRITES
from reviews.provenance.detectors import DETECTORS, Options

LONGEST_WAIT = 7 * 24 * 3600
LONGEST_CLAIM = 3600
SHORTEST_CLAIM = 15
MOST_TOKENS = 10**12
MOST_USD = 10**9
MODES: Final = (("enforced", "Enforced"), ("shadow", "Shadow"), ("off", "Off"))
RULES: Final = (("any", "any enforced detector objects"), ("count", "at least this many of them object"))
SHARED: Final = (
    "rewrites", "judge", "model", "daily_tokens", "daily_usd", "on_unknown", "trust_annotations", "expires_in",
    "claim_seconds",
)  # fmt: skip
"""Settings with one field of the same name."""
_MODE, _THRESHOLD, _MODEL = "mode_", "threshold_", "model_of_"
"""Before the name of a detector or a question."""
_BELOW: Final = {"thresholds": _THRESHOLD, "question_models": _MODEL}
"""Settings with one field for each of their names."""


@dataclass(frozen=True)
class DetectorRow:
    """One detector to choose."""

    name: str
    about: About
    mode: forms.BoundField
    threshold: forms.BoundField | None


def _told(words: str, *kinds: str) -> dict[str, str]:
    return dict.fromkeys(kinds or ("required", "invalid", "min_value", "max_value"), words)


def _whole(label: str, least: int, most: int, unit: str = "", **more: Any) -> forms.IntegerField:
    told = f"Between {least:,} and {most:,}{unit}, as a whole number."
    return forms.IntegerField(label=label, min_value=least, max_value=most, error_messages=_told(told), **more)


def _budget(most: int) -> dict[str, str]:
    return _told(f"More than 0 and at most {most:,}; leave it empty for no limit.", "invalid", "min_value", "max_value")


def _model_field(label: str = "") -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
    return forms.CharField(label=label, required=False, max_length=LONGEST_MODEL_NAME, widget=widget)


class ProfileForm(DeskForm):
    """A draft of the next version."""

    based_on = forms.IntegerField(widget=forms.HiddenInput)
    rule = forms.ChoiceField(choices=RULES, widget=forms.RadioSelect)
    objections = forms.IntegerField(
        label="How many",
        required=False,
        min_value=1,
        error_messages=_told("A whole number from 1.", "invalid", "min_value"),
    )
    rewrites = _whole(
        "Rewrites of a plan", 0, MOST_REWRITES,
        help_text="How often IntentGuard sends an agent back in one conversation before it gives up.",
    )  # fmt: skip
    judge = forms.ChoiceField(label="Who judges", choices=JudgeKind.choices, widget=forms.RadioSelect)
    model = _model_field("Model of the judge")
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
    expires_in = _whole(
        "A call waits at most", 1, LONGEST_WAIT, " seconds",
        help_text="Then it expires and does not run. A submission may ask for less or more.",
    )  # fmt: skip
    claim_seconds = _whole(
        "A claim holds for", SHORTEST_CLAIM, LONGEST_CLAIM, " seconds",
        help_text="Renewed while the reviewer is on the page.",
    )  # fmt: skip

    def __init__(
        self, data: QueryDict | None = None, *, current: GuardProfile, shown: GuardProfile | None = None
    ) -> None:
        """`shown` fills the form where nothing was sent: another version than the one in force."""
        shown = shown or current
        super().__init__(data, initial=_initial(shown) | {"based_on": current.version})
        self.current = current
        self.detector_problems: list[str] = []
        self.questions = [*QUESTIONS, *(name for name in shown.question_models if name not in QUESTIONS)]
        self._add_fields()
        self.fields["model"].widget.attrs["placeholder"] = settings.GUARD.guard_model
        self.fields["model"].help_text = f"Empty: {settings.GUARD.guard_model}, the installation's default."
        if data is None:
            self.policies = row_fields.stored_policies(shown.tool_policies)
            self.critical = row_fields.stored_critical(shown.critical_actions)
        else:
            self.policies, self.critical = row_fields.submitted_policies(data), row_fields.submitted_critical(data)

    def _add_fields(self) -> None:
        for name in DETECTORS:
            self.fields[_MODE + name] = _mode_field(name)
            if about(name).threshold:
                self.fields[_THRESHOLD + name] = _threshold_field(name)
        for question in self.questions:
            self.fields[_MODEL + question] = _model_field(QUESTIONS.get(question, question))
            self.fields[_MODEL + question].widget.attrs["class"] = "input mono"

    @property
    def detectors(self) -> list[DetectorRow]:
        """Every detector there is."""
        return [self._detector(name) for name in DETECTORS]

    def _detector(self, name: str) -> DetectorRow:
        threshold = self[_THRESHOLD + name] if about(name).threshold else None
        return DetectorRow(name, about(name), self[_MODE + name], threshold)

    @property
    def enforced(self) -> int:
        """How many detectors are enforced as the form stands."""
        return sum(self[_MODE + name].value() == "enforced" for name in DETECTORS)

    @property
    def question_fields(self) -> list[forms.BoundField]:
        """The model of each question, to be left empty for the judge's."""
        return [self[_MODEL + question] for question in self.questions]

    @property
    def uses_question_models(self) -> bool:
        """Whether one of them is filled."""
        return any(field.value() for field in self.question_fields)

    @property
    def budget_fields(self) -> list[forms.BoundField]:
        """What the judge may use a day."""
        return [self["daily_tokens"], self["daily_usd"]]

    @property
    def policy_choices(self) -> list[tuple[str, str]]:
        """What a standing order may be."""
        return ToolPolicy.choices

    @property
    def operator_choices(self) -> list[tuple[str, str]]:
        """How an argument may be compared."""
        return list(OPERATORS.items())

    @property
    def blank_policy(self) -> row_fields.PolicyRow:
        """What a new row starts as."""
        return row_fields.PolicyRow(number=0)

    @property
    def blank_critical(self) -> row_fields.CriticalRow:
        """What a new row starts as."""
        return row_fields.CriticalRow(number=0)

    def changes(self) -> dict[str, Any]:
        """The next version's settings, once the form is valid."""
        told = self.cleaned_data
        return {name: told[name] for name in SHARED} | {
            "detectors": self._in_mode("enforced"),
            "shadow": self._in_mode("shadow"),
            "objections": 1 if told["rule"] == "any" else told["objections"],
            "thresholds": self._thresholds(),
            "critical_actions": [row.stored() for row in self.critical],
            "tool_policies": {row.tool: row.policy for row in self.policies},
            "question_models": {name: model for name in self.questions if (model := told[_MODEL + name])},
        }

    def _in_mode(self, mode: str) -> list[str]:
        return [name for name in DETECTORS if self.cleaned_data[_MODE + name] == mode]

    def _thresholds(self) -> dict[str, float]:
        """Those that were typed, and those that this page has no field for."""
        unseen = {name: kept for name, kept in self.current.thresholds.items() if _THRESHOLD + name not in self.fields}
        typed = ((name, self.cleaned_data.get(_THRESHOLD + name)) for name in DETECTORS)
        return unseen | {name: threshold for name, threshold in typed if threshold is not None}

    def clean(self) -> dict[str, Any]:
        """The fields; the rows have been read already."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("based_on") not in (None, self.current.version):
            self.add_error(None, _overtaken(self.current))
            self._rebase()
        if any(row.error for row in self.policies):
            self.add_error(None, "Some tool policies need a correction.")
        if cleaned.get("rule") == "count" and cleaned.get("objections") is None and "objections" not in self.errors:
            self.add_error("objections", "Say how many.")
        return cleaned

    def refuse(self, error: InvalidProfileError) -> None:
        """Show what the use case refused beside what it names."""
        for problem in error.errors:
            self._refuse(problem)

    def _refuse(self, problem: FieldProblem) -> None:
        name, *path = problem.pointer.removeprefix("/").split("/")
        field = _BELOW[name] + path[0] if name in _BELOW and path else name
        if field in self.fields:
            self.add_error(field, problem.message)
        elif name in {"detectors", "shadow"}:
            if not self.detector_problems:
                self.add_error(None, "The choice of detectors needs a correction.")
            self.detector_problems.append(problem.message)
        elif name == "critical_actions" and path:
            if not any(row.error for row in self.critical):
                self.add_error(None, "Some critical actions need a correction.")
            self.critical = row_fields.with_problem(self.critical, int(path[0]), problem.message)
        else:
            self.add_error(None, problem.message)

    def _rebase(self) -> None:
        # The person has been told; saving once more is then a choice, not an accident.
        data = QueryDict(mutable=True)
        data.update(self.data)
        data["based_on"] = str(self.current.version)
        self.data = data


def _mode_field(name: str) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=about(name).label,
        choices=MODES,
        widget=forms.RadioSelect,
        error_messages=_told("Choose one.", "required"),
    )


def _threshold_field(name: str) -> forms.FloatField:
    shown = {"class": "input", "step": "any", "min": 0, "max": 1, "placeholder": str(Options.threshold)}
    widget = forms.NumberInput(attrs=shown)
    told = _told("A number from 0 to 1; empty for 0.5.", "invalid", "min_value", "max_value")
    return forms.FloatField(
        label=about(name).threshold, required=False, min_value=0, max_value=1, widget=widget, error_messages=told
    )


def _initial(shown: GuardProfile) -> dict[str, Any]:
    return dict(_initially(shown))


def _initially(shown: GuardProfile) -> Iterator[tuple[str, Any]]:
    yield from ((name, getattr(shown, name)) for name in SHARED)
    yield from ((_MODEL + question, model) for question, model in shown.question_models.items())
    yield from ((_THRESHOLD + name, threshold) for name, threshold in shown.thresholds.items())
    for name in DETECTORS:
        yield _MODE + name, "enforced" if name in shown.detectors else "shadow" if name in shown.shadow else "off"
    yield "rule", "any" if shown.objections == 1 else "count"
    yield "objections", shown.objections if shown.objections > 1 else 2


def _overtaken(current: GuardProfile) -> str:
    who = current.created_by.get_username() if current.created_by else "the installation"
    return (
        f"Version {current.version} was saved by {who} meanwhile. Your entries are kept below; "
        "compare them with it under Preview, then save again."
    )
