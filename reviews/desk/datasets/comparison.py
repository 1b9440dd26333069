"""Two versions of a dataset side by side: what came in, what went, what has another label or split."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reviews.annotation.owed_items import IN_PLACE, owed_among
from reviews.datasets import versions
from reviews.datasets.item_search import name_label
from reviews.desk.datasets.lookups import find_version
from reviews.desk.membership import MemberRequest, member_page
from reviews.models import DatasetVersion, VersionEntry

# Of each kind of change; the counts are always whole.
MAX_LISTED: Final = 100


@dataclass(frozen=True)
class Change:
    """One entry that differs."""

    entry: VersionEntry
    before: str
    """What the label said, with the split; empty for an entry that came in."""
    after: str
    """The same of the later version; empty for an entry that went."""


@require_safe
@member_page
def comparison_page(request: MemberRequest, dataset_id: UUID, number: int) -> HttpResponse:
    """The version against the one that `against` names, by default the one before it."""
    later = find_version(request, dataset_id, number)
    earlier = _earlier_of(request, later)
    difference = versions.compare_versions(earlier, later, asker=request.membership)
    labels_before = {
        entry.item_id: entry
        for entry in earlier.entries.filter(item__in=difference.changed.order_by("ordinal").values("item")[:MAX_LISTED])
    }
    added, removed, changed = map(_first_of, (difference.added, difference.removed, difference.changed))
    say = _Words(owed_among(request.membership, [entry.item_id for entry in (*added, *removed, *changed)]))
    listed = {
        "Added": [Change(entry, "", say(entry)) for entry in added],
        "Removed": [Change(entry, say(entry), "") for entry in removed],
        "Changed": [Change(entry, say(labels_before[entry.item_id]), say(entry)) for entry in changed],
    }
    counts = {"Added": difference.added, "Removed": difference.removed, "Changed": difference.changed}
    context = {
        "earlier": earlier,
        "later": later,
        "parts": [(name, counts[name].count(), changes) for name, changes in listed.items()],
        "others": later.dataset.versions.filter(frozen_at__isnull=False).exclude(pk=later.pk).order_by("number"),
        "most": MAX_LISTED,
    }
    return render(request, "datasets/comparison.html", context)


def _earlier_of(request: MemberRequest, later: DatasetVersion) -> DatasetVersion:
    against = request.GET.get("against", "")
    if against.isdecimal():
        return find_version(request, later.dataset_id, int(against[:9]))
    if later.parent is None:
        raise Http404("There is no version before the first.")
    return later.parent


def _first_of(entries: QuerySet[VersionEntry]) -> list[VersionEntry]:
    return list(entries.defer("item__case").order_by("ordinal")[:MAX_LISTED])


@dataclass(frozen=True)
class _Words:
    """What a label says, how it came about and the split, as one line."""

    owed: Collection[UUID]
    """Items of which only the split is told: whoever asks still has to answer them."""

    def __call__(self, entry: VersionEntry) -> str:
        if entry.item_id in self.owed:
            return " ".join(filter(None, [IN_PLACE, entry.split]))
        label = entry.label or {}
        parts = [name_label(entry.label), str(label.get("misalignment") or ""), f"({label.get('method', 'no label')})"]
        return " ".join(filter(None, [*parts, entry.split]))
