"""Where an action comes from, as W3C PROV-JSON."""

from typing import Any, Final
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from pydantic import JsonValue, RootModel
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from reviews.api.responses import answer_header, conditional, documented, header, refused
from reviews.api.views.actions import find_action
from reviews.api.views.endpoint import Endpoint
from reviews.records import w3c_prov

# One argument value traced to the request, shortened from a real answer: the whole would hide the pattern.
EXAMPLE: Final[dict[str, Any]] = {
    "prefix": {
        "guard": "urn:uuid:ccee387a-fba9-52ad-aa92-2d3aab23b621#",
        "action": "urn:uuid:0198f0c2-5b7e-7c3a-9d41-6f2b8e1a4c55#",
    },
    "entity": {
        "action:value.1": {"guard:pointer": "/amount", "guard:json_type": "number", "prov:value": "30"},
        "action:span.1": {
            "guard:start": {"$": "5", "type": "xsd:int"},
            "guard:end": {"$": "8", "type": "xsd:int"},
            "prov:value": "$30",
        },
        "action:source.1": {"guard:source": "query", "guard:kind": "user_query"},
    },
    "wasDerivedFrom": {
        "_:id1": {
            "prov:generatedEntity": "action:value.1",
            "prov:usedEntity": "action:span.1",
            "guard:grounding": "normalize",
        },
        "_:id2": {
            "prov:generatedEntity": "action:span.1",
            "prov:usedEntity": "action:source.1",
            "prov:type": {"$": "prov:Quotation", "type": "xsd:QName"},
        },
    },
}


class ProvDocument(RootModel[dict[str, dict[str, JsonValue]]]):
    """A PROV document: statements by kind (`entity`, `activity`, `wasDerivedFrom`), each under its identifier.

    An argument value was derived from spans, a span was quoted from a source at these offsets, a verdict was derived
    from findings. What people, agents and tools wrote is an attribute's value, never an identifier.
    """


class ProvJson(BaseRenderer):
    """Names the media type to content negotiation; the view writes the document itself."""

    media_type = w3c_prov.MEDIA_TYPE
    format = "prov-json"


class ProvenanceView(Endpoint):
    """Where a proposed call comes from, and why it was judged as it was."""

    # The first is the default: a client that accepts anything gets the type the document really has.
    renderer_classes = [ProvJson, JSONRenderer]

    @extend_schema(
        operation_id="actions_provenance",
        summary="Read an action's provenance",
        parameters=[
            header("If-None-Match", "The `ETag` of an earlier answer."),
            answer_header("ETag", "Names this state of the document.", 200, 304),
        ],
        responses={
            (200, w3c_prov.MEDIA_TYPE): OpenApiResponse(
                ProvDocument, "W3C PROV-JSON.", [OpenApiExample("A value of the request", EXAMPLE)]
            ),
            (200, JSONRenderer.media_type): OpenApiResponse(ProvDocument, "The same document."),
            **documented(unchanged_304=(None, "Nothing changed since the ETag.")),
            **refused(404),
        },
    )
    def get(self, request: Request, action_id: UUID) -> HttpResponse:
        """What is known so far: the proposal, and each finished check and decision. `application/json` works too."""
        document = w3c_prov.prov_json(find_action(request, action_id))
        # Not by the renderers: the ETag has to be that of the very bytes.
        return conditional(request, HttpResponse(document, content_type=request.accepted_renderer.media_type))
