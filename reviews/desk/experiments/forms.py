"""What an administrator chooses for an experiment."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, cast

from django import forms
from django.db.models import QuerySet

from reviews.desk.desk_form import DeskForm
from reviews.desk.experiments.arm_forms import PREFIX, ArmForms
from reviews.evaluation.runs.trials import MAX_VARIANTS
from reviews.lab.experiments import MAX_RUNS, ArmChoice, Source
from reviews.lab.recorded_calls import DEFAULT_CALLS, DEFAULT_DAYS, MAX_CALLS, MAX_DAYS, Period, draw_calls
from reviews.lab.trial_choices import TrialChoice
from reviews.models import DatasetVersion, ExperimentKind, JudgeKind, Workspace
from reviews.provenance.detectors import DETECTORS

# Of one form; `manage.py experiment` takes any models.
_JUDGES: Final = (("rules", "Rules only"), ("openai", "The profile's model"), ("both", "Both, side by side"))

# As a float it would lie above itself, and the least budget be refused.
_CENT: Final = Decimal("0.01")

# Fields copy it. Unstyled, its colours would be the browser's, which are too faint in the dark.
_SELECT: Final = forms.Select(attrs={"class": "select"})

if TYPE_CHECKING:
    _ModelChoiceField = forms.ModelChoiceField[DatasetVersion]
else:
    # Generic in its stubs alone.
    _ModelChoiceField = forms.ModelChoiceField


class _VersionField(_ModelChoiceField):
    def label_from_instance(self, obj: DatasetVersion) -> str:
        return f"{obj.dataset.name}, {obj}"


class LimitForm(DeskForm):
    """Under which limit a paused experiment goes on."""

    max_usd = forms.DecimalField(
        label="Budget in US dollars", required=False, min_value=_CENT, max_digits=12, decimal_places=2
    )


class ExperimentForm(DeskForm):
    """What an experiment judges, by which detectors, and the judge of what their rules cannot tell."""

    name = forms.CharField(label="Name", max_length=120)
    version = _VersionField(
        DatasetVersion.objects.none(),
        label="Calls",
        empty_label="Recorded calls of the last days",
        required=False,
        widget=_SELECT,
    )
    days = forms.IntegerField(
        label="Days of recorded calls", min_value=1, max_value=MAX_DAYS, initial=DEFAULT_DAYS, required=False
    )
    calls = forms.IntegerField(
        label="At most so many, drawn over agents and tools",
        min_value=1,
        max_value=MAX_CALLS,
        initial=DEFAULT_CALLS,
        required=False,
    )
    detectors = forms.MultipleChoiceField(
        label="Detectors",
        choices=[(name, name) for name in DETECTORS],
        widget=forms.CheckboxSelectMultiple,
        initial=["provenance-guard"],
        required=False,
    )
    judge = forms.ChoiceField(label="What rules cannot tell", choices=_JUDGES, initial="rules", widget=_SELECT)
    runs = forms.IntegerField(label="Runs with a model", min_value=1, max_value=MAX_RUNS, initial=1)
    kind = forms.ChoiceField(
        label="What is tried",
        choices=ExperimentKind.choices,
        initial=ExperimentKind.VERDICTS,
        required=False,
        widget=_SELECT,
    )
    variants = forms.IntegerField(
        label="Attacks of each family on each call", min_value=1, max_value=MAX_VARIANTS, initial=1, required=False
    )
    fresh = forms.BooleanField(label="Ask models even where an answer is kept", required=False)
    max_usd = forms.DecimalField(
        label="Budget in US dollars", required=False, min_value=_CENT, max_digits=12, decimal_places=2
    )

    def __init__(self, *args: Any, versions: QuerySet[DatasetVersion], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast("_VersionField", self.fields["version"]).queryset = versions
        has_arms = f"{PREFIX}-TOTAL_FORMS" in self.data
        self.arm_forms = ArmForms(self.data if has_arms else None, prefix=PREFIX)

    def clean(self) -> dict[str, Any]:
        """With some detector, and every arm as it should be."""
        cleaned = super().clean() or self.cleaned_data
        if self.arm_forms.is_bound and not self.arm_forms.is_valid():
            self.add_error(None, "An arm is not yet as it should be.")
        elif not self.arms:
            self.add_error("detectors", "Choose a detector, or add an arm.")
        return cleaned

    def draw_source(self, workspace: Workspace, *, labelled: bool = True) -> Source:
        """The chosen version, or recorded calls as they are now. Raises `InvalidError`."""
        chosen = self.cleaned_data
        version: DatasetVersion | None = chosen.get("version")
        if version is not None:
            return version
        period = Period.last_days(chosen.get("days") or DEFAULT_DAYS, chosen.get("calls") or DEFAULT_CALLS)
        return draw_calls(workspace, period, labelled=labelled)

    @property
    def trial(self) -> TrialChoice:
        """What is tried on each call: every change, or every family of attacks."""
        kind = ExperimentKind(self.cleaned_data["kind"] or ExperimentKind.VERDICTS)
        return TrialChoice(kind, variants=self.cleaned_data["variants"] or 1)

    @property
    def arms(self) -> list[ArmChoice]:
        """Every detector with every judge, then the arms with options of their own."""
        chosen = self.cleaned_data.get("judge") or JudgeKind.RULES
        judges = list(JudgeKind) if chosen == "both" else [JudgeKind(chosen)]
        plain = [ArmChoice(detector, judge) for detector in self.cleaned_data.get("detectors", ()) for judge in judges]
        tuned = [form for form in self.arm_forms if form.has_changed() and not form.cleaned_data.get("DELETE")]
        return plain + [form.arm for form in tuned]
