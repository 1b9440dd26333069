"""The OpenAPI document and a page that reads it. Public: they hold nothing but the contract."""

from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import AllowAny

from reviews.api.docs import quickstarts, reference


class SchemaView(SpectacularAPIView):
    """The OpenAPI document, as YAML or JSON by the Accept header."""

    # None at all, so that a wrong key in the header is no reason to refuse what is public.
    authentication_classes = []
    permission_classes = [AllowAny]


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    """The document as a page."""
    context = {"reference": _read_reference(), "snippets": _read_snippets(), "key": quickstarts.KEY}
    return render(request, "api/docs.html", context)


@cache
def _read_reference() -> reference.Reference:
    # The contract changes with the code only, and writing it takes seconds.
    return reference.read_reference(SchemaGenerator().get_schema(request=None, public=True))


@cache
def _read_snippets() -> tuple[quickstarts.Snippet, ...]:
    # They change with the code, and the address with the configuration.
    return tuple(quickstarts.read_snippets(settings.GUARD.public_url))
