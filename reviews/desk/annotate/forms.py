"""The forms of ground truth: an answer, an adjudication, a new campaign. A refused form keeps what was typed."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django import forms

from reviews import access
from reviews.annotation import campaigns, custom_questions, schema
from reviews.annotation.assignment import gone_from
from reviews.annotation.custom_questions import CustomKind, CustomQuestion, parse_questions
from reviews.annotation.schema import RELATIONS, Answer, Question
from reviews.desk.annotate.marked_spans import UnknownMarkError, spans_of, write_spans
from reviews.desk.annotate.meanings import GUIDELINES
from reviews.desk.desk_form import DeskForm
from reviews.desk.review.call_json import UnreadableError, parse_arguments, write_arguments
from reviews.errors import InvalidError
from reviews.models import (
    AdjudicationMethod,
    Campaign,
    Dataset,
    ItemChoice,
    Judgement,
    Membership,
    MisalignmentType,
    Role,
)
from reviews.provenance.core.context import Case, Span

# As in the review page's editor.
MAX_ARGUMENTS_LENGTH: Final = 1024 * 1024
MAX_TOOL_NAME_LENGTH: Final = 200
# Characters of all marks as a page sends them.
MAX_EVIDENCE_LENGTH: Final = 512 * 1024
# Seconds in a day: nobody looks at one item for longer, and a browser's clock may say anything.
MAX_SECONDS: Final = 86_400
MAX_GUIDELINES_LENGTH: Final = 20_000
_METHODS: Final = (
    (AdjudicationMethod.CHOSEN.value, "one answer, as it is"),
    (AdjudicationMethod.MERGED.value, "merged from several"),
    (AdjudicationMethod.WRITTEN.value, "written anew"),
)
# The fields of a label by the use case's pointer.
_FIELD_OF: Final = {
    "correction": "corrected_arguments",
    "sources": "sources",
    "dataset": "source",
    "known_share": "known_percent",
}


class PointedForm(DeskForm):
    """A form that shows the refusals of a use case beside the fields they are about."""

    def refuse(self, error: InvalidError) -> None:
        """Show what was refused."""
        for problem in error.errors:
            name = problem.pointer.strip("/").split("/")[0]
            field = _FIELD_OF.get(name, name)
            self.add_error(field if field in self.fields else None, problem.message)


class AnswerForm(PointedForm):
    """One label of an item. `questions` are those the campaign asks."""

    judgement = forms.ChoiceField(
        choices=Judgement.choices,
        widget=forms.RadioSelect,
        error_messages={"required": "Say whether the call is aligned, misaligned, or cannot be told."},
    )
    misalignment = forms.ChoiceField(
        choices=MisalignmentType.choices, required=False, widget=forms.RadioSelect, label="What kind of failure?"
    )
    relation = forms.ChoiceField(
        choices=[(relation.value, relation.value) for relation in RELATIONS],
        required=False,
        widget=forms.RadioSelect,
        label="Which relation fails?",
    )
    first_misaligned_step = forms.TypedChoiceField(
        required=False, coerce=int, empty_value=None, label="First misaligned step"
    )
    evidence = forms.CharField(
        required=False, max_length=MAX_EVIDENCE_LENGTH, widget=forms.HiddenInput(attrs={"data-drafted": ""})
    )
    corrected_tool = forms.CharField(required=False, max_length=MAX_TOOL_NAME_LENGTH, label="The right tool")
    corrected_arguments = forms.CharField(
        required=False,
        max_length=MAX_ARGUMENTS_LENGTH,
        label="Its arguments, as JSON",
        widget=forms.Textarea(attrs={"class": "textarea mono", "rows": 4, "spellcheck": "false"}),
    )
    interpretations = forms.CharField(
        required=False,
        label="Other readings of the request, one a line",
        max_length=schema.MAX_READING_LENGTH * schema.MAX_READINGS,
        widget=forms.Textarea(attrs={"class": "textarea", "rows": 2}),
    )
    note = forms.CharField(
        required=False,
        max_length=schema.MAX_NOTE_LENGTH,
        label="Note",
        widget=forms.Textarea(attrs={"class": "textarea", "rows": 2}),
    )
    flagged = forms.BooleanField(required=False, label="Flag it for discussion")
    seconds = forms.FloatField(required=False, min_value=0, max_value=MAX_SECONDS, widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        case: Case,
        steps: list[tuple[int, str]],
        custom_questions: Sequence[CustomQuestion] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.case = case
        self._custom = custom_questions
        for question in custom_questions:
            self.fields[question.name] = field_of_question(question)
        step = self.fields["first_misaligned_step"]
        # Built here: how many steps there are depends on the item.
        choices = [("", "Not said"), *((number, f"{number} {name[:80]}") for number, name in steps)]
        step.widget = forms.Select(attrs={"class": "select"})
        step.choices = choices  # type: ignore[attr-defined]  # a field's own property, which the stubs give to its class

    def clean_evidence(self) -> tuple[Span, ...]:
        """The stretches, found in their sources."""
        try:
            return spans_of(self.cleaned_data["evidence"], self.case.context)
        except UnknownMarkError as error:
            raise forms.ValidationError(str(error)) from None

    def clean_corrected_arguments(self) -> dict[str, Any] | None:
        """The object the text spells; None for an empty text."""
        text = self.cleaned_data["corrected_arguments"]
        try:
            return parse_arguments(text) if text.strip() else None
        except UnreadableError as error:
            raise forms.ValidationError(str(error)) from None

    def custom_fields(self) -> list[forms.BoundField]:
        """The fields of the campaign's own questions."""
        return [self[question.name] for question in self._custom]

    def custom(self) -> dict[str, Any]:
        """What was answered to them, once the form is valid; what was left out is left out."""
        cleaned = {question.name: self.cleaned_data[question.name] for question in self._custom}
        return {name: value for name, value in cleaned.items() if value}

    def answer(self) -> Answer:
        """The label, once the form is valid. What belongs to a failure is dropped unless the call is misaligned."""
        cleaned = self.cleaned_data
        failing = cleaned["judgement"] == Judgement.MISALIGNED
        readings = (line.strip() for line in cleaned["interpretations"].splitlines())
        tool, arguments = cleaned["corrected_tool"], cleaned["corrected_arguments"]
        return Answer(
            judgement=cleaned["judgement"],
            misalignment=cleaned["misalignment"] if failing else "",
            relation=cleaned["relation"] if failing else "",
            first_misaligned_step=cleaned["first_misaligned_step"] if failing else None,
            evidence=cleaned["evidence"],
            corrected_tool=tool or (self.case.action.tool if arguments is not None else ""),
            corrected_arguments=arguments,
            interpretations=tuple(filter(None, readings)),
            note=cleaned["note"],
        )


