"""Addresses that only take what a form sends: whoever opens one, from the history or by reloading, reads so."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import render


def explained_refusals(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Django middleware: a view's bare 405 becomes a page for a browser that asked for one."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        # The API's refusals are problem documents of another class. A form sent to a page's own address is a fault of
        # ours, which no page would mend.
        if not isinstance(response, HttpResponseNotAllowed) or request.method != "GET":
            return response
        page = render(request, "405.html", status=response.status_code)
        page.headers["Allow"] = response.headers["Allow"]
        return page

    return middleware
