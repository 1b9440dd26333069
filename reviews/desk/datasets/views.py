"""Datasets of ground truth: import, freeze, look at a version's card, export. For those who run campaigns."""

from typing import Final, cast
from uuid import UUID

from django.contrib import messages
from django.core.handlers.asgi import ASGIRequest
from django.db import transaction
from django.db.models import Count, OuterRef
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from reviews import access
from reviews.annotation.owed_items import owed_entries
from reviews.datasets import (
    curation,
    distributions,
    export_jobs,
    file_shapes,
    freeze_preview,
    import_summary,
    imports,
    versions,
)
from reviews.datasets.distributions import bars_of_counts
from reviews.datasets.reader_registry import title_of
from reviews.desk.actions.filters import ActionFilters
from reviews.desk.actions.search import select_actions
from reviews.desk.datasets.forms import ExportForm, FreezeForm, ImportForm, NewDatasetForm
from reviews.desk.datasets.lookups import find_dataset, find_version
from reviews.desk.membership import MemberRequest, member_page
from reviews.errors import InvalidError, found
from reviews.models import Dataset, DatasetVersion, ImportJob, JobStatus, Membership
from reviews.retention.pii_redaction import KINDS

# A page lists what somebody may still look for; older jobs stay in the database.
_MAX_JOBS: Final = 10
_MAX_DATASETS: Final = 200
# Hashed anew within a few seconds; more is for the shell, where nobody waits for a page.
_MAX_VERIFIED: Final = 10_000
# Whoever wants to read every reason finds them in the audit log.
_MAX_TOMBSTONES: Final = 50


@require_safe
@member_page
def dataset_list(request: MemberRequest) -> HttpResponse:
    """Every dataset, and the form for another import."""
    return _render_list(request, ImportForm())


@require_POST
@member_page
def upload_file(request: MemberRequest) -> HttpResponse:
    """Take a collection; a worker loads it."""
    membership = request.membership
    access.require(membership, access.Permission.ADMINISTER)
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _render_list(request, form, status=422)
    sent = form.cleaned_data
    shape = file_shapes.recognise_file(sent["file"])
    try:
        reader = sent["reader"] or file_shapes.propose_reader(shape)
        file_shapes.check_shape(reader, shape)
    except InvalidError as error:
        form.refuse(error)
        return _render_list(request, form, status=422)
    try:
        # Of a file that is refused no dataset is left either.
        with transaction.atomic():
            dataset = curation.get_or_create_dataset(membership.workspace, sent["dataset"], by=membership)
            job = imports.receive_upload(
                dataset, sent["file"], reader=reader, licence=sent["licence"], file_name=sent["file"].name or "",
                by=membership,
            )  # fmt: skip
    except InvalidError as error:
        form.refuse(error)
        return _render_list(request, form, status=422)
    if job.status == JobStatus.DRAFT:
        messages.info(request, f"This is {shape.kind}. Say what its columns hold, and it is loaded.")
        return redirect("dataset-mapping", job.pk)
    title = title_of(reader)
    messages.success(
        request, f"The import has begun, read as “{title}”. Bad records are listed here; the rest is loaded."
    )
    return redirect("dataset", dataset.pk)


@require_POST
@member_page
def create_dataset(request: MemberRequest) -> HttpResponse:
    """A dataset of this name, with calls of the workspace's own record."""
    membership = request.membership
    access.require(membership, access.Permission.ADMINISTER)
    form = NewDatasetForm(request.POST, membership=membership)
    if not form.is_valid():
        return _render_list(request, ImportForm(), form, status=422)
    try:
        dataset, added = _make_dataset(form, membership)
    except InvalidError as error:
        form.refuse(error)
        return _render_list(request, ImportForm(), form, status=422)
    messages.success(request, f"{dataset.name} is there, with {added} call{'' if added == 1 else 's'}.")
    return redirect("dataset-items", dataset.pk)


