"""How findings are worded: where something stands, and what is said there."""

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.results import Found


def where(source: str) -> str:
    """A source id in words."""
    kind, _, rest = source.partition("/")
    match kind:
        case "query":
            return "the request"
        case "history":
            position, _, part = rest.partition("/")
            return f"message {position}" if part == "message" else f"history {position}"
        case "tool":
            return f"the document of {rest}"
    return f"“{rest}”"


def found_at(how: Grounding, span: Span) -> Found:
    """A value that one stretch of text says."""
    place = where(span.source)
    note = (
        f"Copied from {place}."
        if how is Grounding.COPY
        else f"{place[0].upper()}{place[1:]} says “{shortened(span.quote, 60)}”."
    )
    return Found(how, (span,), note)
