"""Measures as a table writes them; one that has no value is a dash, because a 0 would be one."""

from typing import Final

from django import template

register = template.Library()

NO_VALUE: Final = "–"


@register.filter
def percent(share: float | None) -> str:
    """`4.5 %` of 0.045."""
    return NO_VALUE if share is None else f"{100 * share:.1f} %"


@register.filter
def decimal(value: float | None) -> str:
    """Three places: a fourth changes with every call of a sample."""
    return f"{value:.3f}" if isinstance(value, float) else NO_VALUE