@transaction.atomic
def _make_dataset(form: NewDatasetForm, membership: Membership) -> tuple[Dataset, int]:
    """The dataset and how many calls it holds: both or neither."""
    sent = form.cleaned_data
    dataset = curation.create_dataset(by=membership, name=sent["name"])
    query = form.query_of_source()
    if query is not None:
        actions = select_actions(membership, ActionFilters.of(QueryDict(query)), most=sent["most"])
        return dataset, curation.add_chosen_calls(dataset=dataset, by=membership, actions=actions)
    if sent["source"] == "decided":
        return dataset, curation.add_decided_calls(dataset=dataset, by=membership, most=sent["most"])
    if sent["source"] == "audit":
        return dataset, curation.add_audited_calls(dataset=dataset, by=membership, most=sent["most"])
    return dataset, 0


@require_safe
@member_page
def dataset_page(request: MemberRequest, dataset_id: UUID) -> HttpResponse:
    """One dataset: its imports, its versions, the form to freeze another."""
    return _render_version(request, find_dataset(request, dataset_id), FreezeForm())


@require_safe
@member_page
def list_import_jobs(request: MemberRequest, dataset_id: UUID) -> HttpResponse:
    """How far imports and freezing are: what the open page asks for while something runs."""
    dataset = find_dataset(request, dataset_id)
    return render(request, "datasets/jobs.html", {**_import_jobs(request, dataset), "again": True})


@require_POST
@member_page
def freeze_version(request: MemberRequest, dataset_id: UUID) -> HttpResponse:
    """Ask for a version; one that would lack labels or a split is first shown, and asked for a second time."""
    dataset, form = find_dataset(request, dataset_id), FreezeForm(request.POST)
    if form.is_valid():
        try:
            sent = form.cleaned_data
            preview = freeze_preview.preview_version(dataset, sent["splits"], seed=sent["seed"])
            if request.POST.get("do") == "preview" or (preview.needs_confirmation and not form.confirms(preview)):
                return _render_version(request, dataset, form, preview=preview)
            versions.request_version(dataset, shares=sent["splits"], seed=sent["seed"], by=request.membership)
        except InvalidError as error:
            form.add_error("splits", error.errors[0].message)
    if not form.is_valid():
        return _render_version(request, dataset, form, status=422)
    messages.success(request, "The version is being frozen.")
    return redirect("dataset", dataset.pk)


@require_safe
@member_page
def version_page(request: MemberRequest, dataset_id: UUID, number: int) -> HttpResponse:
    """One version: its card, what changed, its export_jobs."""
    return _version_page(request, find_version(request, dataset_id, number), ExportForm())


@require_POST
@member_page
def export_version(request: MemberRequest, dataset_id: UUID, number: int) -> HttpResponse:
    """Ask for a file of the version."""
    version, form = find_version(request, dataset_id, number), ExportForm(request.POST)
    if not form.is_valid():
        return _version_page(request, version, form, status=422)
    sent = form.cleaned_data
    export_jobs.request_export(version, form=sent["format"], redact=sent["redact"], by=request.membership)
    messages.success(request, "The file is being written. Its link appears below.")
    return redirect("dataset-version", version.dataset_id, version.number)


@require_safe
@member_page
def list_exports(request: MemberRequest, dataset_id: UUID, number: int) -> HttpResponse:
    """How far the exports of a version are."""
    version = find_version(request, dataset_id, number)
    return render(request, "datasets/exports.html", _export_jobs(request, version))


@require_safe
@member_page
def verify_version(request: MemberRequest, dataset_id: UUID, number: int) -> HttpResponse:
    """Whether the version is still what was frozen, found by hashing it anew."""
    version = find_version(request, dataset_id, number)
    context: dict[str, object] = {"most": _MAX_VERIFIED}
    if version.entries.count() <= _MAX_VERIFIED:
        context |= {"verified": True, "broken": versions.find_break(version)}
    return render(request, "datasets/verification.html", context)


@require_safe
@member_page
def preview_redaction(request: MemberRequest, dataset_id: UUID, number: int) -> HttpResponse:
    """What the kinds that are ticked would replace."""
    version = find_version(request, dataset_id, number)
    preview = export_jobs.preview_redaction(version, [kind for kind in request.GET.getlist("redact") if kind in KINDS])
    counts = [(KINDS[name].title, count) for name, count in preview.replaced.items()] if preview else []
    return render(request, "datasets/preview.html", {"preview": preview, "counts": counts})


