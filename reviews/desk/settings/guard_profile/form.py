"""The guard profile as a form. Nothing typed is lost when something is refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.conf import settings
from django.http import QueryDict

from reviews.desk.desk_form import DeskForm
from reviews.desk.settings.guard_profile import row_fields
from reviews.desk.settings.guard_profile.changes import SettingChange, changes_between
from reviews.desk.settings.guard_profile.detector_texts import OPERATORS, QUESTIONS, DetectorText, about
from reviews.errors import FieldProblem, InvalidProfileError
from reviews.models import GuardProfile, JudgeKind, OnUnknown, StepAggregate, ToolPolicy, UserConfirms
from reviews.profiles.validation import (
    MAX_CHECK,
    MAX_HOLD,
    MAX_MODEL_NAME_LENGTH,
    MAX_RETRY_ROUNDS,
    MAX_REWRITES,
    MAX_WINDOW,
)
from reviews.provenance.core.trust import LABELS
from reviews.provenance.detectors import DETECTORS, Options

# Seconds. A week: nobody decides about a call that an agent made longer ago.
MAX_WAIT: Final = 7 * 24 * 3600
# Seconds. A shorter claim would lapse before a person has read the call; beyond an hour an item that somebody walked
# away from would be kept from everybody else.
MIN_CLAIM: Final = 15
MAX_CLAIM: Final = 3600
# More than any installation will use, and small enough for the columns of the database.
MAX_TOKENS: Final = 10**12
MAX_USD: Final = 10**9
MODES: Final = (("enforced", "Enforced"), ("shadow", "Shadow"), ("off", "Off"))
RULES: Final = (("any", "any enforced detector objects"), ("count", "at least this many of them object"))
# Settings with one field of the same name.
SHARED: Final = (
    "rewrites", "window", "sends_back", "retry_rounds", "aggregate", "reconstruct_subtasks", "judge", "model",
    "daily_tokens", "daily_usd", "on_unknown", "audit_rate", "trust_annotations", "expires_in", "execute_within",
    "hold_seconds", "claim_seconds", "check_seconds", "check_seconds_judge", "user_confirms", "agents_ask_user",
)  # fmt: skip
# What the names of fields begin with that exist once for each detector or question.
_MODE, _THRESHOLD, _MODEL = "mode_", "threshold_", "model_of_"
# Settings with one field for each of their names, and what the names of these fields begin with.
_PREFIXES: Final = {"thresholds": _THRESHOLD, "question_models": _MODEL}


@dataclass(frozen=True)
class DetectorRow:
    """One detector to choose."""

    name: str
    about: DetectorText
    mode: forms.BoundField
    threshold: forms.BoundField | None


def _whole_number(label: str, least: int, most: int, unit: str = "", help_text: str = "") -> forms.IntegerField:
    """A required whole number within these bounds, with one message for whatever is wrong with it."""
    message = f"Between {least:,} and {most:,}{unit}, as a whole number."
    messages = dict.fromkeys(("required", "invalid", "min_value", "max_value"), message)
    return forms.IntegerField(
        label=label, min_value=least, max_value=most, error_messages=messages, help_text=help_text
    )


def _budget_messages(most: int) -> dict[str, str]:
    message = f"More than 0 and at most {most:,}; leave it empty for no limit."
    return dict.fromkeys(("invalid", "min_value", "max_value"), message)


def _model_field(label: str) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
    return forms.CharField(label=label, required=False, max_length=MAX_MODEL_NAME_LENGTH, widget=widget)


class ProfileForm(DeskForm):
    """A draft of the next version."""

    based_on = forms.IntegerField(widget=forms.HiddenInput)
    rule = forms.ChoiceField(choices=RULES, widget=forms.RadioSelect)
    objections = forms.IntegerField(
        label="How many",
        required=False,
        min_value=1,
        error_messages=dict.fromkeys(("invalid", "min_value"), "A whole number from 1."),
    )
    rewrites = _whole_number(
        "Rewrites of a plan", 0, MAX_REWRITES,
        help_text="How often IntentGuard sends an agent back in one conversation before it gives up.",
    )  # fmt: skip
    retry_rounds = _whole_number(
        "Tries after a correction", 0, MAX_RETRY_ROUNDS,
        help_text="How often an agent may try one call again after a person has sent it back.",
    )  # fmt: skip
    aggregate = forms.ChoiceField(
        label="Multi-step makes of the probabilities of single calls",
        choices=StepAggregate.choices,
        widget=forms.Select(attrs={"class": "select"}),
    )
    reconstruct_subtasks = forms.BooleanField(
        label="Let the judge tell which step a call serves, where the agent names none", required=False
    )
    window = _whole_number(
        "Calls judged together", 1, MAX_WINDOW,
        help_text="How many of an agent's latest calls IntentGuard looks at together, the proposed one included.",
    )  # fmt: skip
    sends_back = forms.BooleanField(
        label="Where IntentGuard alone asks for another plan, send the agent back without a person", required=False
    )
    judge = forms.ChoiceField(label="Who judges", choices=JudgeKind.choices, widget=forms.RadioSelect)
    model = _model_field("Model of the judge")
    daily_tokens = forms.IntegerField(
        label="Tokens a day",
        required=False,
        min_value=1,
        max_value=MAX_TOKENS,
        error_messages=_budget_messages(MAX_TOKENS),
    )
    daily_usd = forms.DecimalField(
        label="US dollars a day",
        required=False,
        min_value=Decimal("0.01"),
        max_value=MAX_USD,
        decimal_places=2,
        error_messages=_budget_messages(MAX_USD),
    )
    on_unknown = forms.ChoiceField(
        label="When nothing speaks against a call, but nobody can tell that it is right",
        choices=OnUnknown.choices,
        widget=forms.RadioSelect,
    )
    user_confirms = forms.ChoiceField(
        label="The user for whom the agent acts may confirm, by a link",
        choices=UserConfirms.choices,
        widget=forms.Select(attrs={"class": "select"}),
        help_text="Never what the workspace's own people always review, nor what an order in data brought about.",
    )
    agents_ask_user = forms.BooleanField(
        label="The agent's application may fetch this link itself, not only a reviewer", required=False
    )
    audit_rate = forms.FloatField(
        label="Drawn for audit",
        required=False,
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "any"}),
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), "A share from 0 to 1, such as 0.05."),
        help_text="Of what passes without a person, this share is listed under Actions, For audit. 0 draws none.",
    )
    trust_annotations = forms.BooleanField(label="Believe readOnlyHint in submitted tool documents", required=False)
    expires_in = _whole_number(
        "A call waits at most", 1, MAX_WAIT, " seconds",
        help_text="Then it expires and does not run. A submission may ask for less or more.",
    )  # fmt: skip
    execute_within = _whole_number(
        "An approval is good for", 1, MAX_WAIT, " seconds",
        help_text="Afterwards the call no longer runs; in no case after the call itself has expired.",
    )  # fmt: skip
    hold_seconds = _whole_number(
        "An approval can be taken back for", 0, MAX_HOLD, " seconds",
        help_text="The agent is told of it afterwards. 0 tells it at once.",
    )  # fmt: skip
    claim_seconds = _whole_number(
        "A claim holds for", MIN_CLAIM, MAX_CLAIM, " seconds",
        help_text="Renewed while the reviewer is on the page.",
    )  # fmt: skip
    check_seconds = _whole_number(
        "A check by rules takes at most", 1, MAX_CHECK, " seconds",
        help_text="Then it is stopped and a person looks.",
    )  # fmt: skip
    check_seconds_judge = _whole_number(
        "A check by an LLM takes at most", 1, MAX_CHECK, " seconds",
        help_text="With all its questions and retries. Then it is stopped and a person looks.",
    )  # fmt: skip

    # For the template: the choices of the rows, and the row that the script copies for a new one.
    policy_choices = ToolPolicy.choices
    operator_choices = tuple(OPERATORS.items())
    trust_choices = tuple(LABELS.items())
    blank_trust = row_fields.TrustRow(number=0)
    blank_policy = row_fields.PolicyRow(number=0)
    blank_critical = row_fields.CriticalRow(number=0)

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        current: GuardProfile,
        base: GuardProfile | None = None,
        source: GuardProfile | None = None,
        tool: str = "",
    ) -> None:
        """`base` is the version that what was sent was made to, where it is known; without it, the one in force.

        `source` is the version that fills the form where nothing was sent; without it, the one in force.
        `tool` gets a row for its standing order where it has none yet.
        """
        source = source or current
        super().__init__(data, initial=dict(_initial(source)) | {"based_on": current.version})
        self.current, self.base = current, base or current
        self.meanwhile: list[SettingChange] = []
        self.detector_problems: list[str] = []
        self.questions = [*QUESTIONS, *(name for name in source.question_models if name not in QUESTIONS)]
        self._add_fields()
        self.fields["model"].widget.attrs["placeholder"] = settings.GUARD.guard_model
        self.fields["model"].help_text = f"Empty: {settings.GUARD.guard_model}, the installation's default."
        if data is None:
            self.policies = row_fields.stored_policies(source.tool_policies, tool)
            self.critical = row_fields.stored_critical(source.critical_actions)
            self.trust = row_fields.stored_trust(source.source_trust)
        else:
            self.policies, self.critical = row_fields.submitted_policies(data), row_fields.submitted_critical(data)
            self.trust = row_fields.submitted_trust(data)

    def _add_fields(self) -> None:
        """Add the fields that exist once for each detector or question."""
        for name in DETECTORS:
            text = about(name)
            self.fields[_MODE + name] = forms.ChoiceField(
                label=text.label,
                choices=MODES,
                widget=forms.RadioSelect,
                error_messages={"required": "Choose one."},
            )
            # A detector without a text for its threshold does not use one.
            if text.threshold:
                message = "A number from 0 to 1; empty for 0.5."
                attrs = {"class": "input", "step": "any", "min": 0, "max": 1, "placeholder": str(Options.threshold)}
                self.fields[_THRESHOLD + name] = forms.FloatField(
                    label=text.threshold,
                    required=False,
                    min_value=0,
                    max_value=1,
                    widget=forms.NumberInput(attrs=attrs),
                    error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), message),
                )
        for question in self.questions:
            field = _model_field(QUESTIONS.get(question, question))
            # These are added after `DeskForm` gave the declared fields their class.
            field.widget.attrs["class"] = "input mono"
            self.fields[_MODEL + question] = field

    @property
    def detectors(self) -> list[DetectorRow]:
        """Every detector there is."""
        rows = []
        for name in DETECTORS:
            threshold = self[_THRESHOLD + name] if _THRESHOLD + name in self.fields else None
            rows.append(DetectorRow(name, about(name), self[_MODE + name], threshold))
        return rows

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

    def changes(self) -> dict[str, Any]:
        """The next version's settings, once the form is valid."""
        cleaned = self.cleaned_data
        stored = self.current.thresholds
        # A threshold that this page has no field for is kept: the API may set it.
        thresholds = {name: threshold for name, threshold in stored.items() if _THRESHOLD + name not in self.fields}
        typed = {name: cleaned.get(_THRESHOLD + name) for name in DETECTORS}
        return {name: cleaned[name] for name in SHARED} | {
            # Left empty it draws none.
            "audit_rate": cleaned["audit_rate"] or 0.0,
            "detectors": [name for name in DETECTORS if cleaned[_MODE + name] == "enforced"],
            "shadow": [name for name in DETECTORS if cleaned[_MODE + name] == "shadow"],
            "objections": 1 if cleaned["rule"] == "any" else cleaned["objections"],
            "thresholds": thresholds | {name: value for name, value in typed.items() if value is not None},
            "critical_actions": [row.stored() for row in self.critical],
            "source_trust": {row.name: row.trust for row in self.trust},
            "tool_policies": {row.tool: row.policy for row in self.policies},
            "question_models": {name: model for name in self.questions if (model := cleaned[_MODEL + name])},
        }

    def clean(self) -> dict[str, Any]:
        """The fields. The rows were read when the form was made; here only their problems count."""
        cleaned = super().clean() or self.cleaned_data
        if any(row.error for row in self.policies):
            self.add_error(None, "Some tool policies need a correction.")
        if any(row.error for row in self.trust):
            self.add_error(None, "Some ratings of sources need a correction.")
        if cleaned.get("rule") == "count" and cleaned.get("objections") is None and "objections" not in self.errors:
            self.add_error("objections", "Say how many.")
        if cleaned.get("based_on") not in (None, self.current.version):
            self._merge_newer_version()
        return cleaned

    def refuse(self, error: InvalidProfileError) -> None:
        """Show what the use case refused beside what it names."""
        for problem in error.errors:
            self._add_problem(problem)

    def _add_problem(self, problem: FieldProblem) -> None:
        """Show one problem beside the field or row that its pointer names, or above the form."""
        name, *path = problem.pointer.removeprefix("/").split("/")
        field = _PREFIXES[name] + path[0] if name in _PREFIXES and path else name
        if field in self.fields:
            self.add_error(field, problem.message)
        elif name in {"detectors", "shadow"}:
            # The summary above the form is written once, however many rows it leads to.
            if not self.detector_problems:
                self.add_error(None, "The choice of detectors needs a correction.")
            self.detector_problems.append(problem.message)
        elif name == "critical_actions" and path:
            if not any(row.error for row in self.critical):
                self.add_error(None, "Some critical actions need a correction.")
            self.critical = row_fields.with_problem(self.critical, int(path[0]), problem.message)
        else:
            self.add_error(None, problem.message)

    def _merge_newer_version(self) -> None:
        """Say what was saved meanwhile, take it over where this draft changed nothing, and base the draft on it."""
        version, author = self.current.version, self.current.created_by
        self.meanwhile = changes_between(self.base, self.current)
        self.add_error(
            None,
            f"Version {version} was saved by {author.get_username() if author else 'the installation'} meanwhile. "
            "Your entries are kept below, beside what it changed; compare them under Preview, then save again.",
        )
        problem = f"Version {version} changed this too; what it says stands above."
        data = QueryDict(mutable=True)
        data.update(self.data)
        # The person has been warned; saving once more is then a choice, not an accident.
        data["based_on"] = str(version)
        before, after = dict(_initial(self.base)), dict(_initial(self.current))
        for name in (name for name in self.fields if before.get(name) != after.get(name)):
            field = self.fields[name]
            typed = field.widget.value_from_datadict(self.data, self.files, name)
            if not field.has_changed(before.get(name), typed):
                _fill(data, name, after.get(name))
            elif field.has_changed(after.get(name), typed):
                self.add_error(name, problem)
        self.data = data
        self._merge_rows(problem)

    def _merge_rows(self, problem: str) -> None:
        """The same for the lists."""
        old, new = self.base, self.current
        self.policies = row_fields.merge_rows(
            self.policies,
            row_fields.stored_policies(old.tool_policies),
            row_fields.stored_policies(new.tool_policies),
            problem=problem,
        )
        self.critical = row_fields.merge_rows(
            self.critical,
            row_fields.stored_critical(old.critical_actions),
            row_fields.stored_critical(new.critical_actions),
            problem=problem,
        )
        self.trust = row_fields.merge_rows(
            self.trust,
            row_fields.stored_trust(old.source_trust),
            row_fields.stored_trust(new.source_trust),
            problem=problem,
        )


def _fill(data: QueryDict, name: str, value: Any) -> None:
    """Have the field sent with this value. An empty box is not sent at all."""
    if value is None or value is False:
        data.pop(name, None)
    else:
        data[name] = "on" if value is True else str(value)


def _initial(profile: GuardProfile) -> Iterator[tuple[str, Any]]:
    """Names and values of the fields as this version sets them."""
    yield from ((name, getattr(profile, name)) for name in SHARED)
    yield from ((_MODEL + question, model) for question, model in profile.question_models.items())
    yield from ((_THRESHOLD + name, threshold) for name, threshold in profile.thresholds.items())
    for name in DETECTORS:
        mode = "enforced" if name in profile.detectors else "shadow" if name in profile.shadow else "off"
        yield _MODE + name, mode
    yield "rule", "any" if profile.objections == 1 else "count"
    # Two is the least number that differs from “any”: the field shows it, though it only counts once chosen.
    yield "objections", max(profile.objections, 2)