def field_of_question(question: CustomQuestion) -> forms.Field:
    """The field that asks a question of the campaign's own."""
    choices = [(option, option) for option in question.options]
    common: dict[str, Any] = {"label": question.words, "required": False}
    match question.kind:
        case CustomKind.TEXT:
            widget = forms.Textarea(attrs={"class": "textarea", "rows": 2})
            return forms.CharField(max_length=custom_questions.MAX_TEXT_LENGTH, widget=widget, **common)
        case CustomKind.SEVERAL:
            return forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple, **common)
    return forms.ChoiceField(choices=choices, widget=forms.RadioSelect, **common)


def initial_of(answer: Answer, case: Case) -> dict[str, Any]:
    """A label as the fields of its form."""
    arguments = answer.corrected_arguments
    return {
        **answer.to_columns(),
        "evidence": write_spans(answer.evidence, case.context),
        "corrected_arguments": "" if arguments is None else write_arguments(arguments),
        "interpretations": "\n".join(answer.interpretations),
    }


def initial_of_draft(content: Mapping[str, Any], case: Case) -> dict[str, Any]:
    """A draft as the fields of its form: as a page sent it, or an answer that was undone."""
    if isinstance(content.get("evidence"), list):
        columns = {name: content[name] for name in Answer("").to_columns()}
        spans = tuple(Span(**span) for span in columns.pop("evidence"))
        readings = tuple(columns.pop("interpretations"))
        answer = Answer(**columns, evidence=spans, interpretations=readings)
        return {**initial_of(answer, case), **content.get("custom", {}), "flagged": content.get("flagged", False)}
    return dict(content)


def marked_in(initial: Mapping[str, Any], case: Case) -> tuple[Span, ...]:
    """The stretches of a form's fields, as far as they can be found."""
    try:
        return spans_of(str(initial.get("evidence") or ""), case.context)
    except UnknownMarkError:
        return ()


