"""The forms of the datasets' pages."""

from typing import Any, Final

from django import forms

from reviews import access
from reviews.datasets.curation import MAX_ADDED
from reviews.datasets.export_writers import WRITERS
from reviews.datasets.freeze_preview import FreezePreview
from reviews.datasets.reader_registry import COLLECTIONS, TABLE, title_of
from reviews.desk.actions.saved import MAX_QUERY_LENGTH
from reviews.desk.annotate.forms import PointedForm
from reviews.desk.desk_form import DeskForm
from reviews.models import ExportFormat, Membership, SavedPage
from reviews.retention.pii_redaction import KINDS

# As the columns have.
_MAX_NAME_LENGTH: Final = 120
_MAX_LICENCE_LENGTH: Final = 200
_SELECT: Final = {"class": "select"}


class ImportForm(PointedForm):
    """A collection to be loaded into a dataset."""

    dataset = forms.CharField(
        label="Dataset",
        max_length=_MAX_NAME_LENGTH,
        help_text="Found by its name, or made.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    reader = forms.ChoiceField(
        label="Collection",
        required=False,
        choices=[
            ("", "As the file's own shape says"),
            *(
                (name, f"{collection.title} ({'a JSON lines file' if collection.one_file else 'a zip file'})")
                for name, collection in COLLECTIONS.items()
            ),
            (TABLE, title_of(TABLE)),
        ],
        widget=forms.Select(attrs=_SELECT),
    )
    licence = forms.CharField(
        label="Licence",
        required=False,
        max_length=_MAX_LICENCE_LENGTH,
        help_text="Where the collection does not state its own.",
    )
    file = forms.FileField(
        label="File",
        help_text="JSON lines, JSON or a table (CSV). A folder of several files is uploaded as one zip file.",
    )


class NewDatasetForm(PointedForm):
    """A dataset by its name, and which calls of the workspace come into it."""

    name = forms.CharField(
        label="Name", max_length=_MAX_NAME_LENGTH, error_messages={"required": "Give the dataset a name."}
    )
    source = forms.ChoiceField(label="What comes into it", widget=forms.Select(attrs=_SELECT))
    most = forms.IntegerField(
        label="At most so many calls", min_value=1, max_value=MAX_ADDED, initial=MAX_ADDED, help_text="The latest."
    )
    # Filters as long as an address holds them.
    query = forms.CharField(required=False, max_length=MAX_QUERY_LENGTH, widget=forms.HiddenInput)

    def __init__(self, *args: Any, membership: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._views = {
            str(view.pk): view
            for view in access.saved_views_for(membership).filter(page=SavedPage.ACTIONS).order_by("name")
        }
        filters = [("filters", "What the filters of Actions show")]
        self.fields["source"].choices = [  # type: ignore[attr-defined]
            *(filters if self["query"].value() else []),
            ("decided", "Calls that people decided"),
            ("audit", "Calls that passed and were drawn for audit"),
            *((key, f"Saved view of Actions: {view.name}") for key, view in self._views.items()),
            ("nothing", "Nothing yet: a file is imported into it"),
        ]

    def query_of_source(self) -> str | None:
        """The filters that choose the calls; None where something else does."""
        source = self.cleaned_data["source"]
        if source == "filters":
            return str(self.cleaned_data["query"])
        view = self._views.get(source)
        return view.query if view else None


class FreezeForm(DeskForm):
    """How a version is divided."""

    splits = forms.CharField(
        label="Splits",
        required=False,
        initial="train 0.8, test 0.2",
        help_text="A name and a share each, which add up to 1; empty for none.",
    )
    seed = forms.IntegerField(label="Seed", initial=0, min_value=0, max_value=2**31 - 1)

    def confirms(self, preview: FreezePreview) -> bool:
        """Whether exactly this summary was confirmed: not that of other splits, or of labels that changed since."""
        return self.data.get("confirmed") == preview.fingerprint

    def clean_splits(self) -> dict[str, float]:
        """The share of each split."""
        shares: dict[str, float] = {}
        for part in filter(None, map(str.strip, self.cleaned_data["splits"].split(","))):
            name, _, share = part.rpartition(" ")
            try:
                shares[name.strip()] = float(share)
            except ValueError:
                raise forms.ValidationError("Write a name and a number for each split: train 0.8, test 0.2.") from None
        return shares


class ExportForm(DeskForm):
    """How a version is written."""

    format = forms.ChoiceField(
        label="Format",
        choices=[(form.value, form.label) for form in ExportFormat if form in WRITERS],
        widget=forms.Select(attrs=_SELECT),
    )
    redact = forms.MultipleChoiceField(
        label="Replace personal data",
        required=False,
        choices=[(name, kind.title) for name, kind in KINDS.items()],
        widget=forms.CheckboxSelectMultiple,
    )
