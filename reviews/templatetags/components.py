"""Components of the desk as filters, for lists that show the same few of them again and again."""

from functools import cache

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

register = template.Library()


# One for each reason to stop a call, of which there are eight.
@register.filter
@cache
def misalignment(kind: str) -> SafeString:
    """The badge of a reason to stop a call."""
    # Without the template's line breaks, which a list would repeat in every row.
    return SafeString(render_to_string("components/misalignment.html", {"type": kind}).strip())
