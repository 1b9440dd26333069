"""The inside of a dataset: its items with filters and search, one item as a page, what it is made of."""

from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from reviews import access
from reviews.annotation import gold_labels
from reviews.annotation.owed_items import IN_PLACE, owed_among, owed_items
from reviews.annotation.schema import Answer
from reviews.datasets import distributions, item_search
from reviews.datasets.item_search import ItemFilters
from reviews.desk.addresses import read_text
from reviews.desk.annotate.annotator_views import render_unfolded
from reviews.desk.annotate.blind_case import blind_case
from reviews.desk.datasets.lookups import find_dataset, find_item, find_version
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.text.item_gists import list_gists
from reviews.models import Dataset, Origin
from reviews.records.dataset_items import case_of_item

_NAMES: Final = ("text", "tool", "source", "origin", "label", "method", "mark", "split")
_LABELS: Final = {
    "aligned": "Aligned",
    "misaligned": "Misaligned",
    "undecided": "Neither, or people differ",
    "none": "Nobody was asked",
}
_MARKS: Final = {"flagged": "Flagged for discussion", "skipped": "Given back, with a reason"}
ENTRIES_PAGE: Final = 50


@require_safe
@member_page
def item_list(request: MemberRequest, dataset_id: UUID) -> HttpResponse:
    """The items, newest first."""
    dataset = find_dataset(request, dataset_id)
    filters = read_filters(request.GET)
    owed = owed_items(request.membership)
    page = item_search.search_items(dataset, filters, request.GET.get("after", ""), owed=owed)
    hidden = owed_among(request.membership, [item.pk for item, _ in page.items])
    gists = list_gists(item.pk for item, _ in page.items)
    context = {
        "dataset": dataset,
        "tab": "items",
        "page": page,
        "rows": [
            (item, gists[item.pk], None, IN_PLACE)
            if item.pk in hidden
            else (item, gists[item.pk], label, item_search.name_label(label))
            for item, label in page.items
        ],
        "owed": IN_PLACE,
        "filters": filters,
        "is_narrowed": bool(_query_of(filters)),
        "is_later": bool(request.GET.get("after")),
        "first": _query_of(filters),
        "further": _query_of(filters, after=page.next_cursor),
        "choices": _choices_of(dataset, filters),
    }
    return render(request, "datasets/items.html", context)


@require_safe
@member_page
def item_page(request: MemberRequest, dataset_id: UUID, item_id: UUID) -> HttpResponse:
    """One item: the call in its conversation, its label with where it comes from, every answer, its versions."""
    item = find_item(request, dataset_id, item_id)
    answers = access.annotations_for(request.membership).filter(item=item, in_force=True)
    answers = answers.select_related("annotator__user", "campaign").order_by("campaign", "annotator__user__username")
    # Who still has to answer it in some campaign sees nobody's answer, and no label that rests on one.
    is_owed = owed_items(request.membership).filter(pk=item.pk).exists()
    answers = answers.none() if is_owed else answers
    judged = [row for row in answers if row.judgement]
    case = case_of_item(item)
    settled = item.adjudications.filter(in_force=True).select_related("adjudicator", "campaign")
    context = {
        "dataset": item.dataset,
        "item": item,
        "file": blind_case(case, opinions=[Answer.from_row(row).evidence for row in judged]),
        "is_owed": is_owed,
        "label": None if is_owed else gold_labels.labels_of([item])[item.pk],
        "answers": judged,
        "skips": [row for row in answers if row.skip_reason],
        "settled": settled.none() if is_owed else settled,
        "entries": item.entries.select_related("version").order_by("-version__number"),
        "unfold_at": reverse("dataset-item-source", args=[dataset_id, item_id]),
    }
    return render(request, "datasets/item.html", context)


@require_safe
@member_page
def unfold_item_source(request: MemberRequest, dataset_id: UUID, item_id: UUID) -> HttpResponse:
    """The next chunk of a text that the item's page folded."""
    address = reverse("dataset-item-source", args=[dataset_id, item_id])
    return render_unfolded(request, case_of_item(find_item(request, dataset_id, item_id)), address)


@require_safe
@member_page
def distributions_page(request: MemberRequest, dataset_id: UUID) -> HttpResponse:
    """What the dataset is made of."""
    dataset = find_dataset(request, dataset_id)
    measured = distributions.measure_distributions(dataset)
    context = {"dataset": dataset, "tab": "distributions", "count": measured.count, "measured": measured}
    return render(request, "datasets/distributions.html", context)


@require_safe
@member_page
def entry_list(request: MemberRequest, dataset_id: UUID, number: int) -> HttpResponse:
    """The entries of a version in their order, each leading to its call."""
    version = find_version(request, dataset_id, number)
    after, split = request.GET.get("after", ""), request.GET.get("split", "")[:40]
    # By the index over version and ordinal.
    entries = version.entries.filter(ordinal__gt=int(after[:9]) if after.isdecimal() else 0).select_related("item")
    if split:
        entries = entries.filter(split=split)
    rows = list(entries.defer("item__case").order_by("ordinal")[: ENTRIES_PAGE + 1])
    page_rows = rows[:ENTRIES_PAGE]
    hidden = owed_among(request.membership, [entry.item_id for entry in page_rows])
    gists = list_gists(entry.item_id for entry in page_rows)
    further = urlencode({"after": page_rows[-1].ordinal, "split": split}) if len(rows) > ENTRIES_PAGE else ""
    context = {
        "version": version,
        "rows": [
            (entry, gists[entry.item_id], None, IN_PLACE)
            if entry.item_id in hidden
            else (entry, gists[entry.item_id], entry.label, item_search.name_label(entry.label))
            for entry in page_rows
        ],
        "splits": version.splits,
        "split": split,
        "further": further,
    }
    return render(request, "datasets/entries.html", context)


def read_filters(query: QueryDict) -> ItemFilters:
    """The filters in the address; what is not understood is left out."""
    values = {name: read_text(query, name) for name in _NAMES}
    allowed = {"label": _LABELS, "method": gold_labels.METHODS, "mark": _MARKS, "origin": Origin.values}
    for name, choices in allowed.items():
        values[name] = values[name] if values[name] in choices else ""
    return ItemFilters(**values)


def _query_of(filters: ItemFilters, **changes: str) -> str:
    values = {name: getattr(filters, name) for name in _NAMES} | changes
    query = urlencode({name: value for name, value in values.items() if value})
    return f"?{query}" if query else ""


def _choices_of(dataset: Dataset, filters: ItemFilters) -> list[tuple[str, str, str, list[tuple[str, str]], str]]:
    """Name, label, what no choice means, the options and the one that is chosen."""
    latest = dataset.versions.filter(frozen_at__isnull=False).order_by("-number").first()
    splits = [(name, name) for name in latest.splits] if latest else []
    tools = [(tool, tool) for tool in distributions.list_tools(dataset)]
    if filters.tool and (filters.tool, filters.tool) not in tools:
        tools.append((filters.tool, filters.tool))
    sources = [(name, name) for name in distributions.list_sources(dataset)]
    return [
        ("tool", "Tool", "Any tool", tools, filters.tool),
        ("source", "Source", "Any source", sources, filters.source),
        ("origin", "Came in as", "Anything", [(value, str(words)) for value, words in Origin.choices], filters.origin),
        ("label", "Label", "Any label", list(_LABELS.items()), filters.label),
        ("method", "Agreement", "Any", [(name, name) for name in gold_labels.METHODS], filters.method),
        ("mark", "Marked", "Marked or not", list(_MARKS.items()), filters.mark),
        *([("split", "Split", "Any split", splits, filters.split)] if splits else []),
    ]
