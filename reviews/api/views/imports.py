"""Load collections into datasets, with a key that manages ground truth."""

from typing import IO, Final, cast
from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from reviews import access
from reviews.api import rate_limits
from reviews.api.authentication import caller
from reviews.api.docs.openapi import query_parameters
from reviews.api.parsers import ArchiveParser, JsonLinesParser
from reviews.api.responses import RATE_LIMITS, answer, answer_header, documented, refused
from reviews.api.schemas import dataset_answers as answers
from reviews.api.schemas.query_params import ImportQuery, read_query
from reviews.api.views.datasets import dataset_to_change
from reviews.api.views.endpoint import Endpoint
from reviews.datasets import imports, mappings
from reviews.errors import FieldProblem, InvalidError, found
from reviews.evaluation.file_formats.mapped_table import ColumnMapping
from reviews.models import ImportJob, JobStatus

_FILE: Final = {"type": "string", "format": "binary", "minLength": 1}


class ImportsView(Endpoint):
    """Files that come into a dataset."""

    reads_query = frozenset({"POST"})
    parser_classes = [JsonLinesParser, ArchiveParser]

    @extend_schema(
        operation_id="dataset_imports_create",
        summary="Import a collection",
        tags=["datasets"],
        request={"application/jsonl": _FILE, "application/zip": _FILE},
        parameters=[
            *query_parameters(ImportQuery),
            answer_header("Location", "Where the import is read.", 202),
            *RATE_LIMITS,
        ],
        responses={
            **documented(accepted_202=(answers.Import, "A worker loads it; ask again until it is over.")),
            **refused(400, 403, 404, 413, 415, 422, 429),
        },
    )
    def post(self, request: Request, dataset_id: UUID) -> HttpResponse:
        """Load a file of JSON lines, or a folder as a zip file, into the dataset.

        The same file sent again is the same import, unless that one failed; the same call is loaded once, from however
        many files. So a collection that is larger than a body may be is sent in parts, or packed with gzip
        (`Content-Encoding: gzip`). With the reader `table` it is a CSV or JSON of any shape: read as the columns of
        an earlier such file were explained on the page of datasets, and a draft that waits there where none was.
        """
        dataset = dataset_to_change(request, dataset_id)
        query = read_query(ImportQuery, request.query_params)
        # Loading costs a worker minutes, as a submission costs it checks.
        rate_limits.spend_submission(caller(request))
        self.headers |= rate_limits.rate_limit_headers(caller(request))
        # Django REST framework shows an empty body to no parser.
        if isinstance(request.data, dict):
            raise InvalidError(FieldProblem("", "Send the file as the body; this one is empty."))
        # What the parsers above make of the body.
        with cast(IO[bytes], request.data) as content:
            job = imports.receive_upload(
                dataset, content, reader=query.reader, licence=query.licence, by=caller(request)
            )
        if job.status == JobStatus.DRAFT and not job.mapping["is_guess"]:
            mappings.begin_import(job, ColumnMapping.from_json(job.mapping["fields"]), by=caller(request))
            job.refresh_from_db()
        payload = _serialize_import(job)
        return answer(payload, 202, {"Location": payload.links.self})


class ImportView(Endpoint):
    """One import."""

    @extend_schema(
        operation_id="imports_read",
        summary="Read how far an import is",
        tags=["datasets"],
        responses={**documented(ok_200=(answers.Import, "The import.")), **refused(404)},
    )
    def get(self, request: Request, import_id: UUID) -> HttpResponse:
        """What was loaded, and why what was not."""
        job = found(
            access.import_jobs_for(caller(request)).filter(pk=import_id).first(), "import that this key may read"
        )
        return answer(_serialize_import(job))


def _serialize_import(job: ImportJob) -> answers.Import:
    return answers.Import(
        id=job.pk,
        status=JobStatus(job.status),
        reader=job.reader,
        done=job.done,
        total=job.total,
        loaded=job.loaded,
        repeated=job.repeated,
        rejected=job.rejected,
        failure=job.failure,
        problems=[answers.ImportProblem(line=problem.line, reason=problem.reason) for problem in job.problems.all()],
        links=answers.ImportLinks(
            self=reverse("api:import", args=[job.pk]), dataset=reverse("api:dataset", args=[job.dataset_id])
        ),
    )
