"""Times as the desk writes them; `static/js/time.js` keeps the same words true while a page is open."""

from datetime import datetime

from django import template
from django.utils import timezone

register = template.Library()

NOW_SECONDS = 5
SOON_SECONDS = 300
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


@register.filter
def duration(seconds: float) -> str:
    """`48 s`, `12 min`, `3 h`, `2 d`: whole units, cut off."""
    whole = max(0, int(seconds))
    for size, unit in _UNITS:
        if whole >= size:
            return f"{whole // size} {unit}"
    return f"{whole} s"


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
    """How long until: `42 min`, to the second when it matters (`1:58`), or `expired`."""
    seconds = (at - timezone.now()).total_seconds()
    if seconds <= 0:
        return "expired"
    return "{}:{:02}".format(*divmod(int(seconds), 60)) if seconds < SOON_SECONDS else duration(seconds)


@register.filter
def urgency(at: datetime) -> str:
    """The countdown's modifier class: `countdown--soon`, `countdown--over`, or none."""
    seconds = (at - timezone.now()).total_seconds()
    if seconds <= 0:
        return "countdown--over"
    return "countdown--soon" if seconds < SOON_SECONDS else ""
