"""Datasets of ground truth: make them, freeze versions, read and export those.

Reading and exporting takes a key that may read all labels of its workspace, everything else one that manages them.
"""

from typing import Any, Final
from uuid import UUID

from django.core.handlers.asgi import ASGIRequest
from django.db.models import Count, QuerySet
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from reviews import access, models
from reviews.api.authentication import caller
from reviews.api.docs.openapi import query_parameters
from reviews.api.responses import answer, answer_header, documented, refused
from reviews.api.schemas import dataset_answers as answers
from reviews.api.schemas.query_params import DifferenceQuery, read_query
from reviews.api.views.endpoint import Endpoint
from reviews.datasets import curation, export_jobs, versions
from reviews.errors import found
from reviews.intake.wire.pydantic_errors import validate_model
from reviews.models import DatasetVersion, ExportJob, JobStatus, VersionEntry

# A workspace has some dozens; the answer is built in memory.
_MAX_DATASETS: Final = 500
# Of entries that are named in a difference; the counts are always whole.
_MAX_NAMED: Final = 100
CONTENT_TYPE: Final = "application/octet-stream"
# 31 bits, as the column has: a larger number is none of a version.
_MAX_NUMBER: Final = 2**31 - 1


class DatasetsView(Endpoint):
    """The workspace's datasets."""

    @extend_schema(
        operation_id="datasets_list",
        summary="List the datasets",
        tags=["datasets"],
        responses={**documented(ok_200=(answers.Datasets, "By name; none for a key without the right.")), **refused()},
    )
    def get(self, request: Request) -> HttpResponse:
        """Every dataset of ground truth, with its versions. A key needs the right to read all labels."""
        rows = _with_counts(access.datasets_for(caller(request)).order_by("name")[:_MAX_DATASETS])
        return answer(answers.Datasets(datasets=[_serialize_dataset(dataset) for dataset in rows]))

    @extend_schema(
        operation_id="datasets_create",
        summary="Make a dataset",
        tags=["datasets"],
        request=answers.DatasetRequest,
        parameters=[answer_header("Location", "Where the dataset is read.", 200)],
        responses={
            **documented(ok_200=(answers.Dataset, "The dataset of this name, made or found.")),
            **refused(400, 403, 413, 415, 422),
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """The dataset of this name, made when there is none. Sent again, it is the same dataset as it stands."""
        access.require_curator(caller(request))
        sent = validate_model(answers.DatasetRequest, request.data)
        dataset = curation.get_or_create_dataset(
            caller(request).workspace, sent.name, description=sent.description, by=caller(request)
        )
        where = reverse("api:dataset", args=[dataset.pk])
        return answer(
            _serialize_dataset(_with_counts(access.datasets_for(caller(request))).get(pk=dataset.pk)),
            200,
            {"Location": where},
        )


class DatasetView(Endpoint):
    """One dataset."""

    @extend_schema(
        operation_id="datasets_read",
        summary="Read a dataset",
        tags=["datasets"],
        responses={**documented(ok_200=(answers.Dataset, "The dataset.")), **refused(404)},
    )
    def get(self, request: Request, dataset_id: UUID) -> HttpResponse:
        """The dataset with its versions."""
        return answer(_serialize_dataset(dataset_of(request, dataset_id)))


class ItemsView(Endpoint):
    """Calls that come into a dataset from the workspace's own record."""

    @extend_schema(
        operation_id="dataset_items_add",
        summary="Add recorded calls",
        tags=["datasets"],
        request=answers.ItemsRequest,
        responses={
            **documented(ok_200=(answers.ItemsAdded, "How many were new.")),
            **refused(400, 403, 404, 413, 415, 422),
        },
    )
    def post(self, request: Request, dataset_id: UUID) -> HttpResponse:
        """Add the latest calls that people decided, or that were drawn for audit. A call comes in once."""
        dataset = dataset_to_change(request, dataset_id)
        sent = validate_model(answers.ItemsRequest, request.data)
        add = curation.add_decided_calls if sent.origin == "decided" else curation.add_audited_calls
        return answer(
            answers.ItemsAdded(added=add(dataset=dataset, by=caller(request), most=sent.most, tool=sent.tool))
        )


class VersionView(Endpoint):
    """One version."""

    @extend_schema(
        operation_id="dataset_versions_read",
        summary="Read a version's card",
        tags=["datasets"],
        responses={**documented(ok_200=(answers.Version, "The version.")), **refused(404)},
    )
    def get(self, request: Request, dataset_id: UUID, number: int) -> HttpResponse:
        """Hashes, splits, card, and what was erased since."""
        return answer(_serialize_version(_version_of(request, dataset_id, number)))

    @extend_schema(
        operation_id="dataset_versions_freeze",
        summary="Freeze a version",
        tags=["datasets"],
        request=answers.VersionRequest,
        parameters=[answer_header("Location", "Where the version is read.", 200, 202)],
        responses={
            **documented(
                frozen_200=(answers.Version, "It is frozen."),
                accepted_202=(answers.Version, "A worker freezes it; ask again until `frozen_at` is set."),
            ),
            **refused(400, 403, 404, 409, 413, 415, 422),
        },
    )
    def put(self, request: Request, dataset_id: UUID, number: int) -> HttpResponse:
        """Freeze what the dataset holds now as the version of this number, which must be the next one.

        Sent again with the same splits and seed, it is the same version and is not made anew.
        """
        dataset = dataset_to_change(request, dataset_id)
        sent = validate_model(answers.VersionRequest, request.data)
        version = versions.request_version(
            dataset, shares=sent.splits, seed=sent.seed, number=number, by=caller(request)
        )
        where = reverse("api:dataset-version", args=[dataset_id, number])
        return answer(_serialize_version(version), 202 if version.frozen_at is None else 200, {"Location": where})


class DifferenceView(Endpoint):
    """Two versions side by side."""

    reads_query = frozenset({"GET"})

    @extend_schema(
        operation_id="dataset_versions_diff",
        summary="Compare two versions",
        tags=["datasets"],
        parameters=query_parameters(DifferenceQuery),
        responses={**documented(ok_200=(answers.Difference, "What differs.")), **refused(404, 422)},
    )
    def get(self, request: Request, dataset_id: UUID, number: int) -> HttpResponse:
        """Entries that were added, removed, or have another label or split than in the version named by `against`."""
        against = read_query(DifferenceQuery, request.query_params).against
        earlier, later = (_version_of(request, dataset_id, wanted) for wanted in (against, number))
        difference = versions.compare_versions(earlier, later, asker=caller(request))
        parts = {name: _serialize_changes(getattr(difference, name)) for name in ("added", "removed", "changed")}
        return answer(answers.Difference(**parts))


class ExportsView(Endpoint):
    """Exports of a version."""

    @extend_schema(
        operation_id="dataset_exports_create",
        summary="Export a version",
        tags=["datasets"],
        request=answers.ExportRequest,
        parameters=[answer_header("Location", "Where the export is read.", 202)],
        responses={
            **documented(accepted_202=(answers.Export, "A worker writes the file; ask again until it is done.")),
            **refused(400, 403, 404, 413, 415, 422),
        },
    )
    def post(self, request: Request, dataset_id: UUID, number: int) -> HttpResponse:
        """Have the version written as JSON lines, CSV, Parquet, a Hugging Face folder (zip) or PROV-JSON.

        Refused while a campaign asks whoever issued the key about an entry whose label the file would tell them.
        """
        version = _version_of(request, dataset_id, number)
        sent = validate_model(answers.ExportRequest, request.data)
        job = _serialize_export(
            export_jobs.request_export(version, form=sent.format, redact=sent.redact, by=caller(request))
        )
        return answer(job, 202, {"Location": job.links.self})


class ExportView(Endpoint):
    """One export."""

    @extend_schema(
        operation_id="exports_read",
        summary="Read how far an export is",
        tags=["datasets"],
        responses={**documented(ok_200=(answers.Export, "The export.")), **refused(404)},
    )
    def get(self, request: Request, export_id: UUID) -> HttpResponse:
        """Its state and, once it is done, where the file is."""
        return answer(_serialize_export(_job_of(request, export_id)))


class AnyFile(BaseRenderer):
    """Names the media type to content negotiation; the view hands out the file itself."""

    media_type = CONTENT_TYPE
    format = "bin"


class ExportFileView(Endpoint):
    """The file of an export."""

    renderer_classes = [AnyFile]

    @extend_schema(
        operation_id="exports_file",
        summary="Download an export",
        tags=["datasets"],
        responses={(200, CONTENT_TYPE): {"type": "string", "format": "binary"}, **refused(403, 404)},
    )
    def get(self, request: Request, export_id: UUID) -> HttpResponseBase:
        """The file, streamed. After an erasure it is gone, and the version has to be exported again."""
        file, name = export_jobs.open_download(_job_of(request, export_id), caller(request))
        asynchronous = isinstance(request._request, ASGIRequest)  # noqa: SLF001 - DRF offers no public way to it
        parts = export_jobs.iterate_pieces_in_threads(file) if asynchronous else export_jobs.iterate_pieces(file)
        response = StreamingHttpResponse(parts, content_type=CONTENT_TYPE)
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response


def dataset_of(request: Request, dataset_id: UUID) -> Any:
    """The dataset with the count of its items. Raises `NotFoundError`."""
    return found(
        _with_counts(access.datasets_for(caller(request)).filter(pk=dataset_id)).first(),
        "dataset that this key may read",
    )


def dataset_to_change(request: Request, dataset_id: UUID) -> Any:
    """The same, for who may change it. Raises `NotFoundError`, and `ForbiddenError` for a key that may only read it."""
    dataset = dataset_of(request, dataset_id)
    access.require_curator(caller(request))
    return dataset


def _with_counts(rows: QuerySet[models.Dataset]) -> QuerySet[models.Dataset]:
    return rows.annotate(count=Count("items")).prefetch_related("versions")


def _serialize_dataset(dataset: Any) -> answers.Dataset:
    return answers.Dataset(
        id=dataset.pk,
        name=dataset.name,
        description=dataset.description,
        items=dataset.count,
        versions=[_serialize_summary(version) for version in dataset.versions.all()],
    )


def _serialize_summary(version: DatasetVersion) -> answers.VersionSummary:
    return answers.VersionSummary(
        number=version.number,
        frozen_at=version.frozen_at,
        content_hash=version.content_hash,
        chain_hash=version.chain_hash,
    )


def _serialize_version(version: DatasetVersion) -> answers.Version:
    return answers.Version(
        **_serialize_summary(version).model_dump(),
        dataset_id=version.dataset_id,
        parent=version.parent.number if version.parent else None,
        seed=version.seed,
        splits=version.splits,
        card=version.card,
        tombstones=[
            answers.Tombstone(
                ordinal=tombstone.entry.ordinal,
                digest=tombstone.entry.digest,
                reason=tombstone.reason,
                at=tombstone.at,
                chain_hash=tombstone.chain_hash,
            )
            for tombstone in version.tombstones.select_related("entry").order_by("sequence")
        ],
    )


def _version_of(request: Request, dataset_id: UUID, number: int) -> DatasetVersion:
    """Raises `NotFoundError`."""
    versions = access.dataset_versions_for(caller(request)).filter(dataset=dataset_id)
    return found(
        versions.filter(number=number).first() if number <= _MAX_NUMBER else None, "version that this key may read"
    )


def _job_of(request: Request, export_id: UUID) -> ExportJob:
    """Raises `NotFoundError`."""
    return found(access.export_jobs_for(caller(request)).filter(pk=export_id).first(), "export that this key may read")


def _serialize_changes(entries: QuerySet[VersionEntry]) -> answers.Changes:
    first = [
        answers.EntryName(
            ordinal=entry.ordinal, id=str(entry.item.metadata.get("id", entry.item_id)), digest=entry.digest
        )
        for entry in entries.defer("item__case").order_by("ordinal")[:_MAX_NAMED]
    ]
    return answers.Changes(count=entries.count(), first=first)


def _serialize_export(job: ExportJob) -> answers.Export:
    done = job.status == JobStatus.DONE
    return answers.Export(
        id=job.pk,
        status=JobStatus(job.status),
        format=job.format,
        redact=job.options["redact"],
        done=job.done,
        total=job.total,
        size=job.size,
        sha256=job.content_hash,
        failure=job.failure,
        links=answers.ExportLinks(
            self=reverse("api:export", args=[job.pk]),
            file=reverse("api:export-file", args=[job.pk]) if done else None,
        ),
    )
