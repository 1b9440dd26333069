"""Refusals as pages. Django itself serves 400.html, 404.html, 500.html and 403_csrf.html."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django_htmx.http import trigger_client_event


def forbidden(request: HttpRequest, reason: str) -> HttpResponse:
    """The 403 page saying why; for an htmx request the reason also reaches the page that sent it."""
    response = render(request, "403.html", {"exception": reason}, status=403)
    return trigger_client_event(response, "toast", {"text": reason, "kind": "bad"})
