"""Freeze a dataset as a version that never changes: its entries, splits and hashes, and how it differs from another."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from reviews import access, audit
from reviews.annotation import gold_labels
from reviews.annotation.gold_labels import Label
from reviews.annotation.owed_items import owed_items
from reviews.datasets import cards, loading, splits
from reviews.datasets.job_leases import LEASE
from reviews.errors import FieldProblem, InvalidError, VersionNumberError
from reviews.models import Dataset, DatasetItem, DatasetVersion, VersionEntry
from reviews.provenance.core.bounds import MAX_EXACT
from reviews.provenance.core.canonical import NotCanonicalError, content_digest
from reviews.records.cases import case_to_json
from reviews.records.dataset_items import case_of_item
from reviews.retention.dataset_erasure import chain_tombstone
from reviews.scheduling import broker

TASK: Final = "reviews.tasks.freeze_version"

# Two queries for the labels and one statement for the entries of so many items: a few megabytes at a time.
_BATCH: Final = 1_000
# Stands before the first version of a chain, as in the audit log.
GENESIS: Final = "0" * 64


def request_version(
    dataset: Dataset,
    *,
    shares: Mapping[str, float],
    seed: int = 0,
    number: int | None = None,
    by: access.Principal | None = None,
) -> DatasetVersion:
    """The next version of the dataset, which a worker then freezes. Raises `InvalidError`.

    While one is being frozen it is the one that is returned: two that begin at once would be the same. Who names the
    `number` may ask again: the version of this number, splits and seed is returned, however far it is. Any other than
    the next one raises `VersionNumberError`.
    """
    splits.check_shares(shares)
    with transaction.atomic():
        # Two requests at once get one after the other; the second finds the first one's version.
        dataset = Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
        if not dataset.items.filter(erased_at__isnull=True).exists():
            raise InvalidError(FieldProblem("/dataset", "There is nothing in this dataset yet."))
        last = dataset.versions.order_by("-number").first()
        if number is not None:
            same_version = dataset.versions.filter(number=number, splits=dict(shares), seed=seed).first()
            if same_version is not None:
                return same_version
            if last is not None and last.frozen_at is None:
                raise VersionNumberError(number, f"version {last.number} is still being frozen")
            if number != (last.number if last else 0) + 1:
                raise VersionNumberError(number, f"the next version is {(last.number if last else 0) + 1}")
        if last is None or last.frozen_at is not None:
            last = DatasetVersion.objects.create(
                dataset=dataset,
                number=last.number + 1 if last else 1,
                parent=last,
                seed=seed,
                splits=dict(shares),
                created_by=access.account_of(by),
            )
            subject = f"{dataset.name} {last.number}"
            audit.record(workspace=dataset.workspace, verb="dataset.version", subject=subject, by=by)
        version = last
        transaction.on_commit(lambda: broker.enqueue_task(TASK, version.pk), robust=True)
    return version


class _ErasedMeanwhileError(Exception):
    """An item was erased while a version with it was built."""


def freeze_version(version_id: UUID) -> DatasetVersion | None:
    """Build and freeze the version; one that is frozen stays as it is. None while another worker builds it.

    Everything in one transaction: a worker that dies leaves nothing half built. Built anew when one of its items was
    erased meanwhile: the erasure has not seen the version, and left nothing of the item to freeze.
    """
    while True:
        erased = _erased_beside(version_id)
        try:
            return _build_version(version_id)
        except Exception:
            # What is erased while it is read may be half gone, and is then anything but a case.
            if _erased_beside(version_id) == erased:
                raise


def _erased_beside(version_id: UUID) -> int:
    """How many items of the version's dataset were erased so far."""
    return DatasetItem.objects.filter(dataset__versions=version_id, erased_at__isnull=False).count()