@require_safe
@member_page
def download_export(request: MemberRequest, export_id: UUID) -> HttpResponse:
    """The file of an export."""
    job = found(access.export_jobs_for(request.membership).filter(pk=export_id).first(), "export")
    file, name = export_jobs.open_download(job, request.membership)
    asynchronous = isinstance(cast(HttpRequest, request), ASGIRequest)
    parts = export_jobs.iterate_pieces_in_threads(file) if asynchronous else export_jobs.iterate_pieces(file)
    response = StreamingHttpResponse(parts, content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return cast(HttpResponse, response)


def _render_list(
    request: MemberRequest, form: ImportForm, new_form: NewDatasetForm | None = None, status: int = 200
) -> HttpResponse:
    drafts = ImportJob.objects.filter(dataset=OuterRef("pk"), status=JobStatus.DRAFT).order_by("-created_at")
    every = access.datasets_for(request.membership)
    datasets = every.annotate(frozen=Count("versions"), draft=drafts.values("pk")[:1])[:_MAX_DATASETS]
    context = {
        "rows": [(dataset, distributions.count_items(dataset)) for dataset in datasets],
        "form": form,
        "new_form": new_form or NewDatasetForm(membership=request.membership, initial=_filters_in(request)),
    }
    return render(request, "datasets/datasets.html", context, status=status)


def _filters_in(request: MemberRequest) -> dict[str, str]:
    """What the form for a new dataset opens with: the filters of the page of actions that led here."""
    query = request.GET.urlencode() if request.method == "GET" else ""
    return {"query": query, "source": "filters"} if query else {}


def _render_version(
    request: MemberRequest,
    dataset: Dataset,
    form: FreezeForm,
    status: int = 200,
    preview: freeze_preview.FreezePreview | None = None,
) -> HttpResponse:
    context = {**_import_jobs(request, dataset), "form": form, "preview": preview}
    return render(request, "datasets/dataset.html", context, status=status)


def _import_jobs(request: MemberRequest, dataset: Dataset) -> dict[str, object]:
    running = access.import_jobs_for(request.membership).filter(dataset=dataset).order_by("-created_at")[:_MAX_JOBS]
    rows = [(job, import_summary.summarize_import(job), title_of(job.reader)) for job in running]
    frozen = list(access.dataset_versions_for(request.membership).filter(dataset=dataset).order_by("-number"))
    waits = any(job.status in (JobStatus.QUEUED, JobStatus.RUNNING) for job, *_ in rows) or any(
        version.frozen_at is None for version in frozen
    )
    count = distributions.count_items(dataset)
    return {"dataset": dataset, "tab": "overview", "imports": rows, "versions": frozen, "waits": waits, "count": count}


def _version_page(request: MemberRequest, version: DatasetVersion, form: ExportForm, status: int = 200) -> HttpResponse:
    facts = ("labels", "methods", "origins", "sources", "licences", "misalignment_types", "tools")
    total = version.card.get("items", 0)
    splits = {name: sum(labels.values()) for name, labels in version.card.get("splits", {}).items()}
    counted = {name.replace("_", " "): version.card.get(name) or {} for name in facts} | {"splits": splits}
    bars = {name: bars_of_counts(counts, total) for name, counts in counted.items() if counts}
    context = {
        **_export_jobs(request, version),
        "form": form,
        "total": total,
        "bars": bars,
        "agreement": version.card.get("agreement", ()),
        "erased": version.tombstones.count(),
        "tombstones": version.tombstones.select_related("entry").order_by("-sequence")[:_MAX_TOMBSTONES],
    }
    return render(request, "datasets/version.html", context, status=status)


def _export_jobs(request: MemberRequest, version: DatasetVersion) -> dict[str, object]:
    newest = access.export_jobs_for(request.membership).filter(version=version).order_by("-created_at")[:_MAX_JOBS]
    return {
        "version": version,
        "exports": newest,
        "waits": any(job.finished_at is None for job in newest),
        "owed": owed_entries(request.membership, version).count(),
    }
