"""What an administrator chooses for an experiment."""

from typing import TYPE_CHECKING, Final, cast

from django import forms
from django.db.models import QuerySet

from reviews.desk.settings.key_form import DeskForm
from reviews.evaluation.runs.trials import MAX_VARIANTS
from reviews.lab.experiments import MAX_RUNS, ArmChoice
from reviews.lab.trial_choices import TrialChoice
from reviews.models import DatasetVersion, ExperimentKind, JudgeKind
from reviews.provenance.detectors import DETECTORS

# Of one form; `manage.py experiment` takes any models.
_JUDGES: Final = (("rules", "Rules only"), ("openai", "The profile's model"), ("both", "Both, side by side"))


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
        label="Budget in US dollars", required=False, min_value=0.01, max_digits=12, decimal_places=2
    )


class ExperimentForm(DeskForm):
    """An experiment's version and detectors, and the judge of what their rules cannot tell."""

    name = forms.CharField(label="Name", max_length=120)
    version = _VersionField(DatasetVersion.objects.none(), label="Frozen version", empty_label=None, widget=_SELECT)
    detectors = forms.MultipleChoiceField(
        label="Detectors",
        choices=[(name, name) for name in DETECTORS],
        widget=forms.CheckboxSelectMultiple,
        initial=["provenance-guard"],
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
    max_usd = forms.DecimalField(
        label="Budget in US dollars", required=False, min_value=0.01, max_digits=12, decimal_places=2
    )

    def __init__(self, *args: object, versions: QuerySet[DatasetVersion], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        cast("_VersionField", self.fields["version"]).queryset = versions

    @property
    def trial(self) -> TrialChoice:
        """What is tried on each call: every change, or every family of attacks."""
        kind = ExperimentKind(self.cleaned_data["kind"] or ExperimentKind.VERDICTS)
        return TrialChoice(kind, variants=self.cleaned_data["variants"] or 1)

    @property
    def arms(self) -> list[ArmChoice]:
        """The choices as arms: every detector with every judge."""
        chosen = self.cleaned_data["judge"]
        judges = list(JudgeKind) if chosen == "both" else [JudgeKind(chosen)]
        return [ArmChoice(detector, judge) for detector in self.cleaned_data["detectors"] for judge in judges]