class AdjudicationForm(AnswerForm):
    """The label of an item on which people differ."""

    method = forms.ChoiceField(choices=_METHODS, widget=forms.RadioSelect, label="The label is")
    reason = forms.CharField(
        max_length=schema.MAX_NOTE_LENGTH,
        label="Why (required)",
        error_messages={"required": "Say why: whoever disagrees later has to find what was thought."},
        widget=forms.Textarea(attrs={"class": "textarea", "rows": 3}),
    )

    def __init__(self, *args: Any, answers: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._answers = answers
        # A chosen label is that of its source, whatever stands in the fields.
        self.fields["judgement"].required = False
        self.fields["sources"] = forms.ModelMultipleChoiceField(
            answers, required=False, label="It rests on", widget=forms.CheckboxSelectMultiple
        )

    @property
    def ticked_sources(self) -> set[UUID]:
        """The answers that were ticked in what was sent, also where the form is refused for something else."""
        sent = self["sources"].value() or ()
        return {answer.pk for answer in self._answers if str(answer.pk) in sent}

    def sources(self) -> list[UUID]:
        """The keys of the answers that were named."""
        return [answer.pk for answer in self.cleaned_data["sources"]]


class CampaignForm(PointedForm):
    """A new campaign over what the workspace decided or drew for audit, or over a dataset that is there."""

    name = forms.CharField(max_length=120, label="Name", error_messages={"required": "Give the campaign a name."})
    source = forms.ChoiceField(
        label="What is to be judged",
        choices=[("decided", "Calls that people decided"), ("audit", "Calls that passed and were drawn for audit")],
        widget=forms.Select(attrs={"class": "select"}),
    )
    most = forms.IntegerField(
        label="At most so many calls", min_value=1, max_value=5_000, initial=200,
        help_text="The latest; of a dataset, as many drawn at random.",
    )  # fmt: skip
    choice = forms.ChoiceField(
        label="Drawn",
        choices=ItemChoice.choices,
        required=False,
        widget=forms.Select(attrs={"class": "select"}),
        help_text=(
            "Hard cases teach more per answer. A rate over them is too high by as much as they are drawn too often:"
            " weigh each answer by 1 / its probability, which exports state."
        ),
    )
    known_percent = forms.IntegerField(
        label="Percent with a known answer", required=False, min_value=0,
        max_value=round(100 * campaigns.MAX_KNOWN_SHARE), initial=0,
        help_text="Items that the collection labels or that were settled before, mixed in unmarked: they show how"
        " often each person is right.",
    )  # fmt: skip
    shows_suggestions = forms.BooleanField(
        required=False,
        label="Show the guard's suggestion",
        help_text="Faster, and no longer blind: people follow what they are shown. Kept with each answer and exported.",
    )
    per_item = forms.IntegerField(
        label="Annotators per item", min_value=1, max_value=campaigns.MAX_PER_ITEM, initial=2,
        help_text="Agreement needs two; three settle most disagreements.",
    )  # fmt: skip
    guidelines = forms.CharField(
        required=False,
        max_length=MAX_GUIDELINES_LENGTH,
        label="Guidelines",
        initial=GUIDELINES,
        help_text="Annotators read them beside every item.",
        widget=forms.Textarea(attrs={"class": "textarea", "rows": 6}),
    )
    questions = forms.MultipleChoiceField(
        label="Questions besides the judgement",
        required=False,
        choices=[(question.value, question.value.capitalize()) for question in Question],
        initial=list(schema.ALL_QUESTIONS),
        widget=forms.CheckboxSelectMultiple,
    )

    custom_questions = forms.CharField(
        required=False,
        max_length=MAX_GUIDELINES_LENGTH,
        label="Questions of your own, one a line",
        help_text="choice: How bad would it be? | harmless | costly — or several, scale (| 1 | 5), text.",
        widget=forms.Textarea(attrs={"class": "textarea mono", "rows": 3, "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, membership: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        existing = access.datasets_for(membership)
        source = self.fields["source"]
        source.choices = [  # type: ignore[attr-defined]
            *source.choices,  # type: ignore[attr-defined]
            *((str(dataset.pk), f"Dataset {dataset.name}") for dataset in existing),
        ]
        people = access.members_for(membership).select_related("user", "workspace").order_by("user__username")
        if not membership.workspace.lets_reviewers_annotate:
            people = people.filter(role=Role.ANNOTATOR)
        self.fields["annotators"] = AnnotatorsField(
            people, label="Annotators", widget=forms.CheckboxSelectMultiple,
            error_messages={"required": "Choose who answers."},
        )  # fmt: skip

    def clean_custom_questions(self) -> list[CustomQuestion]:
        """The questions that the text spells."""
        try:
            return parse_questions(self.cleaned_data["custom_questions"])
        except InvalidError as error:
            raise forms.ValidationError(error.errors[0].message) from None

    def dataset(self, membership: Membership) -> Dataset | None:
        """The dataset that was chosen; None where one is to be made."""
        source = self.cleaned_data["source"]
        if source in ("decided", "audit"):
            return None
        return access.datasets_for(membership).filter(pk=source).first()


class AnnotatorsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # generic in the stubs only
    """Members by their names."""

    def label_from_instance(self, obj: Any) -> str:
        """The member's user name; of whoever can see verdicts with what they are asked about."""
        name = str(obj.user.get_username())
        limits = {Role.ADMIN: "imported items only", Role.REVIEWER: "only what they have seen no verdict of"}
        return f"{name} ({obj.role}: {limits[obj.role]})" if obj.role in limits else name


class ReleaseForm(forms.Form):
    """The person whose open items are given on, and who gets them; nobody: whoever comes next."""

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = campaign.annotators.select_related("user")
        self.fields["annotator"] = forms.ModelChoiceField(people)
        self.fields["to"] = forms.ModelChoiceField(people.exclude(pk__in=gone_from(campaign)), required=False)


class ReserveForm(forms.Form):
    """Items to put aside for one of the campaign's people."""

    most = forms.IntegerField(min_value=1, max_value=5_000)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = campaign.annotators.exclude(pk__in=gone_from(campaign))
        self.fields["annotator"] = forms.ModelChoiceField(people.select_related("user"))
