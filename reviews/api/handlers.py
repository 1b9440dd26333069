"""What Django answers where no view did: problem details below /api/, a page everywhere else."""

import sys
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import defaults

from reviews.api import problems

_NEVER_SHOWN_AGAIN: Final = frozenset({"password"})
"""Fields of a form that a page does not repeat."""
_WRITTEN: Final = frozenset({"arguments", "message"})
"""Fields in which people write at length: shown, so that they can be copied too."""


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
    """What no view foresaw, and was logged: a database that is away is 503, everything else a bug."""
    # Django calls this while it handles the exception, and hands it to no one else. Its middleware would not do: they
    # see what a view raises, not what a session does that is loaded or stored around it.
    error = sys.exc_info()[1]
    problem = problems.problem_response(error, {}) if isinstance(error, Exception) else None
    away = problem is not None and problem.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    if _is_for_api(request):
        bug = problems.of_status(HTTPStatus.INTERNAL_SERVER_ERROR, "The server failed. It was logged.")
        return problem if problem is not None and away else bug
    return _database_is_away(request) if away else defaults.server_error(request)


def _database_is_away(request: HttpRequest) -> HttpResponse:
    """A page that asks nothing of the database, from which what was typed can be sent again as it was."""
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        if name not in _NEVER_SHOWN_AGAIN
        for value in values
        if isinstance(value, str)
    ]
    unsent = "\n\n".join(value for name, value in fields if name in _WRITTEN and value)
    context = {"fields": fields, "unsent": unsent, "sent": request.method == "POST", "address": request.get_full_path()}
    # Without the request: a context processor would look for who is signed in, in the database.
    response = render(None, "503.html", context, status=HTTPStatus.SERVICE_UNAVAILABLE)
    response["Retry-After"] = problems.RETRY_SECONDS
    return response


def _is_for_api(request: HttpRequest) -> bool:
    """Whether a program asks, to whom a page would mean nothing."""
    # By the path, because most of these errors happen before an address has been matched with a view.
    return request.path_info.startswith("/api/")
