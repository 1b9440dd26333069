"""Every refusal of the API as RFC 9457 problem details."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import OperationalError
from django.http import Http404, HttpResponse, JsonResponse
from django.http.request import UnreadablePostError
from rest_framework import exceptions

from reviews.errors import ContendedError, FieldProblem, InvalidError, ReviewError
from reviews.models.base import current_request_id
from reviews.records.transactions import is_away, is_conflict


class UnreadableBodyError(ReviewError, problem="unreadable-body", title="Unreadable body"):
    """The body is not encoded as its header says."""


CONTENT_TYPE = "application/problem+json"
# What may go wrong in any view, outside of the use cases. The messages are ours: what the exceptions themselves say
# may name tables, hosts and settings.
_FORESEEN: Final[Mapping[type[Exception], tuple[HTTPStatus, str]]] = MappingProxyType(
    {
        Http404: (HTTPStatus.NOT_FOUND, "There is no such resource."),
        PermissionDenied: (HTTPStatus.FORBIDDEN, "This key does not allow it."),
        RequestDataTooBig: (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request body is too large."),
        UnreadablePostError: (HTTPStatus.BAD_REQUEST, "The request body ended early."),
    }
)
# What every address takes tells nobody what to send instead.
_EVERYWHERE: Final = frozenset({"HEAD", "OPTIONS"})
# A database that restarts, or a pool that is full for a moment, is back within about a second.
RETRY_SECONDS = "1"


def problem(
    *,
    status: int,
    slug: str,
    title: str,
    detail: str,
    errors: Iterable[FieldProblem] = (),
    headers: Mapping[str, str] | None = None,
    members: Mapping[str, str] | None = None,
) -> HttpResponse:
    """One problem; `slug` ends its type, `errors` point at the fields that are wrong, `members` are this type's own."""
    # What an agent's developer quotes, and an operator finds in the log.
    request_id = current_request_id()
    body: dict[str, Any] = {
        **(members or {}),
        **({"request_id": request_id} if request_id else {}),
        "type": f"/problems/{slug}",
        "title": title,
        "status": status,
        "detail": detail,
    }
    entries = [{"pointer": error.pointer, "detail": error.message} for error in errors]
    # Left out when empty: a client that finds `errors` may rely on there being one.
    if entries:
        body["errors"] = entries
    return JsonResponse(body, status=status, content_type=CONTENT_TYPE, headers=headers)


def of_error(error: ReviewError) -> HttpResponse:
    """A use case's refusal as a problem."""
    return problem(
        status=error.status_code,
        slug=error.problem,
        title=error.title,
        detail=str(error),
        errors=error.errors if isinstance(error, InvalidError) else (),
        headers=error.headers,
        members=error.members,
    )


def of_status(status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """A problem that its HTTP status describes well enough."""
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers = {"Retry-After": RETRY_SECONDS, **(headers or {})}
    return problem(status=status, slug=slug_of(status), title=status.phrase, detail=detail, headers=headers)


def slug_of(status: HTTPStatus) -> str:
    """The type of a problem behind which no use case stands: it is named after the status."""
    return status.phrase.lower().replace(" ", "-")


def problem_response(error: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """Django REST framework's exception handler. None for what nobody foresaw: that is a bug and logged as one."""
    if isinstance(error, ReviewError):
        return of_error(error)
    if isinstance(error, exceptions.APIException):
        # The framework attaches the challenge to the error, without declaring it.
        challenge: str | None = getattr(error, "auth_header", None)
        headers = {"WWW-Authenticate": challenge} if challenge else None
        detail = f"{error.detail} {_name_right(error, context)}".rstrip()
        return of_status(HTTPStatus(error.status_code), detail, headers)
    if is_away(error):
        return of_status(HTTPStatus.SERVICE_UNAVAILABLE, "The database cannot be reached; try again.")
    if isinstance(error, OperationalError) and is_conflict(error):
        return of_error(ContendedError("Others changed the same at this moment. Nothing was changed; send it again."))
    for kind, (status, detail) in _FORESEEN.items():
        if isinstance(error, kind):
            return of_status(status, detail)
    return None


def _name_right(error: exceptions.APIException, context: Mapping[str, Any]) -> str:
    """Which methods, or types of a body, the address takes, in a sentence; empty for other errors."""
    view = context.get("view")
    accepted: list[str] = []
    if isinstance(error, exceptions.MethodNotAllowed):
        accepted = [method for method in getattr(view, "allowed_methods", ()) if method not in _EVERYWHERE]
    elif isinstance(error, exceptions.UnsupportedMediaType):
        accepted = [parser.media_type for parser in getattr(view, "parser_classes", ())]
    return f"Use {' or '.join(accepted)}." if accepted else ""
