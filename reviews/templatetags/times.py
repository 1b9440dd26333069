"""Times as the desk writes them. `static/js/time.js` computes the same texts, to keep an open page up to date."""

from datetime import datetime
from typing import Final

from django import template
from django.utils import timezone
from django.utils.safestring import SafeString

register = template.Library()

# Below this an age in seconds would only flicker.
NOW_SECONDS: Final = 5
# Five minutes: about what a careful decision takes, so from here on the seconds count and the countdown turns amber.
SOON_SECONDS: Final = 300
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# The largest first: the first unit of which there is at least one is used.
_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"))


@register.filter
def duration(seconds: float) -> str:
    """`48 s`, `12 min`, `3 h`, `2 d`: whole units, cut off."""
    total = max(0, int(seconds))
    for size, unit in _UNITS:
        if total >= size:
            return f"{total // size} {unit}"
    return f"{total} s"


@register.filter
def age(at: datetime) -> str:
    """How long ago, in one unit: `now`, `12 min`."""
    seconds = (timezone.now() - at).total_seconds()
    return "now" if seconds < NOW_SECONDS else duration(seconds)


@register.filter
def ago(at: datetime) -> str:
    """As `age`, as part of a sentence: `now`, `12 min ago`."""
    text = age(at)
    return text if text == "now" else f"{text} ago"


@register.filter
def left(at: datetime) -> str:
    """How long until: `42 min`, to the second in the last five minutes (`1:58`), or `expired`."""
    seconds = (at - timezone.now()).total_seconds()
    if seconds <= 0:
        return "expired"
    if seconds >= SOON_SECONDS:
        return duration(seconds)
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}"


@register.filter
def urgency(at: datetime) -> str:
    """The countdown's modifier class: `countdown--soon`, `countdown--over`, or none."""
    seconds = (at - timezone.now()).total_seconds()
    if seconds <= 0:
        return "countdown--over"
    return "countdown--soon" if seconds < SOON_SECONDS else ""


@register.filter
def since(at: datetime, short: object = True) -> SafeString:
    """How long ago, as an element that keeps itself up to date: `short` as `age` has it, else as `ago`.

    A function, because a list shows hundreds, and a template for each would cost more than all else on the page.
    """
    text, form = (age(at), "short") if short else (ago(at), "")
    return SafeString(f'<time {_write_exact(at)} data-ago="{form}">{text}</time>')


@register.filter
def countdown(at: datetime) -> SafeString:
    """How long until then, as an element that keeps itself up to date."""
    return SafeString(f'<time class="countdown {urgency(at)}" {_write_exact(at)} data-countdown>{left(at)}</time>')


def _write_exact(at: datetime) -> str:
    # Without the locale, whose names of months may differ from the pages' language.
    month = _MONTHS[at.month - 1]
    # To the second, of which the texts are made: a list shows hundreds.
    return f'datetime="{at:%Y-%m-%dT%H:%M:%SZ}" title="{at.day} {month} {at:%Y, %H:%M:%S} UTC"'
