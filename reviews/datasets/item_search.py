"""The items of a dataset, newest first, filtered and searched: a bounded look at a time, however many there are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from reviews import pagination
from reviews.annotation import gold_labels
from reviews.annotation.gold_labels import Label
from reviews.errors import InvalidCursorError
from reviews.models import Annotation, Dataset, DatasetItem, DatasetVersion, VersionEntry
from reviews.provenance.core.context import JsonValue

PAGE_SIZE: Final = 25
# By the index of the listing: keys are in the order in which a dataset grew.
ORDER: Final = ("-id",)
# A page looks through as many as a small dataset holds: it takes as long with a million.
WINDOW: Final = 1_000
"""Items that one page looks through for what no index finds."""

LABELS: Final = ("aligned", "misaligned", "undecided", "none")
"""What an item's label may say; `undecided`: neither, and `none`: nobody said anything."""
MARKS: Final = ("flagged", "skipped")


@dataclass(frozen=True)
class ItemFilters:
    """The filters of a listing of items; an empty text leaves nothing out."""

    text: str = ""
    """Words of the request, the tool, the arguments, the conversation or the source."""
    tool: str = ""
    source: str = ""
    """The collection, by the beginning of an item's source."""
    origin: str = ""
    label: str = ""
    """One of `LABELS`."""
    method: str = ""
    """How the label came about, one of `gold_labels.METHODS`."""
    mark: str = ""
    """One of `MARKS`: what an annotator flagged for discussion, or gave back for a reason."""
    split: str = ""
    """Of the latest frozen version."""


@dataclass(frozen=True)
class ItemPage:
    """One page of items."""

    items: Sequence[tuple[DatasetItem, Label | None]]
    next_cursor: str
    """Where to look on; empty at the end."""
    is_partial: bool
    """Whether there are items behind those that were looked through."""


def search_items(
    dataset: Dataset, filters: ItemFilters, cursor: str = "", *, owed: QuerySet[DatasetItem] | None = None
) -> ItemPage:
    """A page of the items behind the cursor. A cursor that this server did not make leads to the first page.

    What was said of those that are `owed` an answer by whoever asks is no filter's to find.
    """
    listed = _indexed_items(dataset, filters)
    if owed is not None and (filters.label or filters.method or filters.mark):
        listed = listed.exclude(pk__in=owed.values("pk"))
    try:
        behind = pagination.behind(listed, order=ORDER, cursor=cursor or None)
    except InvalidCursorError:
        behind = listed
    window = list(behind.order_by(*ORDER).values_list("pk", flat=True)[:WINDOW])
    sifted = _sift_items(dataset.items.filter(pk__in=window), filters)
    rows = list(sifted.defer("case", "metadata").order_by(*ORDER))
    return _page_of(_label_items(rows), filters, window)


def _page_of(
    labelled: Sequence[tuple[DatasetItem, Label | None]], filters: ItemFilters, window: list[UUID]
) -> ItemPage:
    matching = [(item, label) for item, label in labelled if _label_matches(label, filters)]
    if len(matching) > PAGE_SIZE:
        first_page = matching[:PAGE_SIZE]
        return ItemPage(first_page, pagination.cursor_of(first_page[-1][0], ORDER), is_partial=False)
    if len(window) < WINDOW:
        return ItemPage(matching, "", is_partial=False)
    last = DatasetItem(pk=window[-1])
    return ItemPage(matching, pagination.cursor_of(last, ORDER), is_partial=True)


def _indexed_items(dataset: Dataset, filters: ItemFilters) -> QuerySet[DatasetItem]:
    """What an index narrows: a tool's items, those that annotators marked. Erased items are not listed."""
    items = dataset.items.filter(erased_at__isnull=True)
    if filters.tool:
        items = items.filter(tool=filters.tool)
    if filters.mark in MARKS:
        answers = Annotation.objects.filter(campaign__dataset=dataset, in_force=True)
        marked = answers.filter(flagged=True) if filters.mark == "flagged" else answers.exclude(skip_reason="")
        items = items.filter(pk__in=marked.values("item"))
    return items


def _sift_items(items: QuerySet[DatasetItem], filters: ItemFilters) -> QuerySet[DatasetItem]:
    if filters.origin:
        items = items.filter(origin=filters.origin)
    if filters.source:
        items = items.filter(source__startswith=filters.source)
    if filters.split:
        in_split = VersionEntry.objects.filter(item=OuterRef("pk"), split=filters.split)
        latest = DatasetVersion.objects.filter(dataset=OuterRef("item__dataset"), frozen_at__isnull=False)
        newest = latest.order_by("-number").values("pk")[:1]
        items = items.filter(Exists(in_split.filter(version=newest)))
    if filters.text:
        items = items.annotate(
            request=KeyTextTransform("query", "case"),
            arguments=Cast(KeyTextTransform("arguments", KeyTextTransform("action", "case")), TextField()),
            recorded_arguments=Cast("action__arguments", TextField()),
        )
        columns = (
            "tool", "conversation", "source", "request", "arguments", "recorded_arguments",
            "action__trace__query__body",
        )  # fmt: skip
        wanted = Q()
        for column in columns:
            wanted |= Q(**{f"{column}__icontains": filters.text})
        items = items.filter(wanted)
    return items


def _label_items(items: Sequence[DatasetItem]) -> list[tuple[DatasetItem, Label | None]]:
    labels = gold_labels.labels_of(items)
    return [(item, labels[item.pk]) for item in items]


def _label_matches(label: Label | None, filters: ItemFilters) -> bool:
    if filters.method and (label is None or not gold_labels.is_judged(label) or label["method"] != filters.method):
        return False
    return not filters.label or filters.label == name_label(label)


def read_arguments(items: Iterable[UUID]) -> Mapping[UUID, Mapping[str, JsonValue]]:
    """The arguments of each item's call, by the item's key, without the conversations around them."""
    recorded = DatasetItem.objects.filter(pk__in=list(items))
    imported = recorded.annotate(imported=KeyTransform("arguments", KeyTransform("action", "case")))
    rows = imported.values_list("pk", "imported", "action__arguments")
    return {key: imported or arguments or {} for key, imported, arguments in rows}


def name_label(label: Mapping[str, Any] | None) -> str:
    """What a label says in one of `LABELS`."""
    if label is None or not gold_labels.is_judged(label):
        return "none"
    return {True: "aligned", False: "misaligned"}.get(label["aligned"], "undecided")
