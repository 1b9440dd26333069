"""What Django answers where no view did: problem details below /api/, a page everywhere else."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.views import defaults

from reviews.api import problems


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A request Django cannot read."""
    if _is_for_api(request):
        return problems.of_status(HTTPStatus.BAD_REQUEST, "The request cannot be read.")
    return defaults.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Something the asker may not do."""
    if _is_for_api(request):
        return problems.of_status(HTTPStatus.FORBIDDEN, "This is not allowed.")
    return defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """An address nothing stands at."""
    if _is_for_api(request):
        return problems.of_status(HTTPStatus.NOT_FOUND, "There is nothing at this address.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """A bug; it was logged."""
    if _is_for_api(request):
        return problems.of_status(HTTPStatus.INTERNAL_SERVER_ERROR, "The server failed. It was logged.")
    return defaults.server_error(request)


def _is_for_api(request: HttpRequest) -> bool:
    """Whether a program asks, to whom a page would mean nothing."""
    # By the path, because most of these errors happen before an address has been matched with a view.
    return request.path_info.startswith("/api/")
