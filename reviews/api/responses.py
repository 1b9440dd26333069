"""Pydantic models as HTTP answers, and what the OpenAPI document says about them."""

import hashlib
from collections.abc import Collection, Mapping
from typing import Any, Final

from django.http import HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from pydantic import BaseModel
from rest_framework.request import Request

from reviews.api import problems
from reviews.api.schemas import answers

# What each status means on this API, for the OpenAPI document: the same wherever it is answered.
_PROBLEMS: Mapping[int, str] = {
    400: "The body is not JSON, or a header cannot be used.",
    401: "The agent key is missing, wrong or revoked.",
    403: "The key has no right to it.",
    404: "There is no such thing, or it belongs to another agent.",
    406: "The `Accept` header names no media type of this answer.",
    409: "The state of the action does not allow it.",
    413: "The body is larger than the bound.",
    415: "The body is not announced as application/json, or encoded with something else than gzip.",
    422: "A field or parameter cannot be accepted; `errors` points at each.",
    429: "A budget of submissions is used up; `budget` names it, `Retry-After` says when to try again.",
    503: "The database cannot be reached; nothing was changed.",
}


def answer(
    payload: BaseModel,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    members: Collection[str] | None = None,
) -> HttpResponse:
    """The model as a JSON answer: all of it, or the members alone that are named; of a page, those of each item."""
    chosen: Any = None if members is None else set(members)
    if chosen is not None and "items" in type(payload).model_fields:
        chosen = dict.fromkeys(type(payload).model_fields, True) | {"items": {"__all__": chosen}}
    content = payload.model_dump_json(include=chosen)
    return HttpResponse(content, status=status, content_type="application/json", headers=headers)


def conditional(request: Request, full: HttpResponse, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """The answer with its `ETag`, or 304 when the caller holds it already."""
    etag = full["ETag"] = etag_of(full.content, full["Content-Type"].encode())
    # An action changes at any time and belongs to one workspace: a cache in between asks anew, or does not keep it.
    patch_cache_control(full, private=True, no_cache=True)
    response = get_conditional_response(request, etag=etag, response=full) or full
    # After the choice, so that a 304 carries them too: an agent that polls still needs to know when to come back.
    for name, value in (headers or {}).items():
        response[name] = value
    return response


def etag_of(content: bytes, content_type: bytes) -> str:
    """The name of this answer."""
    # A strong ETag: another media type of the same bytes is another representation.
    # 128 bits of the hash: no two answers share them by accident, and the header stays short.
    return f'"{hashlib.sha256(content + content_type).hexdigest()[:32]}"'


def documented(**models: tuple[type[BaseModel] | None, str]) -> dict[Any, OpenApiResponse]:
    """Responses for `extend_schema`: `ok_200=(Model, "when")`."""
    # Keyword arguments cannot be numbers, so each name ends in its status.
    return {int(name[-3:]): OpenApiResponse(model, when) for name, (model, when) in models.items()}


def refused(*statuses: int) -> dict[Any, OpenApiResponse]:
    """Problem responses for `extend_schema`; every endpoint may answer 401, 406 and 503."""
    return {
        (status, problems.CONTENT_TYPE): OpenApiResponse(answers.Problem, _PROBLEMS[status])
        for status in sorted({401, 406, 503, *statuses})
    }


def header(name: str, description: str, *, pattern: str = "") -> OpenApiParameter:
    """A request header for `extend_schema`; `pattern` matches the values that are not refused."""
    schema = {"type": "string", "pattern": pattern} if pattern else {"type": "string"}
    return OpenApiParameter(name, schema, OpenApiParameter.HEADER, description=description)


def read_headers(undecided: str) -> tuple[OpenApiParameter, ...]:
    """Headers of an endpoint that may be asked again until it has an answer; `undecided` says what for."""
    return (
        header("If-None-Match", "The `ETag` of an earlier answer."),
        answer_header("ETag", "Names this state.", 200, 304),
        answer_header("Retry-After", undecided, 200, 304),
    )


def answer_header(name: str, description: str, *statuses: int) -> OpenApiParameter:
    """A response header for `extend_schema`."""
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=description, response=list(statuses))


def replayed_header(*, created: bool) -> dict[str, str]:
    """The header of an answer to a repeated request, which has made nothing; none for the first."""
    return {} if created else {"Idempotency-Replayed": "true"}


RATE_LIMITS: Final = (
    answer_header("RateLimit", 'What is left of each budget, such as `"submissions-per-key";r=1180`.', 200, 202, 429),
    answer_header("RateLimit-Policy", "Each budget: `q` of it in `w` seconds, in units of `qu`.", 200, 202, 429),
    answer_header("Retry-After", "Seconds after which to try again.", 429),
)
"""Headers of what is counted against budgets."""
