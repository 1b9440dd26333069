"""How a hint quotes: quotation marks hold only what stands there, and what it is read as stands behind them."""

from datetime import date, datetime, time

from reviews.provenance.core.context import Span
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.boundaries import overlaps
from reviews.provenance.text.fold import fold
from reviews.provenance.values.moments import moment_of

# Characters of a quotation.
_LONGEST = 60


def quote_words(span: Span, most: int = _LONGEST) -> str:
    """What stands there."""
    return f"“{shorten_text(span.quote, most)}”"


def quote_as_value(span: Span, leaf: Leaf, now: datetime | None) -> str:
    """Words that give a value, and the value where they spell it otherwise."""
    if fold(span.quote) == leaf.folded:
        return quote_words(span)
    moment = moment_of(leaf.value)
    return f"{quote_words(span)} ({word_moment(*moment, now) if moment else shorten_text(leaf.text, _LONGEST)})"


def quote_as_read(span: Span, text: SourceText) -> str:
    """Words of a text, and the day or the time of day that they are read as, where they are written otherwise."""
    text.budget.spend(1 + len(text.moments))
    here = [moment for moment in text.moments if overlaps(moment.parts, span.start, span.end)]
    read = {part for moment in here for part in (moment.day, moment.clock) if part}
    # What is read in two ways is left to the reader.
    sole = read.pop() if len(read) == 1 and not any(moment.any_year for moment in here) else None
    if (
        sole is None
        or fold(span.quote) == sole.isoformat()
        or (isinstance(sole, time) and f"{sole:%H:%M}" in span.quote)
    ):
        return quote_words(span)
    meant = (None, sole) if isinstance(sole, time) else (sole, None)
    return f"{quote_words(span)} ({word_moment(*meant, text.now)})"


def word_moment(day: date | None, clock: time | None, now: datetime | None) -> str:
    """Such as “28 Nov, 09:30”; the year where it is not that of the trace's clock."""
    year = f" {day.year}" if day and (now is None or day.year != now.year) else ""
    return ", ".join((*([f"{day.day} {day:%b}{year}"] if day else ()), *([f"{clock:%H:%M}"] if clock else ())))
