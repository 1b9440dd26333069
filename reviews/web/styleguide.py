"""Every component in every state on one page, for people and for the accessibility checks."""

from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from reviews.models import Risk
from reviews.provenance.context import BASE_TRUST, SourceKind
from reviews.provenance.relations import Grounding, Misalignment
from reviews.web.casefile.words import Origin
from reviews.web.casefile.writers import Writer, Writers


def styleguide(request: HttpRequest) -> HttpResponse:
    """The style guide; there is none outside debug and demo."""
    if not (settings.DEBUG or settings.DEMO):
        raise Http404
    now = timezone.now()
    return render(
        request,
        "styleguide.html",
        {
            "groundings": [*Grounding, *Origin],
            "origins": _origins(),
            "misalignments": [*Misalignment, "policy", "undetermined"],
            "risks": Risk.values,
            "outcomes": ["approve", "edit", "reject", "respond", "expired", "cancelled", "superseded"],
            "past": now - timedelta(minutes=12),
            "later": now + timedelta(minutes=42),
            "soon": now + timedelta(minutes=3),
            "over": now - timedelta(seconds=1),
            "colours": ("bg", "surface", "raised", "sunken", "border", "border-strong", "text", "muted", "accent"),
        },
    )


def _origins() -> list[Writers]:
    """Each writer alone, and two whom nobody trusts together."""
    alone = [Writers((Writer(kind),), BASE_TRUST[kind]) for kind in SourceKind]
    others = (Writer(SourceKind.MEMORY), Writer(SourceKind.TOOL_OUTPUT, ("history 2", "history 3")))
    return [*alone, Writers(others, BASE_TRUST[SourceKind.TOOL_OUTPUT], untrusted_only=True)]
