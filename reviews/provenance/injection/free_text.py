"""Whether a value stands in a text that anyone could have written and that the request does not lead to."""

import re
from functools import cache, partial

from reviews.provenance.core.context import Context, Span, Step, leaves
from reviews.provenance.core.places import history_position
from reviews.provenance.core.trust import WISHES
from reviews.provenance.text.boundaries import find_occurrences, stands_in

# Characters of a line that are looked at on either side of a value: a field's name and its marks are shorter.
_AROUND = 120
# What stands before a field's value: the line's start or a mark that opens a field, then a bullet or number, then a
# name with its colon.
_OPENS = re.compile(
    r"(?:^|[\n\r,;|\[{(])[ \t]*(?:[-*•][ \t]+|\d+[.)][ \t]+)?(?:[\"']?[\w ./-]{1,40}[\"']?[ \t]*[:=][ \t]*)?[\"']?$"
)
# What stands behind a field's value.
_CLOSES = re.compile(r"[\"']?[ \t]*(?:$|[\n\r,;|\]})])")
# The last sign of what opens a field: most words stand behind a letter, and need no further look.
_OPENING = frozenset("\n\r,;|[{(-*•.):=")
# An address is the same page with and without it, and users leave it out.
_SCHEME = re.compile(r"^https?://", re.I)
# Characters from which a word of the request may be what a call was made for: shorter ones stand anywhere.
_MIN_TERM_LENGTH = 3


class FreeText:
    """The texts of a context that anyone could have written. Each source and each quote is looked at once."""

    def __init__(self, context: Context) -> None:
        self._is_field = cache(partial(_stands_as_field, context))
        self._is_asked_for = cache(partial(_is_asked_for, context))

    def is_unasked(self, span: Span) -> bool:
        """Whether the quote stands in sentences only, never as a field, in a source that no request names."""
        return not (self._is_field(span.source, span.quote) or self._is_asked_for(span.source))


def _stands_as_field(context: Context, source: str, quote: str) -> bool:
    text = context.sources[source].text
    for start in find_occurrences(text, quote):
        end = start + len(quote)
        before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
        opening = before.rstrip(" \t\"'")[-1:]
        if (not opening or opening in _OPENING) and _OPENS.search(before) and _CLOSES.match(after):
            return True
    return False


def _is_asked_for(context: Context, source: str) -> bool:
    """Whether the source is the outcome of a call with a value that stands in the user's words."""
    position = history_position(source)
    step = context.history[position - 1] if position else None
    if not isinstance(step, Step):
        return False
    arguments = (value for _, value in leaves(dict(step.arguments)))
    terms = {_SCHEME.sub("", str(argument)).rstrip("/").casefold() for argument in arguments}
    requests = [item.text.casefold() for item in context.sources.values() if item.kind in WISHES]
    return any(stands_in(request, term) for term in terms if len(term) >= _MIN_TERM_LENGTH for request in requests)
