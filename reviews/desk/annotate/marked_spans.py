"""Marked stretches between a browser, which knows the words on its page, and the sources, which have offsets.

A page sends for each mark the id of the text, the words, and how many equal ones stand before them. The words are then
found in the source itself, so that whatever a page shows differently can never become evidence.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from reviews.annotation.schema import MAX_SPANS
from reviews.desk.review.case.evidence import Evidence
from reviews.provenance.core.context import Context, Span

# Characters of one mark: about two pages.
MAX_QUOTE_LENGTH: Final = 4_000
# What a page shows in place of characters that do not show (`core/invisible.py`), and of either kind of line break.
_SHOWN: Final = re.compile(r"⟦U\+((?:10|[0-9A-F])?[0-9A-F]{4})(?: ×(\d{1,4}))?⟧|⟦hidden tags “[^”]*”⟧|\n")


class UnknownMarkError(ValueError):
    """A mark that stands in no text as it was sent; the message says which."""


def spans_of(sent: str, context: Context) -> tuple[Span, ...]:
    """The stretches that a page sent. Raises `UnknownMarkError`."""
    if not sent.strip():
        return ()
    try:
        entries = json.loads(sent)
    except (ValueError, RecursionError):
        raise UnknownMarkError("The marked stretches cannot be read.") from None
    if not isinstance(entries, list) or len(entries) > MAX_SPANS:
        raise UnknownMarkError(f"At most {MAX_SPANS} stretches can be marked.")
    evidence = Evidence(context)
    by_anchor = {evidence.anchor_of(source): source for source in context.sources}
    return tuple(_span_of_entry(entry, context, by_anchor) for entry in entries)


def write_spans(spans: Iterable[Span], context: Context) -> str:
    """The stretches as a page sends them: the inverse of `spans_of`."""
    evidence = Evidence(context)
    entries = []
    for span in spans:
        text = context.sources[span.source].text
        entries.append({
            "at": evidence.anchor_of(span.source),
            "quote": span.quote,
            "nth": len(_find_starts(text, span.quote, until=span.start)),
        })  # fmt: skip
    return json.dumps(entries, ensure_ascii=False)


def _span_of_entry(entry: Any, context: Context, by_anchor: dict[str, str]) -> Span:
    match entry:
        case {"at": str(anchor), "quote": str(quote), "nth": int(nth)} if quote.strip():
            source = by_anchor.get(anchor)
        case _:
            raise UnknownMarkError("The marked stretches cannot be read.")
    occurrences = _find_shown(context.sources[source].text, quote) if source and len(quote) <= MAX_QUOTE_LENGTH else []
    if source is None or not occurrences:
        raise UnknownMarkError(f"“{quote[:80]}” does not stand in the text like this. Mark it again.")
    # Folded text may hide some of those before it; the words are the same in each place.
    start, words = occurrences[min(max(0, nth), len(occurrences) - 1)]
    return Span(source, start, start + len(words), words)


def _find_shown(text: str, quote: str) -> list[tuple[int, str]]:
    """Where the quote stands and its words there: as it is, else as a page shows what does not show."""
    if starts := _find_starts(text, quote):
        return [(start, quote) for start in starts]
    parts, at = [], 0
    for placeholder in _SHOWN.finditer(quote):
        parts += [re.escape(quote[at : placeholder.start()]), _hidden_by(placeholder)]
        at = placeholder.end()
    pattern = "".join([*parts, re.escape(quote[at:])])
    return [(match.start(), match.group()) for match in re.finditer(pattern, text)]


def _hidden_by(placeholder: re.Match[str]) -> str:
    """A pattern of the characters in whose place this is shown."""
    code, times = placeholder.groups()
    if code:
        return f"{re.escape(chr(int(code, 16)))}{{{times or 1}}}"
    # From the beginning of a row, and possessive: of many none is tried again with a part of what another has taken.
    return "\r?\n" if placeholder.group() == "\n" else "(?<![\U000e0000-\U000e007f])[\U000e0000-\U000e007f]++"


def _find_starts(text: str, quote: str, *, until: int | None = None) -> list[int]:
    """Where the quote begins, without overlaps, in front of `until`."""
    starts, at = [], text.find(quote)
    while at >= 0 and (until is None or at < until):
        starts.append(at)
        at = text.find(quote, at + len(quote))
    return starts