def _build_version(version_id: UUID) -> DatasetVersion | None:
    """The version of `freeze_version`. Raises `_ErasedMeanwhileError`, and then has built nothing."""
    with transaction.atomic():
        # Whoever finds it locked has nothing to wait for.
        unlocked = DatasetVersion.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=version_id)
        version = unlocked.first()
        if version is None or version.frozen_at is not None:
            return version
        # Items that are added meanwhile belong to the next version.
        items = version.dataset.items.filter(erased_at__isnull=True, created_at__lte=timezone.now())
        last = items.order_by("-id").values_list("pk", flat=True).first()
        # None is left where all were erased since the version was asked for; it then holds nothing.
        items = items.filter(pk__lte=last).order_by("id") if last else items.none()
        split_of = splits.assign_splits(_iterate_strata(items), version.splits, seed=version.seed)
        # As does what was on its way, with an earlier key, while the conversations were divided.
        divided = ([row for row in batch if row[0].conversation in split_of] for batch in iterate_labelled(items))
        counts, content = cards.Counts(), hashlib.sha256()
        for ordinal, batch in _number_batches(divided):
            entries = [
                _build_entry(version, ordinal + at, *labelled_item, split_of) for at, labelled_item in enumerate(batch)
            ]
            loading.load_entries(entries)
            for (item, label), entry in zip(batch, entries, strict=True):
                counts.add_entry(item, label, entry.split)
                content.update(bytes.fromhex(entry.digest))
        version.content_hash = content.hexdigest()
        version.chain_hash = chain_version(version.parent, version.content_hash)
        version.card = cards.build_card(version, counts)
        version.frozen_at = timezone.now()
        version.save(update_fields=["content_hash", "chain_hash", "card", "frozen_at"])
        # From here on an erasure waits until it sees the version, for no longer than the commit takes.
        Dataset.objects.select_for_update(no_key=True).get(pk=version.dataset_id)
        if version.entries.filter(item__erased_at__isnull=False).exists():
            raise _ErasedMeanwhileError
    return version


def entry_digest(content: str, label: Label | None, split: str) -> str:
    """SHA-256 over what an entry says: the digest of the item's case, its label and its split.

    A label from before such numbers were refused may hold one that no double holds exactly: it counts as its digits.
    """
    try:
        return content_digest({"content": content, "label": label, "split": split})
    except NotCanonicalError:
        exact = json.loads(json.dumps(label), parse_int=_integer_or_digits)
        return content_digest({"content": content, "label": exact, "split": split})


def _integer_or_digits(digits: str) -> int | str:
    return int(digits) if abs(int(digits)) <= MAX_EXACT else digits


def content_digest_of_item(item: DatasetItem) -> str:
    """SHA-256 of the item's case."""
    # An imported item is known by this very digest; a recorded call by its action's key, and its case is built.
    return item.content_key if item.action_id is None else content_digest(case_to_json(case_of_item(item)))


def hash_content(digests: Iterable[str]) -> str:
    """SHA-256 over the digests of the entries in their order: what a version is cited by."""
    content = hashlib.sha256()
    for digest in digests:
        content.update(bytes.fromhex(digest))
    return content.hexdigest()


def chain_version(parent: DatasetVersion | None, content: str) -> str:
    """The chain's hash after a version with this content."""
    before = parent.chain_hash if parent else GENESIS
    return hashlib.sha256(f"{before}{content}".encode()).hexdigest()


def find_break(version: DatasetVersion) -> str:
    """What does not fit in a frozen version and its tombstones, as a sentence; empty when everything fits.

    An entry's label and its item's content are hashed anew, so that a change of either shows. What cannot be hashed
    hides no change of the others.
    """
    content, unhashed = hashlib.sha256(), []
    for entry in version.entries.select_related("item").order_by("ordinal").iterator(_BATCH):
        content.update(bytes.fromhex(entry.digest))
        if entry.erased_at is not None:
            continue
        try:
            # Of the case as it stands now, whatever the item's key says.
            hashed = content_digest(case_to_json(case_of_item(entry.item)))
            is_same = entry.digest == entry_digest(hashed, entry.label, entry.split)
        except NotCanonicalError:
            unhashed.append(entry.ordinal)
            continue
        if not is_same:
            return f"Entry {entry.ordinal} is not what was frozen."
    if content.hexdigest() != version.content_hash:
        return "The entries are not those that were frozen."
    if version.chain_hash != chain_version(version.parent, version.content_hash):
        return "The version does not follow the one before it."
    last = version.chain_hash
    for number, tombstone in enumerate(version.tombstones.select_related("entry").order_by("sequence"), start=1):
        last = chain_tombstone(last, tombstone.entry.digest, tombstone.reason, tombstone.at.isoformat())
        if tombstone.sequence != number or tombstone.chain_hash != last:
            return f"Tombstone {number} is not what was written."
    if version.entries.filter(erased_at__isnull=False, tombstone__isnull=True).exists():
        return "An entry was erased without a tombstone."
    return _say_unhashed(unhashed)


