"""The Content-Security-Policy of every answer: one for the whole site, so that it is written out once."""

from collections.abc import Callable
from typing import cast

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

_Answers = Callable[[HttpRequest], HttpResponseBase]


def content_policy(get_response: _Answers) -> _Answers:
    """Django middleware: what the library does for a site that makes no exception, without doing it anew each time."""
    if settings.DEBUG:
        # It leaves Django's own pages about errors alone.
        return cast(_Answers, CSPMiddleware(get_response))
    policy = build_policy()

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault(HEADER, policy)
        return response

    return middleware
