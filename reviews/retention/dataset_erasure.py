"""Remove what a person asked to have removed from datasets; frozen versions keep its digest and say that it is gone."""

from collections.abc import Collection, Iterable
from typing import Any, Final
from uuid import UUID

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from reviews.models import (
    Adjudication,
    Annotation,
    Dataset,
    DatasetItem,
    DatasetVersion,
    Draft,
    ExperimentArm,
    ExperimentVerdict,
    ExportJob,
    JobStatus,
    Tombstone,
    Trace,
    VersionEntry,
)
from reviews.provenance.core.canonical import content_digest

FILE_DELETED: Final = "The file was deleted because an entry was erased on request. Export the version again."


def erase_items_of(trace: Trace, *, reason: str) -> int:
    """Erase every item that speaks of a call of this conversation, in all revisions of its past. Returns how many.

    For whoever deletes the conversation itself: afterwards no dataset refers to its actions. One transaction with the
    caller's. The audit entry is the caller's, too.
    """
    calls = DatasetItem.objects.filter(
        dataset__workspace=trace.workspace_id,
        action__trace__agent=trace.agent_id,
        action__trace__external_id=trace.external_id,
    )
    return erase_items(calls.values_list("pk", flat=True), reason=reason)


@transaction.atomic
def erase_items(items: Iterable[UUID], *, reason: str) -> int:
    """Erase these items: their content, and what people and detectors quoted or wrote about them.

    Returns how many there were. What an item was judged to be stays with its annotations and with the verdicts of
    experiments, since it says nothing about anyone. Labels of frozen versions go, and each version gets a tombstone.
    Files exported from such versions are deleted.
    """
    keys = list(items)
    # Before it is looked which versions there are: one that is being frozen is either seen below, or sees the erasure.
    datasets = Dataset.objects.filter(items__in=keys).values("pk")
    list(Dataset.objects.select_for_update(no_key=True).filter(pk__in=datasets).order_by("pk"))
    versions = DatasetVersion.objects.filter(entries__item__in=keys, entries__erased_at__isnull=True).distinct()
    # In one order, as every lock of several rows: two erasures of the same version wait for each other.
    for version_id in sorted(versions.values_list("pk", flat=True)):
        version = DatasetVersion.objects.select_for_update(no_key=True).get(pk=version_id)
        for entry in version.entries.filter(item__in=keys, erased_at__isnull=True).order_by("ordinal"):
            _bury_entry(version, entry, reason)
        _delete_exports(version)
    open_items = DatasetItem.objects.filter(pk__in=keys, erased_at__isnull=True)
    for item in open_items:
        item.action = item.case = item.given_label = None
        # The conversation's own name may be a person's.
        item.conversation, item.metadata, item.erased_at = f"erased-{item.content_key[:16]}", {}, timezone.now()
        item.save(update_fields=["action", "case", "given_label", "conversation", "metadata", "erased_at"])
    _forget_what_was_said(keys, reason)
    return len(keys)


def _forget_what_was_said(items: Collection[UUID], reason: str) -> None:
    """Empty what annotators, managers and detectors wrote about these items; what they decided stays."""
    emptied: dict[str, Any] = {
        "evidence": [], "note": "", "interpretations": [], "corrected_tool": "", "corrected_arguments": None
    }  # fmt: skip
    annotations = Annotation.objects.filter(item__in=items)
    annotations.update(**emptied, custom={})
    # Why somebody gave it back, or settled a label, may quote what it was about; neither row is one without a reason.
    longest = Annotation._meta.get_field("skip_reason").max_length
    annotations.exclude(skip_reason="").update(skip_reason=reason[:longest])
    Adjudication.objects.filter(item__in=items).update(**emptied, reason=reason)
    # Verdicts on recorded calls go with the calls themselves.
    ExperimentVerdict.objects.filter(entry__item__in=items).update(reason="", stages=None, rules=[])
    forget_figures(ExperimentArm.objects.filter(verdicts__entry__item__in=items))
    Draft.objects.filter(item__in=items).delete()


def forget_figures(arms: QuerySet[ExperimentArm]) -> None:
    """Let what was counted of these arms be counted anew, without what is erased (`lab.experiment_worker`)."""
    distinct_arms = ExperimentArm.objects.filter(pk__in=list(arms.values_list("pk", flat=True).distinct()))
    # In one order, and behind whoever counts at the moment.
    keys = list(distinct_arms.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
    ExperimentArm.objects.filter(pk__in=keys).update(figures={})


def _bury_entry(version: DatasetVersion, entry: VersionEntry, reason: str) -> None:
    last = version.tombstones.order_by("-sequence").first()
    at = timezone.now()
    VersionEntry.objects.filter(pk=entry.pk).update(label=None, erased_at=at)
    Tombstone.objects.create(
        version=version,
        sequence=last.sequence + 1 if last else 1,
        entry=entry,
        reason=reason,
        at=at,
        chain_hash=chain_tombstone(
            last.chain_hash if last else version.chain_hash, entry.digest, reason, at.isoformat()
        ),
    )


def chain_tombstone(before: str, digest: str, reason: str, at: str) -> str:
    """The chain's hash after a tombstone."""
    return content_digest({"before": before, "entry": digest, "reason": reason, "at": at})


def _delete_exports(version: DatasetVersion) -> None:
    """Files that still hold what was erased; once the erasure stands, since a file does not come back.

    From then on none is handed out, also where the process is killed before it deletes them.
    """
    exports = ExportJob.objects.filter(version=version).exclude(file="")
    names = list(exports.values_list("file", flat=True))
    exports.filter(status=JobStatus.DONE).update(status=JobStatus.CANCELLED, failure=FILE_DELETED)
    for name in names:
        transaction.on_commit(lambda name=name: default_storage.delete(name), robust=True)  # type: ignore[misc]
