"""A name for each request: in its answer, in log lines, in problems, and in the rows that it writes."""

import re
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

import structlog
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from structlog.contextvars import bound_contextvars

from reviews.models.base import uuid7

HEADER: Final = "X-Request-ID"
# What proxies and clients make (UUIDs, hexadecimal, base64 for addresses), and nothing that could forge a log line.
_USABLE: Final = re.compile(r"[A-Za-z0-9._~+/=-]{1,64}")
# Ten times what a request takes that only reads or stores; waits of agents are outside of Django.
SLOW_SECONDS: Final = 1.0

_log = structlog.get_logger("reviews.requests")


def request_id_of(sent_id: str | None) -> str:
    """The client's own name for its request if it is usable, else a new one."""
    return sent_id if sent_id is not None and _USABLE.fullmatch(sent_id) else str(uuid7())


def named_requests(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Django middleware: name the request, and log those that failed or were slow."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        request_id = request_id_of(request.headers.get(HEADER))
        began = time.perf_counter()
        with bound_contextvars(request_id=request_id):
            response = get_response(request)
            seconds = time.perf_counter() - began
            if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR or seconds > SLOW_SECONDS:
                # The pattern and not the path, which may hold what an agent wrote.
                route = request.resolver_match.route if request.resolver_match else ""
                _log.warning(
                    "request",
                    method=request.method,
                    route=route,
                    status=response.status_code,
                    seconds=round(seconds, 3),
                )
        response[HEADER] = request_id
        return response

    return middleware
