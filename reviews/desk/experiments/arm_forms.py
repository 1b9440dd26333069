"""Arms of an experiment whose detectors have options of their own: one form each, as many as somebody adds."""

from typing import Any, Final

from django import forms
from django.forms import BaseFormSet, formset_factory

from reviews.desk.desk_form import DeskForm
from reviews.lab.arm_options import ARM_OPTIONS, ArmOption, find_problems
from reviews.lab.experiments import MAX_ARMS, ArmChoice
from reviews.models import JudgeKind
from reviews.profiles.validation import MAX_MODEL_NAME_LENGTH, MAX_WINDOW
from reviews.provenance.detectors import DETECTORS

PREFIX: Final = "arms"
_AS_PROFILE: Final = ("", "as the profile")
_JUDGES: Final = ((JudgeKind.RULES.value, "Rules only"), (JudgeKind.OPENAI.value, "A model"))
_WORDS: Final = {
    "parallel": "all at once, rules first",
    "paper": "as published",
    "review": "stops the call",
    "pass": "lets it pass",
    "steps": "the calls so far stand for it",
}


class ArmForm(DeskForm):
    """One detector with its judge; each option that is left alone is the profile's."""

    detector = forms.ChoiceField(
        label="Detector",
        choices=[("", "Choose one"), *((name, name) for name in DETECTORS)],
        widget=forms.Select(attrs={"class": "select"}),
    )
    judge = forms.ChoiceField(
        label="What rules cannot tell", choices=_JUDGES, widget=forms.Select(attrs={"class": "select"})
    )
    model = forms.CharField(
        label="Model, if another than the profile's", max_length=MAX_MODEL_NAME_LENGTH, required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, option in ARM_OPTIONS.items():
            self.fields[name] = _field_of(option, name)

    @property
    def options(self) -> list[forms.BoundField]:
        """The fields of the options."""
        return [self[name] for name in ARM_OPTIONS]

    @property
    def chosen(self) -> dict[str, Any]:
        """The options that are not the profile's."""
        values = {name: self.cleaned_data.get(name) for name in ARM_OPTIONS}
        return {name: value for name, value in values.items() if value not in ("", None)}

    @property
    def arm(self) -> ArmChoice:
        """The choices as an arm."""
        cleaned = self.cleaned_data
        return ArmChoice(cleaned["detector"], JudgeKind(cleaned["judge"]), cleaned["model"], self.chosen)

    def clean(self) -> dict[str, Any]:
        """Beside each option why its detector does not have it."""
        for problem in find_problems(self.cleaned_data.get("detector", ""), self.chosen, ""):
            if "detector" in self.cleaned_data:
                self.add_error(problem.pointer.removeprefix("/"), problem.message)
        if self.cleaned_data.get("model") and self.cleaned_data.get("judge") == JudgeKind.RULES:
            self.add_error("model", "Rules alone ask no model.")
        return self.cleaned_data


def _field_of(option: ArmOption, name: str) -> forms.Field:
    few = "" if len(option.detectors) == len(DETECTORS) else f" ({', '.join(option.detectors)})"
    label, select = f"{option.label}{few}", forms.Select(attrs={"class": "select"})
    if option.choices:
        choices = [_AS_PROFILE, *((word, _WORDS.get(word, word)) for word in option.choices)]
        return forms.ChoiceField(label=label, choices=choices, required=False, widget=select)
    number = forms.NumberInput(attrs={"class": "input", "placeholder": _AS_PROFILE[1]})
    if name == "threshold":
        return forms.FloatField(label=label, min_value=0, max_value=1, required=False, widget=number)
    if name == "window":
        return forms.IntegerField(label=label, min_value=1, max_value=MAX_WINDOW, required=False, widget=number)
    answers = [_AS_PROFILE, ("true", "yes"), ("false", "no")]
    return forms.TypedChoiceField(
        label=label,
        choices=answers,
        coerce=lambda text: text == "true",
        empty_value=None,
        required=False,
        widget=select,
    )


ArmForms: "type[BaseFormSet[ArmForm]]" = formset_factory(ArmForm, extra=0, max_num=MAX_ARMS, can_delete=True)
