"""The export of labels: one JSON object a line, in the order they became visible, in constant memory."""

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from reviews import access
from reviews.api.authentication import caller
from reviews.api.docs.openapi import query_parameters
from reviews.api.responses import documented, refused
from reviews.api.schemas import answers
from reviews.api.schemas.query_params import LabelsQuery, read_query
from reviews.api.serializers.labels import label_line
from reviews.api.views.endpoint import Endpoint
from reviews.records import commit_order
from reviews.records.response_streams import stream_parts

CONTENT_TYPE = "application/jsonl"
# Some megabytes of lines: memory stays flat, a slow reader keeps no query open, and a million labels take two hundred.
_BATCH = 5000


class JsonLines(BaseRenderer):
    """Names the media type to content negotiation; the view writes the lines itself."""

    media_type = CONTENT_TYPE
    format = "jsonl"


class LabelsView(Endpoint):
    """The labels of the agent's calls, or of the whole workspace."""

    reads_query = frozenset({"GET"})

    renderer_classes = [JsonLines]

    @extend_schema(
        operation_id="labels_export",
        summary="Export the labels",
        tags=["labels"],
        parameters=query_parameters(LabelsQuery),
        responses={**documented(ok_200=(answers.Label, "One object a line, oldest first.")), **refused(422)},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Every label of the key's agent, streamed; go on later with `after`.

        A key that an administrator has allowed it reads those of the whole workspace.
        """
        query = read_query(LabelsQuery, request.query_params)
        labels = access.labels_for(caller(request))
        after = commit_order.position_of(query.after, labels, pointer="/after") if query.after else commit_order.START
        lines = commit_order.copy_lines(labels, label_line(), after=after, size=_BATCH)
        plain = request._request  # noqa: SLF001 - DRF offers no public way to it
        return stream_parts(plain, lines, content_type=CONTENT_TYPE)