def _say_unhashed(ordinals: Sequence[int]) -> str:
    """Which entries cannot be verified, and why: datasets from before such numbers were refused may hold some."""
    if not ordinals:
        return ""
    entries = f"Entry {ordinals[0]}" if len(ordinals) == 1 else f"{len(ordinals)} entries, from entry {ordinals[0]} on,"
    return f"{entries} cannot be verified: no digest can be made of a number above 2^53. The others are as frozen."


@dataclass(frozen=True)
class Difference:
    """What a later version has that an earlier one has not, by items."""

    added: QuerySet[VersionEntry]
    """Entries of the later version whose item the earlier one does not hold."""
    removed: QuerySet[VersionEntry]
    """Entries of the earlier version whose item the later one does not hold."""
    changed: QuerySet[VersionEntry]
    """Entries of the later version that hold an item of the earlier one with another label or split."""


def compare_versions(
    earlier: DatasetVersion, later: DatasetVersion, *, asker: access.Principal | None = None
) -> Difference:
    """Compare two versions of one dataset. Raises `InvalidError` for those of two.

    That the label alone of an entry has changed says something about it: an `asker` who still owes an answer about the
    item is not told.
    """
    if earlier.dataset_id != later.dataset_id:
        raise InvalidError(FieldProblem("/against", "Only versions of one dataset can be compared."))
    # Both are read by the index over version and item.
    in_earlier = VersionEntry.objects.filter(version=earlier, item=OuterRef("item"))
    in_later = VersionEntry.objects.filter(version=later, item=OuterRef("item"))
    new, old = later.entries.select_related("item"), earlier.entries.select_related("item")
    changed = new.filter(Exists(in_earlier.filter(~Q(digest=OuterRef("digest")))))
    if asker is not None:
        changed = changed.exclude(Exists(in_earlier.filter(split=OuterRef("split"))), item__in=owed_items(asker))
    return Difference(added=new.filter(~Exists(in_earlier)), removed=old.filter(~Exists(in_later)), changed=changed)


def list_unfrozen_versions() -> Iterator[UUID]:
    """Versions that have waited for a worker for a minute."""
    long_ago = timezone.now() - LEASE
    return (
        DatasetVersion.objects.filter(frozen_at__isnull=True, created_at__lt=long_ago)
        .values_list("pk", flat=True)
        .iterator()
    )


def _iterate_strata(items: QuerySet[DatasetItem]) -> Iterator[tuple[str, str]]:
    """Each item's conversation with what must be as frequent in every split: the collection's group and the label."""
    for item, label in (labelled_item for batch in iterate_labelled(items) for labelled_item in batch):
        yield item.conversation, stratum_of(item, label)


def stratum_of(item: DatasetItem, label: Label | None) -> str:
    """The stratum that an item counts to: its label and the collection's group."""
    aligned = {True: "aligned", False: "misaligned"}.get(label["aligned"] if label else None, "unlabelled")  # type: ignore[arg-type]
    return f"{aligned}/{item.metadata.get('group', '')}"


def iterate_labelled(items: QuerySet[DatasetItem]) -> Iterator[list[tuple[DatasetItem, Label | None]]]:
    """The items in batches, each with its label, without their conversations."""
    batch: list[DatasetItem] = []
    for item in items.defer("case").iterator(_BATCH):
        batch.append(item)
        if len(batch) == _BATCH:
            yield _with_labels(batch)
            batch = []
    yield _with_labels(batch)


def _with_labels(items: Sequence[DatasetItem]) -> list[tuple[DatasetItem, Label | None]]:
    labels = gold_labels.labels_of(items)
    return [(item, labels[item.pk]) for item in items]


def _number_batches(
    batches: Iterable[list[tuple[DatasetItem, Label | None]]],
) -> Iterator[tuple[int, list[tuple[DatasetItem, Label | None]]]]:
    """Each batch with the ordinal of its first entry, from 1."""
    ordinal = 1
    for batch in batches:
        yield ordinal, batch
        ordinal += len(batch)


def _build_entry(
    version: DatasetVersion, ordinal: int, item: DatasetItem, label: Label | None, split_of: Mapping[str, str]
) -> VersionEntry:
    split = split_of[item.conversation]
    return VersionEntry(
        version=version,
        ordinal=ordinal,
        item=item,
        digest=entry_digest(content_digest_of_item(item), label, split),
        label=label,
        split=split,
    )
