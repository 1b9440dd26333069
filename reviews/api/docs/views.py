"""The OpenAPI document and a page that reads it. Public: they hold nothing but the contract."""

from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import AllowAny

from reviews.api.docs import quickstarts, reference


@cache
def read_document() -> Any:
    """The OpenAPI document; nobody changes what is returned."""
    # The contract changes with the code only, and writing it takes a tenth of a second of a core. Anybody may ask.
    return SchemaGenerator().get_schema(request=None, public=True)


class _WrittenOnce(SchemaGenerator):
    """The document as every request gets it, whoever makes it and whatever version it asks for: there is one."""

    def get_schema(self, request: Any = None, public: bool = False) -> Any:
        return read_document()


class SchemaView(SpectacularAPIView):
    """The OpenAPI document, as YAML or JSON by the Accept header."""

    # None at all, so that a wrong key in the header is no reason to refuse what is public.
    authentication_classes = []
    permission_classes = [AllowAny]
    generator_class = _WrittenOnce


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    """The document as a page."""
    context = {"reference": _read_reference(), "snippets": _read_snippets(), "key": quickstarts.KEY}
    return render(request, "api/docs.html", context)


@cache
def _read_reference() -> reference.Reference:
    return reference.read_reference(read_document())


@cache
def _read_snippets() -> tuple[quickstarts.Snippet, ...]:
    # They change with the code, and the address with the configuration.
    return tuple(quickstarts.read_snippets(settings.GUARD.public_url))
