"""Numbers as people read them."""

from typing import Final

from django import template

register = template.Library()

_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"))

_DECIDED: Final = {"approve": "approved", "edit": "edited", "reject": "rejected", "respond": "answered"}


@register.filter
def decided(outcome: str) -> str:
    """What was done to calls of this outcome, as behind a number: `3 answered`."""
    return _DECIDED.get(outcome, outcome)


@register.filter
def percent(share: object) -> str:
    """A share from 0 to 1 with as many digits as tell something; a dash for none."""
    # What a template does not find, such as the interval of nothing, is an empty text.
    if not isinstance(share, int | float):
        return "–"
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"  # noqa: PLR2004 - a tenth


@register.filter
def duration(seconds: float | None) -> str:
    """Seconds in the largest unit that fits; a dash for none."""
    if seconds is None:
        return "–"
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{seconds:.0f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


@register.filter
def chance(p_value: float) -> str:
    """A p with four places; one that they cannot show as what it is below: no chance is 0."""
    return f"{p_value:.4f}" if p_value >= 0.00005 else "< 0.0001"  # noqa: PLR2004 - half of the last place


@register.filter
def dollars(usd: float) -> str:
    """US dollars to the cent; a sum that cents cannot show as what it is below: what costs something is not free."""
    return f"${usd:.2f}" if not usd or usd >= 0.005 else "< $0.01"  # noqa: PLR2004 - half of a cent


@register.filter
def decimal(value: object) -> str:
    """Three places: a fourth changes with every call of a sample. A dash for none."""
    return f"{value:.3f}" if isinstance(value, float) else "–"
