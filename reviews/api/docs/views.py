"""The OpenAPI document, a page that reads it, and the pages of problems. Public: they hold nothing but the contract."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import AllowAny

from reviews.api.docs import quickstarts, reference
from reviews.api.docs.problem_types import PROBLEM_TYPES, ProblemType


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


@require_safe
def problems_page(request: HttpRequest) -> HttpResponse:
    """Every type of problem."""
    return _render_problems(request, PROBLEM_TYPES)


@require_safe
def problem_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The type of a problem, at the address that its `type` names. Raises `Http404` for what is none."""
    described = [problem for problem in PROBLEM_TYPES if problem.slug == slug]
    if not described:
        raise Http404
    return _render_problems(request, described)


problem_urls: Final = [
    path("problems/", problems_page, name="problems"),
    path("problems/<slug:slug>", problem_page, name="problem"),
]
"""At the root: a type is told as a path, and does not change with the version of the API."""


def _render_problems(request: HttpRequest, described: Sequence[ProblemType]) -> HttpResponse:
    problems = [
        (problem, [(name, reference.parse_prose(text)) for name, text in problem.paragraphs()]) for problem in described
    ]
    return render(request, "api/problems.html", {"problems": problems, "is_one": len(problems) == 1})


@cache
def _read_reference() -> reference.Reference:
    return reference.read_reference(read_document())


@cache
def _read_snippets() -> tuple[quickstarts.Snippet, ...]:
    # They change with the code, and the address with the configuration.
    return tuple(quickstarts.read_snippets(settings.GUARD.public_url))
