"""Whether a value stands in a text that anyone could have written and that the request does not lead to."""

import re

from reviews.provenance.core.context import Context, JsonValue, SourceKind, Span, Step, leaves
from reviews.provenance.text.boundaries import occurrences

_AROUND = 120
"""Characters of a line that are looked at on either side of a value."""
_OPENS = re.compile(
    r"(?:^|[\n\r,;|\[{(])[ \t]*(?:[-*•][ \t]+|\d+[.)][ \t]+)?(?:[\"']?[\w ./-]{1,40}[\"']?[ \t]*[:=][ \t]*)?[\"']?$"
)
_CLOSES = re.compile(r"[\"']?[ \t]*(?:$|[\n\r,;|\]})])")
_SCHEME = re.compile(r"^https?://", re.I)
_TELLING = 3
"""Characters from which a word of the request may be what a call was made for."""


def is_unasked(context: Context, span: Span) -> bool:
    """Whether the quote stands in sentences only, never as a field, in a source that nothing in the request names."""
    text = context.sources[span.source].text
    starts = occurrences(text, span.quote)
    return all(_in_a_sentence(text, at, at + len(span.quote)) for at in starts) and not _led_to(context, span.source)


def _in_a_sentence(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    return not (_OPENS.search(before) and _CLOSES.match(after))


def _led_to(context: Context, source: str) -> bool:
    """Whether the source is the outcome of a call with a value that stands in the user's words."""
    kind, _, rest = source.partition("/")
    if kind != "history":
        return False
    step = context.history[int(rest.partition("/")[0]) - 1]
    values = [_bare(value) for _, value in leaves(dict(step.arguments))] if isinstance(step, Step) else []
    said = [each.text.casefold() for each in context.sources.values() if each.kind is SourceKind.USER_QUERY]
    return any(
        any(True for _ in occurrences(text, value)) for value in values if len(value) >= _TELLING for text in said
    )


def _bare(value: JsonValue) -> str:
    """The value as a user would write it: an address without its scheme."""
    return _SCHEME.sub("", str(value)).rstrip("/").casefold()
