"""Text from an agent in a template: escaped, bounded, and with nothing hidden in it."""

from django import template
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from reviews.provenance.core.invisible import DisplayText, reveal, spelled_out
from reviews.provenance.core.shortening import shortened

register = template.Library()

LONGEST = 2_000


@register.filter
def revealed(text: object, longest: int = LONGEST) -> SafeString:
    """At most so many characters, invisible ones as tokens, isolated from the direction of their surroundings."""
    cut = shortened(str(text), longest)
    return format_html("<bdi>{}</bdi>", format_html_join("", "{}", ((_html(shown),) for shown in reveal(cut))))


@register.filter(name="spelled_out")
def spelled_out_filter(text: object, longest: int = LONGEST) -> str:
    """As `revealed`, for where no markup can go."""
    return spelled_out(str(text)[:longest])


def _html(shown: DisplayText) -> SafeString:
    if not shown.name:
        return conditional_escape(shown.text)
    return format_html(
        '<span class="revealed" title="{0}">{1}<span class="sr-only"> {0} </span></span>', shown.name, shown.text
    )
