"""Addresses of the API with a slash too many, or one too few: clients put one behind everything, or behind none."""

import re
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

# The two that have always ended in one.
_WITH_SLASH: Final = ("/api/v1/schema", "/api/v1/docs")
_API: Final = re.compile(r"/api/v1/(?:.*[^/])(?=/+\Z)", re.DOTALL)


def canonical_path(path: str) -> str:
    """The path as the API's addresses have it; any other path as it is."""
    matched = _API.match(path)
    shortened = matched[0] if matched else path
    return f"{shortened}/" if shortened in _WITH_SLASH else shortened


def canonical_paths(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Django middleware: serve either form, without a redirect that would turn a POST into a GET."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        request.path_info = canonical_path(request.path_info)
        return get_response(request)

    return middleware
