"""Text from an agent in a template: escaped, bounded, and with nothing hidden in it."""

import json
import re
import shlex
from typing import Final

from django import template
from django.utils.html import conditional_escape, escape, format_html, format_html_join
from django.utils.safestring import SafeString

from reviews.provenance.core.invisible import reveal_hidden, spelled_out
from reviews.provenance.core.places import describe_source
from reviews.provenance.core.shortening import shorten_text

register = template.Library()

# An agent may send megabytes. No line of a page needs more; longer texts are shown as excerpts that unfold.
LONGEST: Final = 2_000
_QUOTED: Final = re.compile("(“[^“”]*”)")


@register.filter
def revealed(text: object, longest: int = LONGEST) -> SafeString:
    """At most so many characters of the text, each run of invisible ones as a visible token with a spoken name."""
    runs = list(reveal_hidden(shorten_text(str(text), longest)))
    # <bdi> keeps right-to-left text from reordering the words around it.
    if len(runs) == 1 and not runs[0].name:
        # Nearly every text, and a page of the queue shows hundreds.
        return SafeString(f"<bdi>{escape(runs[0].text)}</bdi>")
    pieces = [
        format_html(
            '<span class="revealed" title="{0}">{1}<span class="sr-only"> {0} </span></span>', piece.name, piece.text
        )
        if piece.name
        else conditional_escape(piece.text)
        for piece in runs
    ]
    return format_html("<bdi>{}</bdi>", format_html_join("", "{}", ((piece,) for piece in pieces)))


@register.filter
def source_in_words(source: str) -> str:
    """What a source is called in a sentence: "the request", "message 3"."""
    return describe_source(source)


@register.filter
def json_text(value: object) -> str:
    """A value as the JSON that the agent sent, with every letter as it is written."""
    return json.dumps(value, ensure_ascii=False)


@register.filter
def shell_word(text: str) -> str:
    """Somebody's text as one word of a line for a shell, which runs nothing in it."""
    return shlex.quote(text)


@register.filter
def compared_name(pointer: str) -> str:
    """What a group's items are compared by: an argument without the first slash of its pointer, or agent and risk."""
    # An argument may be called "agent", too.
    return pointer[1:] if pointer.startswith("/") else f"the {pointer}"


@register.filter
def sentence(text: object, longest: int = LONGEST) -> SafeString:
    """As `revealed`, for a sentence of ours that quotes others: it runs from left to right whatever it quotes."""
    # By <bdi> alone a sentence that begins with a quotation in Arabic would be laid out from right to left.
    parts = _QUOTED.split(shorten_text(str(text), longest))
    return format_html('<span dir="ltr">{}</span>', format_html_join("", "{}", ((_show_part(part),) for part in parts)))


def _show_part(part: str) -> SafeString:
    """The words of a quotation apart from the rest, with the quotation marks where the sentence has them."""
    if not _QUOTED.fullmatch(part):
        return revealed(part) if part else SafeString("")
    return format_html("{}{}{}", part[0], revealed(part[1:-1]), part[-1])


@register.filter(name="spelled_out")
def spelled_out_filter(text: object, longest: int = LONGEST) -> str:
    """As `revealed`, without markup: for attributes and titles."""
    return spelled_out(str(text)[:longest])
