"""The export of labels: one JSON object a line, in the order they were given, in constant memory."""

from collections.abc import AsyncIterator, Iterator
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db.models import QuerySet
from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from reviews import access, models
from reviews.api.authentication import caller
from reviews.api.docs.openapi import query_parameters
from reviews.api.responses import documented, refused
from reviews.api.schemas import answers
from reviews.api.schemas.query_params import LabelsQuery, read_query
from reviews.api.serializers.labels import label

CONTENT_TYPE = "application/jsonl"
# Some hundred kilobytes of lines: memory stays flat, and a million labels take two thousand short queries.
_BATCH = 500
# Before every id: labels have time-ordered ones (UUIDv7), so that "after" means "given later".
_FIRST = UUID(int=0)


class JsonLines(BaseRenderer):
    """Names the media type to content negotiation; the view writes the lines itself."""

    media_type = CONTENT_TYPE
    format = "jsonl"


class LabelsView(APIView):
    """The workspace's labels."""

    renderer_classes = [JsonLines]

    @extend_schema(
        operation_id="labels_export",
        summary="Export the labels",
        tags=["labels"],
        parameters=query_parameters(LabelsQuery),
        responses={**documented(ok_200=(answers.Label, "One object a line, oldest first.")), **refused(422)},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Every label of the workspace, streamed; go on later with `after`."""
        query = read_query(LabelsQuery, request.query_params)
        related = ("action__trace__query", "action__tool_set", "labeller", "decision", "interpretation")
        # The texts stay behind: a line names them by hash.
        labels = (
            access.labels_for(caller(request))
            .select_related(*related)
            .defer("action__trace__query__body", "action__tool_set__tools")
        )
        lines = _batches(labels.order_by("id"), query.after or _FIRST)
        asynchronous = isinstance(request._request, ASGIRequest)  # noqa: SLF001 - DRF offers no public way to it
        return StreamingHttpResponse(_in_threads(lines) if asynchronous else lines, content_type=CONTENT_TYPE)


def _batches(labels: QuerySet[models.Label], after: UUID) -> Iterator[bytes]:
    """Lines in batches, each read by a short query of its own: a slow reader keeps no cursor open."""
    while rows := list(labels.filter(id__gt=after)[:_BATCH]):
        yield "".join(f"{label(row).model_dump_json()}\n" for row in rows).encode()
        after = rows[-1].pk


async def _in_threads(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    # Given a plain iterator, Django's ASGI handler would first collect all of it.
    following = sync_to_async(lambda: next(parts, None))
    while (part := await following()) is not None:
        yield part
