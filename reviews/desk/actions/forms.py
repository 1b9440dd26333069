"""The form that says of a settled call that it was right or wrong."""

from collections.abc import Iterable
from typing import Any, Final

from django import forms

from reviews.models import Finding, MisalignmentType

MAX_NOTE_LENGTH: Final = 2_000
# As the column of the label has it.
MAX_RULE_LENGTH: Final = 200
# Findings that are offered: those of a call with many arguments, and few enough for a list to be read.
MAX_RULES: Final = 60


def name_of(finding: Finding) -> str:
    """What let a value or a call pass, as precision is measured by: the rule, else the detector and its relation."""
    # Findings from before rules were named have none.
    rule = getattr(finding, "rule", "") or f"{finding.check_run.detector}: {finding.relation}"
    subject = f" {finding.subject}" if finding.subject.startswith("/") else ""
    return f"{rule}{subject}"[:MAX_RULE_LENGTH]


def rules_of(findings: Iterable[Finding]) -> list[tuple[str, str]]:
    """The choices of a list: what held, by its name."""
    names = dict.fromkeys(name_of(finding) for finding in findings if finding.holds)
    return [("", "Not said"), *((name, name) for name in list(names)[:MAX_RULES])]


class JudgementForm(forms.Form):
    """Right or wrong, and if wrong in which way."""

    aligned = forms.TypedChoiceField(choices=(("yes", "Right"), ("no", "Wrong")), coerce=lambda value: value == "yes")
    misalignment = forms.ChoiceField(
        required=False, choices=[("", "Not said"), *MisalignmentType.choices], label="What was wrong?"
    )
    rule = forms.ChoiceField(required=False, label="What let it pass?")
    note = forms.CharField(required=False, max_length=MAX_NOTE_LENGTH, label="Note", widget=forms.Textarea)

    def __init__(self, *args: Any, findings: Iterable[Finding] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.relations = {name_of(finding): finding.relation for finding in findings}
        self.fields["rule"].choices = rules_of(findings)  # type: ignore[attr-defined]

    def judgement(self) -> dict[str, Any]:
        """What `audits.judge_audit` takes, once the form is valid."""
        return {**self.cleaned_data, "relation": self.relations.get(self.cleaned_data["rule"], "")}
