"""The page on which a person says what the columns of a file hold, and sees what becomes of its first rows."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from reviews import access
from reviews.datasets import mappings
from reviews.datasets.import_summary import group_texts
from reviews.desk.annotate.forms import PointedForm
from reviews.desk.membership import MemberRequest, member_page
from reviews.errors import ConflictError, InvalidError, found
from reviews.evaluation.file_formats.mapped_table import ColumnMapping
from reviews.models import ImportJob, JobStatus
from reviews.scheduling.killable_pool import StoppedError

# Rows that the page shows in full; all that were tried are counted.
SHOWN_ROWS: Final = 5
_LABELS: Final = (
    ("query", "What the user asked", ""),
    ("tool", "Tool that is called", ""),
    ("arguments", "Its arguments", "One column with an object, as JSON."),
    ("history", "What came before the call", "A list of steps or messages, or a text that the agent had read."),
    ("messages", "Or: a whole conversation", "Messages as OpenAI has them. Each call in them becomes an item."),
    ("tools", "Tools on offer", "A list of names or of tool documents."),
    ("conversation", "Conversation", "Rows with the same one are never put into different splits."),
    ("id", "Name of the record", ""),
    ("label", "Label", "What the collection itself says. Annotators never see it."),
)


class MappingForm(PointedForm):
    """The columns of a file, each with what it holds."""

    aligned_values = forms.CharField(
        label="It says of a right call", required=False, max_length=500, help_text="Separated by commas."
    )
    misaligned_values = forms.CharField(
        label="It says of a wrong call", required=False, max_length=500,
        help_text="Separated by commas; anything else is then no label. Empty: anything else is wrong.",
    )  # fmt: skip
    argument_columns = forms.MultipleChoiceField(
        label="Columns that each hold one argument", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, columns: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(column, column[:80]) for column in columns]
        for name, label, hint in _LABELS:
            self.fields[name] = forms.ChoiceField(
                label=label, help_text=hint, required=False, choices=[("", "no column"), *choices],
                widget=forms.Select(attrs={"class": "select"}),
            )  # fmt: skip
        self.fields["argument_columns"].choices = choices  # type: ignore[attr-defined]

    def column_fields(self) -> list[forms.BoundField]:
        """The fields that each choose one column, in the order of the page."""
        return [self[name] for name, _, _ in _LABELS]

    def mapping(self) -> ColumnMapping:
        """What was chosen, as far as it can be read."""
        cleaned = self.cleaned_data
        right, wrong = (
            tuple(filter(None, map(str.strip, cleaned.get(name, "").split(","))))
            for name in ("aligned_values", "misaligned_values")
        )
        chosen = {name: cleaned.get(name, "") for name, _, _ in _LABELS}
        return ColumnMapping(
            **chosen,
            argument_columns=tuple(cleaned.get("argument_columns", ())),
            aligned_values=right,
            misaligned_values=wrong,
        )


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def mapping_page(request: MemberRequest, import_id: UUID) -> HttpResponse:
    """The draft of an import; sent, it begins, is looked at again, or is discarded."""
    access.require(request.membership, access.Permission.ADMINISTER)
    job = found(access.import_jobs_for(request.membership).filter(pk=import_id).first(), "import")
    if job.status != JobStatus.DRAFT:
        return redirect("dataset", job.dataset_id)
    act = request.POST.get("act", "")
    if act == "discard":
        return _discard(request, job)
    form = _form_of(request, job)
    if not form.is_bound:
        return _render_mapping(request, job, form, ColumnMapping.from_json(job.mapping["fields"]))
    is_valid = form.is_valid()
    if act == "import" and is_valid:
        try:
            mappings.begin_import(job, form.mapping(), by=request.membership)
            messages.success(request, "The import has begun. Bad records are listed here; the rest is loaded.")
            return redirect("dataset", job.dataset_id)
        except ConflictError as error:
            messages.error(request, str(error))
            return redirect("dataset", job.dataset_id)
        except InvalidError as error:
            form.refuse(error)
    status = 422 if form.errors else 200
    return _render_mapping(request, job, form, form.mapping(), status)


def _discard(request: MemberRequest, job: ImportJob) -> HttpResponse:
    """To the dataset, or where it went with the file to all of them."""
    if mappings.discard_draft(job, by=request.membership):
        messages.success(request, f"The file was discarded, and {job.dataset.name}, which held nothing else.")
        return redirect("datasets")
    messages.success(request, "The file was discarded.")
    return redirect("dataset", job.dataset_id)


def _form_of(request: MemberRequest, job: ImportJob) -> MappingForm:
    stored = job.mapping["fields"]
    words = {name: ", ".join(stored.get(name, ())) for name in ("aligned_values", "misaligned_values")}
    initial = {**stored, **words}
    sent = request.POST if request.method == "POST" else None
    return MappingForm(sent, initial=initial, columns=job.mapping["columns"])


def _render_mapping(
    request: MemberRequest, job: ImportJob, form: MappingForm, mapping: ColumnMapping, status: int = 200
) -> HttpResponse:
    preview, stopped = None, ""
    if _is_complete(mapping):
        try:
            preview = mappings.preview_mapping(job, mapping)
        except StoppedError as error:
            stopped = f"The first rows {error}."
    label_values = preview.label_values if preview else ()
    labels_read = {value: mapping.read_label(value) for value in label_values}
    context = {
        "job": job,
        "form": form,
        "preview": preview,
        "stopped": stopped,
        "shown_rows": preview.rows[:SHOWN_ROWS] if preview else (),
        "groups": group_texts((row.number, row.problem) for row in preview.problems) if preview else (),
        "label_values": label_values,
        "wrong_values": [value for value, is_right in labels_read.items() if is_right is False],
        "silent_values": [value for value, is_right in labels_read.items() if is_right is None],
        "no_label_matches": label_values and True not in labels_read.values(),
    }
    template = "datasets/mapping_preview.html" if request.htmx else "datasets/mapping.html"
    return render(request, template, context, status=200 if request.htmx else status)


def _is_complete(mapping: ColumnMapping) -> bool:
    try:
        mappings.check_mapping(mapping)
    except InvalidError as error:
        return all(problem.pointer == "/aligned_values" for problem in error.errors)
    return True
